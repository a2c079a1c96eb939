"""Gradients through calls in imported graphs, whose functions have no gradient of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as modern
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.errors import InvalidArgumentError
from dataflow.proto.graph_pb2 import GraphDef

oracle.disable_v2_behavior()

X = np.array([0.6, 0.7, 0.8], np.float32)


def _plain(x: Any) -> Any:
    @modern.function
    def both(a: Any, b: Any) -> Any:
        return modern.sin(a) * b, a + b

    product, total = both(x, x * 2.0)
    return product * total


def _call_in_branch_and_loop(x: Any) -> Any:
    @modern.function
    def square(a: Any) -> Any:
        return a * a

    oracle.enable_control_flow_v2()
    try:
        return oracle.cond(
            x[0] > 0.5,
            lambda: square(x) * 2.0,
            lambda: oracle.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, square(s)), [0, x])[
                1
            ],
        )
    finally:
        oracle.disable_control_flow_v2()


def _slopes_of_nested_calls(library: Any) -> Any:
    with library.Graph().as_default(), library.Session() as session:

        @library.function
        def read(x: Any, variable: Any) -> Any:
            return x + library.reduce_sum(variable.sparse_read([1, 3]))

        @library.function
        def again(x: Any, variable: Any) -> Any:
            return read(x, variable)

        @library.function
        def slope(variable: Any) -> Any:
            total = library.while_loop(
                lambda i, _: i < 2, lambda i, x: (i + 1, again(x, variable)), [0, 0.0]
            )[1]
            return library.convert_to_tensor(library.gradients(total, variable)[0])

        variable = library.get_variable("v", [4], use_resource=True)
        session.run(variable.initializer)
        return session.run(slope(variable))


def test_variables_in_calls_within_functions() -> None:
    ours, theirs = _slopes_of_nested_calls(tf), _slopes_of_nested_calls(oracle)
    np.testing.assert_array_equal(ours, [0.0, 2.0, 0.0, 2.0])
    np.testing.assert_array_equal(ours, theirs)


def _written(build: Callable[[Any], Any]) -> bytes:
    with oracle.Graph().as_default() as graph:
        oracle.identity(build(oracle.placeholder(oracle.float32, [3], name="x")), name="y")
        data: bytes = graph.as_graph_def().SerializeToString()
        return data


def _slopes(library: Any, graph_def: Any, of_variables: bool = False) -> list[Any]:
    with library.Graph().as_default() as graph:
        library.import_graph_def(graph_def, name="")
        operations = graph.get_operations()
        x = graph.get_tensor_by_name("x:0")
        handles = [op.outputs[0] for op in operations if op.type == "VarHandleOp"]
        initial = [op for op in operations if op.name.endswith("/Assign")]
        found = library.gradients(
            graph.get_tensor_by_name("y:0"), [x, *handles] if of_variables else x
        )
        with library.Session(graph=graph) as session:
            session.run(initial)
            return session.run(found, {x: X})


@pytest.mark.parametrize("build", [_plain, _call_in_branch_and_loop], ids=["plain", "in control"])
def test_as_in_tensorflow(build: Callable[[Any], Any]) -> None:
    """A SymbolicGradient node computes what TensorFlow's does."""
    data = _written(build)
    expected = _slopes(oracle, oracle.GraphDef.FromString(data))
    for have, want in zip(_slopes(tf, GraphDef.FromString(data)), expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-5)


def test_through_a_loop() -> None:
    """TensorFlow gives zeros here: this is checked against finite differences."""

    def repeated(x: Any) -> Any:
        @modern.function
        def power(a: Any) -> Any:
            return modern.while_loop(
                lambda i, s: i < 3, lambda i, s: (i + 1, modern.sin(s) * a), [0, a]
            )[1]

        return power(x)

    def value(x: np.ndarray) -> np.ndarray:
        state = x
        for _ in range(3):
            state = np.sin(state) * x
        return state

    wide = X.astype(np.float64)
    expected = (value(wide + 1e-6) - value(wide - 1e-6)) / 2e-6
    (slope,) = _slopes(tf, GraphDef.FromString(_written(repeated)))
    np.testing.assert_allclose(slope, expected, rtol=1e-4)


def test_of_a_variable_that_nested_calls_read() -> None:
    """TensorFlow fails here: y is x (x + 1) v^4."""

    def nested(x: Any) -> Any:
        ones = oracle.ones_initializer()
        v = oracle.get_variable("v", [3], use_resource=True, initializer=ones)

        @modern.function
        def inner(a: Any) -> Any:
            return modern.cond(a[0] > 0.5, lambda: a * v * v, lambda: a)

        @modern.function
        def outer(a: Any) -> Any:
            return inner(a) * inner(a + 1.0)

        return outer(x)

    data = GraphDef.FromString(_written(nested))
    of_x, of_v = _slopes(tf, data, of_variables=True)
    np.testing.assert_allclose(of_x, 2 * X + 1, rtol=1e-5)
    np.testing.assert_allclose(of_v, 4 * X * (X + 1), rtol=1e-5)


def test_function_that_cannot_be_differentiated() -> None:
    """Only a step that needs the gradient fails."""

    with tf.Graph().as_default():

        @tf.Defun(tf.float32, func_name="Opaque")
        def opaque(a: Any) -> Any:
            with tf.get_default_graph().gradient_override_map({"Sin": "NoSuchGradient"}):
                return tf.sin(a)

        x = tf.constant(X)
        y = opaque(x)
        (slope,) = tf.gradients(y, x)
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(y), np.sin(X), rtol=1e-6)
            with pytest.raises(InvalidArgumentError, match="Opaque"):
                session.run(slope)

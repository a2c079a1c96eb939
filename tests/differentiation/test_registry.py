"""Registration of gradients and overrides of them."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph, oracle

for library in (oracle, tf):

    @library.RegisterGradient("tests/Sevenfold")
    def _sevenfold(op: Any, grad: Any) -> Any:
        return grad * 7.0

    @library.RegisterGradient("tests/OfOutput")
    def _of_output(op: Any, grad: Any) -> Any:
        return [grad * op.outputs[0] + op.inputs[0]]

    library.NotDifferentiable("tests/Nothing")


def test_override_reaches_ops_made_inside_only() -> None:
    def program(tf: Any) -> Any:
        x = tf.placeholder("float32", [2], name="x")
        with tf.get_default_graph().gradient_override_map({"Exp": "tests/Sevenfold"}):
            inside = tf.exp(x)
            with tf.get_default_graph().gradient_override_map({"Sin": "tests/OfOutput"}):
                both = tf.exp(tf.sin(x))
            with tf.get_default_graph().gradient_override_map({"Exp": "tests/OfOutput"}):
                replaced = tf.exp(x)
        return [tf.gradients(y, x) for y in (inside, both, replaced, tf.exp(x))]

    assert_same_graph(program)


def test_override_with_not_differentiable() -> None:
    def program(tf: Any) -> Any:
        x = tf.placeholder("float32", [2], name="x")
        with tf.get_default_graph().gradient_override_map({"Exp": "tests/Nothing"}):
            y = tf.exp(x)
        return [tf.gradients(y, x), tf.gradients(y * x, x)]

    assert_same_graph(program)


def test_gradient_of_an_identity_by_override() -> None:
    def program(tf: Any) -> Any:
        x = tf.placeholder("float32", [2], name="x")
        with tf.get_default_graph().gradient_override_map({"Identity": "tests/Sevenfold"}):
            y = tf.identity(x * x)
        return tf.gradients(y, x)

    assert_same_graph(program)


@pytest.mark.parametrize("register", ["RegisterGradient", "NotDifferentiable", "NoGradient"])
def test_second_registration_is_refused(register: str) -> None:
    tf.RegisterGradient(f"tests/twice/{register}")(lambda op, grad: grad)
    with pytest.raises(KeyError, match="Registering two gradient with name 'tests/twice"):
        result = getattr(tf, register)(f"tests/twice/{register}")
        result(lambda op, grad: grad)


def test_ops_come_with_a_gradient() -> None:
    with pytest.raises(KeyError, match="Registering two gradient with name 'Exp'"):
        tf.RegisterGradient("Exp")(lambda op, grad: grad)


def test_decorator_returns_the_function() -> None:
    def function(op: Any, grad: Any) -> Any:
        return grad

    assert tf.RegisterGradient("tests/returned")(function) is function


def test_original_op_is_the_one_differentiated() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        y = tf.exp(x)
        (grad,) = tf.gradients(y, x)
        assert grad.op._original_op is y.op


def test_custom_gradients_are_forgotten_with_their_graph() -> None:
    @tf.custom_gradient
    def double(x: Any) -> Any:
        return x * 2.0, lambda grad: grad * 3.0

    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [2])
        tf.gradients(double(x), x)
    alive = weakref.ref(graph)
    del graph, x
    gc.collect()
    assert alive() is None


def test_imported_custom_gradient_is_found_by_name() -> None:
    @tf.custom_gradient
    def double(x: Any) -> Any:
        return x * 2.0, lambda grad: grad * 3.0

    with tf.Graph().as_default() as graph:
        y = double(tf.placeholder(tf.float32, [2], name="x"))
    with tf.Graph().as_default(), tf.Session() as session:
        x, again = tf.import_graph_def(graph.as_graph_def(), return_elements=["x:0", y.name])
        (grad,) = tf.gradients(again, x)
        np.testing.assert_array_equal(session.run(grad, {x: [1.0, 2.0]}), [3.0, 3.0])

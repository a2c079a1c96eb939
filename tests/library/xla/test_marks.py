"""Marks for XLA against TensorFlow's, and parts of graphs that it would compile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.differentiation.both import assert_same_graph

oracle.disable_v2_behavior()


def test_marks_of_operations_and_gradients() -> None:
    def program(tf: Any) -> Any:
        scope = tf.xla.experimental.jit_scope
        a = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="a")
        with scope():
            b = tf.matmul(a, a, name="b")
            with scope(compile_ops=False):
                b = tf.tanh(b)
        with scope(lambda node: "MatMul" in node.op, separate_compiled_gradients=True):
            c = tf.matmul(b, a) + tf.tanh(a)
        with tf.name_scope("outer"):
            return [*tf.gradients(c, [a, b], name="grads"), c]

    assert_same_graph(program)


def test_functions_run_as_they_are() -> None:
    compile = tf.xla.experimental.compile
    assert tf.contrib.compiler.xla.compile is compile
    with tf.Graph().as_default(), tf.Session() as session:

        def train(x: Any, pair: Any) -> Any:
            weight = tf.get_variable("weight", initializer=2.0)
            step = weight.assign(weight + x)
            return x * pair["a"], step.op

        product, alone = compile(train, [3.0, {"a": 4.0}]), compile(lambda: tf.constant(5.0))
        (weight,) = tf.global_variables()
        session.run(weight.initializer)
        assert weight.op.type == "VarHandleOp"
        assert session.run(product) == [12.0]
        assert session.run(weight) == 5.0
        assert session.run(alone) == [5.0]
        nested = compile(lambda x: {"a": [x, x + 1]}, [np.float32(1)])
        assert session.run(nested) == {"a": [1.0, 2.0]}
        assert isinstance(compile(lambda: weight.initializer), tf.Operation)
        assert isinstance(compile(lambda: None), tf.Operation)
        assert not tf.get_variable_scope().use_resource


@pytest.mark.parametrize(
    ("computation", "inputs", "error", "text"),
    [
        (lambda: None, 3, TypeError, "inputs must be a list"),
        (lambda: object(), None, ValueError, "convertible to Tensors"),
        (lambda: [tf.no_op(), tf.constant(1)], [], ValueError, "followed by zero or more"),
        (lambda: {"a": tf.no_op()}, [], ValueError, "must not return Operations"),
    ],
)
def test_what_is_refused(computation: Any, inputs: Any, error: Any, text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        tf.xla.experimental.compile(computation, inputs)

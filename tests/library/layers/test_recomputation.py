"""Parts of nets that are computed again for gradients, against the same nets without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf

oracle.disable_v2_behavior()


def _net(tf: Any, wrap: Any) -> tuple[Any, int]:
    """The gradients of a loss, and how many times the block's layer is in the graph."""
    data = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)

    def block(x: Any, y: Any) -> Any:
        kernel = tf.get_variable("kernel", initializer=data[:3])
        return tf.tanh(tf.matmul(x, kernel)) * y, x

    with tf.Graph().as_default() as graph:
        x, y = tf.constant(data), tf.constant(2.0)
        with tf.variable_scope("block", use_resource=True):
            first, second = wrap(tf, block)(x, y)
        loss = tf.reduce_sum(first**2) + tf.reduce_sum(second)
        grads = tf.gradients(loss, [x, y, *tf.trainable_variables()])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            values = session.run([loss, *grads])
        return values, sum(op.type == "Tanh" for op in graph.get_operations())


@pytest.mark.parametrize(
    "wrap",
    [
        lambda tf, block: tf.recompute_grad(block),
        lambda tf, block: tf.contrib.layers.recompute_grad(block, tupleize_grads=True),
        lambda tf, block: tf.contrib.layers.recompute_grad(use_data_dep=True)(block),
    ],
)
def test_gradients_are_those_of_the_function(wrap: Any) -> None:
    expected, once = _net(oracle, lambda tf, block: block)
    actual, twice = _net(tf, wrap)
    for have, want in zip(actual, expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-6, atol=1e-6)
    assert (once, twice) == (1, 2)


def test_a_function_is_told_when_it_computes_again() -> None:
    told, scales = [], []

    @tf.contrib.framework.add_arg_scope
    def scaled(x: Any, scale: float = 1.0) -> Any:
        scales.append(scale)
        return x * scale

    def block(x: Any, is_recomputing: bool = False) -> Any:
        told.append(is_recomputing)
        return scaled(x * x)

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(3.0)
        with tf.contrib.framework.arg_scope([scaled], scale=5.0):
            y = tf.contrib.layers.recompute_grad(block)(x)
        (grad,) = tf.gradients(y, x)
        assert session.run([y, grad]) == [45.0, 30.0]
    assert told == [False, True]
    assert scales == [5.0, 5.0]


def test_closures_and_numbers_are_refused() -> None:
    with tf.Graph().as_default():
        outer = tf.constant(1.0, name="outer")
        with pytest.raises(ValueError, match=r"closes over Tensor outer:0 \(local variable name"):
            tf.contrib.layers.recompute_grad(lambda x: x * outer)
        with pytest.raises(ValueError, match="All inputs to function must be Tensors"):
            tf.contrib.layers.recompute_grad(lambda x: x)(3.0)


def test_another_call_in_the_same_scope_makes_other_variables() -> None:
    layer = tf.contrib.layers.recompute_grad(lambda x: tf.layers.dense(x, 2))
    with tf.Graph().as_default():
        with tf.variable_scope("once", use_resource=True):
            first = layer(tf.ones([2, 4]))
        assert tf.gradients(first, tf.trainable_variables())[0].shape == [4, 2]
        with tf.variable_scope("twice", use_resource=True):
            both = layer(tf.ones([2, 4])) + layer(tf.ones([2, 4]))
        with pytest.raises(ValueError, match="called twice in the same enclosing scope"):
            tf.gradients(both, tf.trainable_variables("twice"))

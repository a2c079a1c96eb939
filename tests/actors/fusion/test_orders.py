"""Clusters of transposed operands, and of parts of arrays: the values and bits of the nodes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.compiled.node import CompiledNode
from dataflow.kernels.memory.orders import common_order, order_of, turned_back
from tests.actors.fusion.merged import RUNS, session_config, watch
from tests.kernels.alone import alone

ONE = np.float32(1)


@pytest.fixture
def fused(monkeypatch: pytest.MonkeyPatch) -> list[CompiledNode]:
    """The clusters that are made while a test runs."""
    return watch(monkeypatch, "compile_clusters", CompiledNode)


def numbers(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


def steps(fetch: Any, feeds: dict[Any, Any], merges: bool = True) -> Any:
    """What the last of some steps gives."""
    with tf.Session(config=session_config(merges)) as session:
        for _ in range(RUNS):
            found = session.run(fetch, feeds)
    return found


def test_operands_of_different_orders() -> None:
    with tf.Graph().as_default():
        x, w = tf.placeholder(tf.float32, [300, 400]), tf.placeholder(tf.float32, [400, 300])
        y = tf.tanh(tf.transpose(x) * w) + tf.reverse(w, [1])
        a, b = numbers(300, 400), numbers(400, 300)
        found = steps(y, {x: a, w: b})
        np.testing.assert_array_equal(found, alone.tanh(a.T * b) + b[:, ::-1])
        assert found.flags.c_contiguous


def test_parts_of_an_array(fused: list[CompiledNode]) -> None:
    with tf.Graph().as_default():
        x, b = tf.placeholder(tf.float32, [300, 800]), tf.placeholder(tf.float32, [400])
        left, right = tf.split(x, 2, 1)
        y = tf.tanh(left) * right + b
        a, c = numbers(300, 800), numbers(400)
        found = steps(y, {x: a, b: c})
        np.testing.assert_array_equal(found, alone.tanh(a[:, :400]) * a[:, 400:] + c)
    assert fused


def test_reductions_of_transposed_operands() -> None:
    """What is added up, and in which order, is told by the axes as they are."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [300, 400])
        y = tf.exp(tf.transpose(x)) * 2.0
        fetches = [tf.reduce_sum(y), tf.reduce_sum(y, 0), tf.reduce_max(y, 1)]
        a = numbers(300, 400)
        total, columns, greatest = steps(fetches, {x: a})
        made = alone.exp(a.T) * np.float32(2)
        np.testing.assert_allclose(total, made.sum(dtype=np.float64), 1e-5)
        np.testing.assert_allclose(columns, made.sum(0, dtype=np.float64), 1e-5)
        np.testing.assert_array_equal(greatest, made.max(1))


def test_gradients_come_to_the_same_bits(fused: list[CompiledNode]) -> None:
    with tf.Graph().as_default():
        x, w = (tf.placeholder(tf.float32, [16, 100, 4, 32]) for _ in range(2))
        heads = tf.transpose(x, [0, 2, 1, 3])
        y = tf.nn.sigmoid(heads) * heads + tf.transpose(w, [0, 2, 1, 3])
        loss = tf.reduce_sum(tf.square(y * heads))
        feeds = {x: numbers(16, 100, 4, 32), w: numbers(16, 100, 4, 32)[::-1]}
        gradients = tf.gradients(loss, [x, w])
        found = steps(gradients, feeds)
        assert fused
        for made, apart in zip(found, steps(gradients, feeds, merges=False), strict=True):
            np.testing.assert_array_equal(made, apart)
    a, c = (value.astype(np.float64) for value in feeds.values())
    sigmoid = 1 / (1 + alone.exp(-a))
    made = (sigmoid * a + c) * a
    slope = a * sigmoid * (1 - sigmoid) + sigmoid
    np.testing.assert_allclose(found[0], 2 * made * (slope * a + sigmoid * a + c), 1e-3, 1e-4)
    np.testing.assert_allclose(found[1], 2 * made * a, 1e-4, 1e-5)


def test_a_variable_that_was_transposed_is_not_written_to() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a = numbers(300, 400)
        v = tf.Variable(a)
        y = tf.nn.relu(tf.transpose(v) * 2.0 - 1.0)
        session.run(v.initializer)
        for _ in range(RUNS):
            found = session.run(y)
            np.testing.assert_array_equal(found, np.maximum(a.T * np.float32(2) - ONE, 0))
            found[...] = 7
            np.testing.assert_array_equal(session.run(v), a)


def test_an_error_names_the_node() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [500, 600])
        y = tf.transpose(x)
        z = tf.add(tf.floordiv(y + 1, y, name="quotient"), 3)
        ones = np.ones((500, 600), np.int32)
        for _ in range(RUNS):
            np.testing.assert_array_equal(session.run(z, {x: ones}), ones.T * 5)
        ones[-1, -1] = 0
        pattern = re.compile("Integer division by zero.*quotient", re.DOTALL)
        with pytest.raises(tf.errors.InvalidArgumentError, match=pattern):
            session.run(z, {x: ones})


def test_no_order_for_what_is_not_dense() -> None:
    a = numbers(6, 8, 10)
    turned_once = a.transpose(2, 0, 1)
    assert common_order([turned_once, turned_once + ONE]) == (1, 2, 0)
    assert common_order([turned_once, a.reshape(10, 6, 8)]) is None
    assert common_order([a[::-1]]) is None
    assert common_order([a[:, ::2]]) is None
    assert common_order([np.broadcast_to(a[0], a.shape)]) is None


def test_axes_there_and_back() -> None:
    a, order = numbers(2, 3, 4, 5), (2, 0, 3, 1)
    lying = turned_back(np.ascontiguousarray(a.transpose(order)), order)
    np.testing.assert_array_equal(lying, a)
    assert order_of(lying) == order

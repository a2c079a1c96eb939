"""Nodes that pass on their input for some shapes, and choices by rows, in clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow as tf
from dataflow.actors.fusion.compiled.node import CompiledNode
from tests.actors.fusion.compiled_clusters import config, ops_of, same_bits
from tests.actors.fusion.merged import RUNS, numbers
from tests.kernels.alone import alone


def test_sums_and_shapes_of_gradients(clusters: list[CompiledNode]) -> None:
    """What broadcasting would need does nothing for equal shapes, and its work for others."""
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x, y = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
        loss = tf.tanh(x * y) + y
        gradients = tf.gradients(loss, [x, y])
        shapes = [((5, 8), (5, 8))] * RUNS
        shapes += [((5, 8), (1, 8)), ((5, 8), (5, 1)), ((1, 1), (3, 2)), ((7, 3), (7, 3))]
        for first, second in shapes:
            a, b = numbers(0, *first) / 9, numbers(1, *second) / 9
            found = session.run(gradients, {x: a, y: b})
            slope = 1 - alone.tanh(a.astype(np.float64) * b) ** 2
            wanted = [slope * b, slope * a + 1]
            for one, exact, given in zip(found, wanted, (a, b), strict=True):
                axes = tuple(i for i in (0, 1) if exact.shape[i] > given.shape[i])
                expected = exact.sum(axes, keepdims=True)
                assert one.shape == given.shape
                np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-5)
    assert ops_of(clusters) >= {"Sum", "Reshape", "TanhGrad"}


def test_shapes_that_are_fed(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x = tf.placeholder(tf.float32, [None, None])
        shape = tf.placeholder(tf.int32, [2])
        y = tf.square(tf.reshape(x * 2.0 + 1.0, shape) - 0.5)
        a = numbers(0, 4, 6)
        fed = [[4, 6]] * RUNS + [[6, 4], [-1, 6], [4, -1], [2, -1], [1, 24], [4, 6]]
        for lengths in fed:
            found = session.run(y, {x: a, shape: lengths})
            two, half, one = np.float32(2), np.float32(0.5), np.float32(1)
            wanted = np.square((a * two + one).reshape(lengths) - half)
            assert same_bits(found, wanted), lengths
    assert ops_of(clusters) == {"Mul", "AddV2", "Reshape", "Sub", "Square"}


def test_axes_that_are_fed(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x = tf.placeholder(tf.float32, [None, None])
        axes = tf.placeholder(tf.int32, [None])
        y = tf.square(tf.reduce_sum(x * 2.0, axes, keepdims=True) - 0.5)
        a = numbers(0, 4, 6)
        for chosen in [[]] * RUNS + [[0], [1], [0, 1], []]:
            found = session.run(y, {x: a, axes: chosen})
            total = (a * np.float32(2)).sum(tuple(chosen), keepdims=True)
            np.testing.assert_allclose(found, np.square(total - np.float32(0.5)), rtol=1e-5)
    assert "Sum" in ops_of(clusters)


def test_at_the_ends_of_a_cluster_they_stay_apart(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x = tf.placeholder(tf.float32, [None, None])
        given = tf.reshape(x, tf.shape(x) + 0)
        made = given * 2.0 + 1.0
        fetches = [tf.reshape(made, [4, 6]), made]
        a = numbers(0, 4, 6)
        for _ in range(RUNS):
            for found in session.run(fetches, {x: a}):
                assert same_bits(found, a * np.float32(2) + np.float32(1))
    assert ops_of(clusters) == {"Mul", "AddV2"}


def test_what_is_passed_on_may_be_fetched(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x = tf.placeholder(tf.float32, [None, None])
        shape = tf.placeholder(tf.int32, [2])
        passed = tf.reshape(x * 2.0, shape)
        fetches = [passed, passed + 1.0]
        a = numbers(0, 4, 6)
        for _ in range(RUNS):
            first, second = session.run(fetches, {x: a, shape: [4, 6]})
            assert same_bits(first, a * np.float32(2))
            assert same_bits(second, a * np.float32(2) + np.float32(1))
            first += 1
    assert "Reshape" in ops_of(clusters)


def test_choices_by_rows(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        choice = tf.placeholder(tf.bool, [None])
        x, y = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
        z = tf.where(choice, x * 2.0, tf.zeros_like(y)) + y
        for rows, columns in [(4, 4)] * RUNS + [(6, 3), (1, 9), (5, 1), (4, 4)]:
            a, b = numbers(0, rows, columns), numbers(1, rows, columns)
            chosen = numbers(2, rows) > 0
            found = session.run(z, {choice: chosen, x: a, y: b})
            wanted = np.where(chosen[:, None], a * np.float32(2), np.float32(0)) + b
            assert same_bits(found, wanted)
    assert ops_of(clusters) == {"Mul", "ZerosLike", "Select", "AddV2"}


def test_biases(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x = tf.placeholder(tf.float32, [None, None, None])
        b = tf.placeholder(tf.float32, [None])
        y = tf.tanh(tf.nn.bias_add(x * 0.5, b))
        for shape in [(2, 3, 35)] * RUNS + [(4, 1, 35), (2, 3, 37)]:
            a, c = numbers(0, *shape), numbers(1, shape[-1])
            assert same_bits(session.run(y, {x: a, b: c}), alone.tanh(a * np.float32(0.5) + c))
    assert ops_of(clusters) == {"Mul", "BiasAdd", "Tanh"}


def test_values_that_never_fit_again_run_one_by_one(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        z = tf.square(x + y) - 1.0
        a, b = numbers(0, 4, 6), numbers(1, 4, 6)
        for first, second in [(a, b)] * RUNS + [(a, b[:1])] * 40 + [(a, b)] * 3:
            found: Any = session.run(z, {x: first, y: second})
            assert same_bits(found, np.square(first + second) - np.float32(1))
    assert clusters


def test_nodes_that_only_order_others_are_no_border(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x = tf.placeholder(tf.float32, [None])
        first, second = x * 2.0, x + 1.0
        left, right = tf.tuple([first, second])
        y = tf.tanh(left) - right
        a = numbers(0, 30)
        for _ in range(RUNS):
            found = session.run(y, {x: a})
            assert same_bits(found, alone.tanh(a * np.float32(2)) - (a + np.float32(1)))
    assert [len(one.nodes) for one in clusters] == [4]

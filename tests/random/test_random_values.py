"""Random numbers: each session starts anew, unseeded ones have the right distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from scipy import stats

import dataflow as tf

oracle.disable_v2_behavior()

Program = Callable[[Any], Any]


def test_state_lasts_for_the_session_and_starts_anew_with_the_next() -> None:
    with tf.Graph().as_default():
        numbers = tf.random_uniform([4], seed=1)
        other = numbers + 1.0
        with tf.Session() as session:
            first, second, third = (
                session.run(numbers),
                session.run(other) - 1,
                session.run(numbers),
            )
        with tf.Session() as session:
            again = session.run(numbers)
    assert not np.array_equal(first, second) and not np.array_equal(second, third)
    assert not np.array_equal(first, third)
    np.testing.assert_array_equal(first, again)


def test_one_run_draws_once() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        numbers = tf.random_normal([100])
        same, twice = session.run([tf.identity(numbers), numbers * 2.0])
    np.testing.assert_array_equal(same * 2, twice)


def test_two_ops_without_seed_differ() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = session.run([tf.random_uniform([10]), tf.random_uniform([10])])
    assert not np.array_equal(a, b)


@pytest.mark.parametrize(
    ("function", "distribution"),
    [
        ("random_uniform", stats.uniform()),
        ("random_normal", stats.norm()),
        ("truncated_normal", stats.truncnorm(-2, 2)),
    ],
)
def test_unseeded_distribution(function: str, distribution: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        values = session.run(getattr(tf, function)([100_000]))
    # The Kolmogorov-Smirnov distance exceeds this once in 10^9 runs.
    assert stats.kstest(values, distribution.cdf).statistic < 0.0105


def test_unseeded_integers_and_classes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        integers, classes = session.run(
            [
                tf.random_uniform([60_000], 0, 6, dtype=tf.int32),
                tf.multinomial(tf.log([[0.2, 0.3, 0.5]]), 60_000),
            ]
        )
    np.testing.assert_allclose(np.bincount(integers, minlength=6) / 1e4, 1, atol=0.06)
    shares = np.bincount(classes[0], minlength=3) / 60_000
    np.testing.assert_allclose(shares, [0.2, 0.3, 0.5], atol=0.015)


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (lambda t: t.random_uniform([2], dtype=t.int32), ValueError, "Must specify maxval"),
        (lambda t: t.random_uniform([2], dtype=t.string), ValueError, "got invalid value"),
        (lambda t: t.random_uniform([2], 5, 5, dtype=t.int32), None, "Need minval < maxval"),
        (lambda t: t.random_normal(t.placeholder_with_default([-1], [1])), None, "must be >= 0"),
        (lambda t: t.multinomial(t.zeros([2, 0]), 3), None, "num_classes should be positive"),
    ],
)
def test_bad_input(build: Program, error: type[Exception] | None, text: str) -> None:
    for library in (oracle, tf):
        expected = error or library.errors.InvalidArgumentError
        graph = library.Graph()
        with graph.as_default(), library.Session() as session, pytest.raises(expected, match=text):
            session.run(build(library))


def test_graphs_are_tensorflows() -> None:
    def build(library: Any) -> list[tuple[Any, ...]]:
        with library.Graph().as_default() as graph:
            library.set_random_seed(4)
            library.random_normal([2, 3], 1.0, 2.0, name="n")
            library.random_uniform([2, 3], -1.0, 1.0)
            library.random_uniform([2], maxval=3.0)
            library.random_uniform([2], maxval=10, dtype=library.int64, seed=2)
            library.truncated_normal((4,), stddev=0.1)
            library.random_shuffle([1, 2, 3])
            library.multinomial([[1.0, 2.0]], 4)
        nodes = graph.as_graph_def().node
        return [
            (n.name, n.op, list(n.input), {k: v.SerializeToString() for k, v in n.attr.items()})
            for n in nodes
        ]

    assert build(tf) == build(oracle)

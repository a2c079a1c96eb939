"""Clusters none of whose operands extends along all axes, such as differences of all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.compiled.node import CompiledNode
from tests.actors.fusion.compiled_clusters import config, ops_of, same_bits
from tests.actors.fusion.merged import RUNS, numbers
from tests.kernels.alone import alone

Shapes = tuple[tuple[int, ...], ...]
SHAPES: list[Shapes] = [
    ((30, 1, 32), (1, 40, 32)),
    ((30, 1), (1, 40)),
    ((30, 1), (40,)),
    ((2, 1, 1), (1, 3, 1), (1, 1, 4)),
    ((2, 1, 3, 1), (5, 1, 4)),
    ((700, 1), (900,)),
]


def _runs(feeds: list[list[np.ndarray]], fuses: bool, ranks: list[int]) -> list[Any]:
    with tf.Graph().as_default(), tf.Session(config=config(fuses)) as session:
        given = [tf.placeholder(tf.float32, [None] * rank) for rank in ranks]
        y = given[0] - given[1]
        for other in given[2:]:
            y = y - other
        fetches = [tf.square(y) * 0.5, tf.exp(-tf.abs(y))]
        return [session.run(fetches, dict(zip(given, one, strict=True))) for one in feeds]


def _wanted(arrays: list[np.ndarray]) -> list[np.ndarray]:
    first, *others = (array.astype(np.float64) for array in arrays)
    for other in others:
        first = first - other
    return [first * first * 0.5, alone.exp(-np.abs(first))]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_nothing_is_refused(shapes: Shapes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(OneByOne, "__call__")
    feeds = [[numbers(i, *shape) for i, shape in enumerate(shapes)] for _ in range(RUNS)]
    # Of other lengths, too.
    feeds += [[np.repeat(one, 3, 0) if len(one) > 1 else one for one in feeds[0]]]
    for given, found in zip(feeds, _runs(feeds, True, list(map(len, shapes))), strict=True):
        for one, want in zip(found, _wanted(given), strict=True):
            np.testing.assert_allclose(one, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_all_pairs(shapes: Shapes, clusters: list[CompiledNode]) -> None:
    feeds = [[numbers(i, *shape) for i, shape in enumerate(shapes)] for _ in range(RUNS)]
    # Later arrays have other lengths, 1 and 0 among them, and lie in other ways.
    feeds += [[one[:1] for one in feeds[0]], [one[..., :0] for one in feeds[0]]]
    feeds += [[np.repeat(one, 2, -1)[..., ::2] for one in feeds[0]]]
    feeds += [[np.repeat(one, 3, 0) if len(one) > 1 else one for one in feeds[0]]]
    ranks = [len(shape) for shape in shapes]
    apart, together = (_runs(feeds, fuses, ranks) for fuses in (False, True))
    for given, first, second in zip(feeds, apart, together, strict=True):
        assert all(map(same_bits, first, second))
        for found, want in zip(second, _wanted(given), strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-4)
    assert {"Sub", "Square", "Exp"} <= ops_of(clusters)


def test_arrays_of_another_rank_run_node_by_node(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        z = tf.square(x - y) + 1.0
        shapes = [((5, 1), (4,))] * RUNS + [((5,), ()), ((), (4,)), ((2, 5, 1), (4,)), ((), ())]
        for first, second in shapes:
            given = numbers(0, *first), numbers(1, *second)
            found = session.run(z, {x: given[0], y: given[1]})
            np.testing.assert_allclose(found, np.square(given[0] - given[1]) + 1, rtol=1e-6)
    assert clusters


def test_lengths_that_do_not_fit_are_refused() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float32, [None, 1, None]), tf.placeholder(tf.float32, [None, None])
        z = tf.square(x - y) + 1.0
        good = {x: numbers(0, 3, 1, 5), y: numbers(1, 4, 5)}
        for _ in range(RUNS):
            session.run(z, good)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
            session.run(z, {x: numbers(0, 3, 1, 5), y: numbers(1, 4, 6)})
        assert session.run(z, good).shape == (3, 4, 5)

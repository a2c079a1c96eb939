"""Clusters of arrays that lie in another order: the same bits as node by node."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.compiled.node import CompiledNode
from tests.actors.fusion.compiled_clusters import config, ops_of, same_bits
from tests.actors.fusion.merged import RUNS, numbers
from tests.kernels.alone import alone

SHAPE = (13, 14, 16)
ORDERS = [order for order in itertools.permutations(range(3)) if order != (0, 1, 2)]


def _chain(x: Any) -> Any:
    return tf.tanh(x * 0.5 + 1.0) - tf.square(x)


def _slope(x: Any) -> Any:
    """Of arrays in two orders: what a gradient begins with lies in C order."""
    y = x + 1.0
    return tf.gradients(y * tf.sigmoid(y), x)[0]


def _of_both(x: Any) -> Any:
    """An operand in C order, the same shape, is read twice."""
    there = tf.constant(numbers(5, 16, 14, 13))
    y = tf.transpose(x, [2, 1, 0])
    return (y - there) * (there + y)


BODIES: dict[str, Callable[[Any], Any]] = {"chain": _chain, "slope": _slope}


def _both_ways(build: Callable[[Any], Any], shape: Any, feeds: list[np.ndarray]) -> list[Any]:
    """What each run gives without clusters and with them."""
    results = []
    for fuses in (False, True):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, shape)
            y = build(x)
            # Sums take elements as they lie.
            fetches = [y, tf.reduce_sum(y), tf.reduce_sum(y, 0)]
            with tf.Session(config=config(fuses)) as session:
                results.append([session.run(fetches, {x: value}) for value in feeds])
    for wanted, found in zip(*results, strict=True):
        assert all(map(same_bits, wanted, found))
    return [found for found, *_ in results[1]]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("order", ORDERS)
def test_all_orders(
    body: str,
    order: tuple[int, ...],
    clusters: list[CompiledNode],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Nothing is refused.
    monkeypatch.delattr(OneByOne, "__call__")
    feeds = [numbers(seed, *SHAPE) for seed in range(RUNS)]
    feeds[-1][0, 1, 2] = np.nan
    found = _both_ways(lambda x: BODIES[body](tf.transpose(x, order)), SHAPE, feeds)
    if body == "chain":
        half = feeds[0].transpose(order).astype(np.float64)
        np.testing.assert_allclose(
            found[0], alone.tanh(half * 0.5 + 1) - half * half, rtol=1e-5, atol=1e-5
        )
        # All of it is one loop.
        assert {"Mul", "AddV2", "Tanh", "Square", "Sub"} <= ops_of(clusters)
    else:
        assert {"SigmoidGrad", "Mul", "AddN"} <= ops_of(clusters)


def test_operands_of_both_orders(
    clusters: list[CompiledNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(OneByOne, "__call__")
    feeds = [numbers(seed, *SHAPE) for seed in range(RUNS)]
    for given, found in zip(feeds, _both_ways(_of_both, SHAPE, feeds), strict=True):
        y, there = given.transpose(2, 1, 0), numbers(5, 16, 14, 13)
        np.testing.assert_array_equal(found, (y - there) * (there + y))
    assert {"Sub", "AddV2", "Mul"} <= ops_of(clusters)


def test_feeds_that_lie_in_another_way_later(clusters: list[CompiledNode]) -> None:
    """And have other shapes: a cluster refuses these, and its nodes run one by one."""
    turned = [numbers(seed, *SHAPE).transpose(2, 0, 1) for seed in range(RUNS)]
    others = [np.ascontiguousarray(turned[0]), turned[1][:, ::2], turned[2][:, :0], turned[3]]
    _both_ways(_chain, [None] * 3, [*turned, *others])
    assert clusters


def test_arrays_of_another_rank_run_node_by_node(clusters: list[CompiledNode]) -> None:
    turned = [numbers(seed, 7, 9).T for seed in range(RUNS)]
    others = [numbers(1), numbers(2, 9), numbers(3, 7, 9), numbers(4, 3, 7, 9).T]
    _both_ways(_chain, None, [*turned, *(one if one.ndim else one[None] for one in others)])
    assert clusters


@pytest.mark.parametrize("other", [(13,), (14, 1), (1, 1, 1), ()])
def test_operands_that_are_repeated(other: tuple[int, ...]) -> None:
    """They are scalars for a turned cluster, or there is none."""
    feeds = [numbers(seed, *SHAPE) for seed in range(RUNS)]
    more = numbers(9, *other)
    found = _both_ways(lambda x: _chain(tf.transpose(x, [2, 1, 0])) * more, SHAPE, feeds)
    assert found[0].shape == (16, 14, 13)


def test_a_large_node_alone_shares_its_work(clusters: list[CompiledNode]) -> None:
    """Several threads take parts of it."""
    x = numbers(3, 700, 900)
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, x.shape)
        y = tf.exp(tf.transpose(fed) * 0.01)
        for _ in range(RUNS):
            found = session.run(y, {fed: x})
    np.testing.assert_array_equal(found, alone.exp(x.T * np.float32(0.01)))
    assert {"Exp"} <= ops_of(clusters)

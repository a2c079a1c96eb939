"""Reductions over segments, entries by index and reversed sequences, of few and of many numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.pairwise import pairwise

_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "mean": np.mean,
}


@pairwise(
    {
        "ids": [
            [0, 0, 1, 2],
            [0, 1, 2],
            [1, 1, 4],
            [0],
            [],
            sorted([*range(40), *range(0, 60, 3)]),
        ],
        "inner": [(), (3,), (2, 4)],
        "dtype": [np.float32, np.float64, np.int32],
        "name": _REDUCTIONS,
    }
)
def test_segments(ids: list[int], inner: tuple[int, ...], dtype: Any, name: str) -> None:
    x = np.random.default_rng(0).integers(1, 4, (len(ids), *inner)).astype(dtype)
    count = max(ids) + 1 if ids else 0
    expected = np.full((count, *inner), 1 if name == "prod" else 0, dtype)
    for place in set(ids):
        rows = x[np.array(ids) == place]
        # Of integers TensorFlow cuts the mean.
        expected[place] = _REDUCTIONS[name](rows, axis=0)
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(getattr(tf, f"segment_{name}")(x, np.array(ids, np.int32)))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("ids", "why"),
    [
        ([0, 2, 1], "segment ids are not increasing"),
        ([*range(40), 3], r"Segment id 4 out of range \[0, 4\)"),
    ],
)
def test_segments_that_are_not_sorted_are_refused(ids: list[int], why: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        total = tf.segment_sum(tf.ones([len(ids), 2]), tf.constant(ids))
        with pytest.raises(tf.errors.InvalidArgumentError, match=why):
            session.run(total)


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
@pytest.mark.parametrize("shape", [(7,), (300, 200), (40, 50, 20)])
@pytest.mark.parametrize("count", [3, 90_000])
def test_entries(count: int, shape: tuple[int, ...], dtype: Any) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=shape).astype(np.float32)
    for depth in range(1, len(shape) + 1):
        few = min(count, 2_000_000 // math.prod(shape[depth:]))
        indices = np.stack([random.integers(0, n, few) for n in shape[:depth]], 1).astype(dtype)
        with tf.Graph().as_default(), tf.Session() as session:
            given, where = tf.placeholder(tf.float32), tf.placeholder(dtype, indices.shape)
            entries = session.make_callable(tf.gather_nd(given, where), [given, where])
            expected = x[tuple(indices.T.astype(int))]
            np.testing.assert_array_equal(entries(x, indices), expected)
            np.testing.assert_array_equal(entries(np.asfortranarray(x), indices), expected)


@pytest.mark.parametrize("bad", [[0, -1], [3, 0], [0, 4]])
def test_entries_out_of_range_are_refused(bad: list[int]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        entry = tf.gather_nd(tf.zeros([3, 4]), tf.constant([[0, 0], bad]))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = .*index into"):
            session.run(entry)


@pytest.mark.parametrize("count", [3, 90, 2000])
@pytest.mark.parametrize("inner", [(), (1,), (4,)])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_sums_of_entries(dtype: Any, inner: tuple[int, ...], count: int) -> None:
    random = np.random.default_rng(0)
    indices = np.stack([random.integers(0, n, count) for n in (6, 5)], 1)
    updates = random.integers(-5, 6, (count, *inner)).astype(dtype)
    start = random.integers(-5, 6, (6, 5, *inner)).astype(dtype)
    expected = np.zeros_like(start)
    np.add.at(expected, tuple(indices.T), updates)
    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.scatter_nd(indices, updates, start.shape)
        added = tf.tensor_scatter_add(start, indices, updates)
        taken = tf.tensor_scatter_sub(start, indices, updates)
        found = session.run([made, added, taken])
    for have, want in zip(found, (expected, start + expected, start - expected), strict=True):
        np.testing.assert_array_equal(have, want)


@pairwise(
    {
        "kind": [np.int32, np.int64],
        "dtype": [np.float32, np.int64, np.bool_, "S"],
        "shape": [(4, 9), (3, 40, 5), (7, 6, 2, 3)],
    }
)
def test_sequences(kind: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    x = random.integers(0, 100, shape).astype(dtype)
    lengths = random.integers(0, shape[1] + 1, shape[0]).astype(kind)
    lengths[:2] = [0, shape[1]]
    expected = x.copy()
    for row, length in enumerate(lengths):
        expected[row, :length] = x[row, :length][::-1]
    with tf.Graph().as_default(), tf.Session() as session:
        by_rows = tf.reverse_sequence(x, lengths, seq_axis=1, batch_axis=0)
        by_times = tf.reverse_sequence(x.swapaxes(0, 1), lengths, seq_axis=0, batch_axis=1)
        found, turned = session.run([by_rows, by_times])
    np.testing.assert_array_equal(found.astype(dtype), expected)
    np.testing.assert_array_equal(turned.astype(dtype), expected.swapaxes(0, 1))

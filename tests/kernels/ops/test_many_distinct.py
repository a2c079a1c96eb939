"""`Unique` of many values, of integers by a hash: against numpy's, in the order of appearance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.reductions import distinct

COUNTS = (16, 17, 500, 8191, 8193)
"""On both sides of where the hash begins, and of where other threads run meanwhile."""


def _check(values: np.ndarray, out_idx: Any = tf.int32) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        found, places, counts = session.run(tf.unique_with_counts(values, out_idx))
        again = session.run(tf.unique(values, out_idx))
    _, firsts, wanted = np.unique(values, return_index=True, return_counts=True)
    order = np.argsort(firsts)
    np.testing.assert_array_equal(found, values[firsts[order]])
    np.testing.assert_array_equal(found[places], values)
    np.testing.assert_array_equal(counts, wanted[order])
    assert found.dtype == values.dtype and places.dtype == counts.dtype == out_idx.as_numpy_dtype
    for one, other in zip(again, (found, places), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
)
@pytest.mark.parametrize("out_idx", [tf.int32, tf.int64])
def test_integers(dtype: Any, out_idx: Any) -> None:
    limits = np.iinfo(dtype)
    random = np.random.default_rng(3)
    for count in COUNTS:
        values = random.integers(limits.min, limits.max, count, dtype, endpoint=True)
        values[:2] = limits.min, limits.max
        # As far as they come at all, some come again.
        values[count // 2 :] = random.choice(values, count - count // 2)
        _check(values, out_idx)


@pytest.mark.parametrize("step", [1, 1 << 20, 0x9E3779B97F4A7C15 - 2**64, 0])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_in_a_row(dtype: Any, step: int) -> None:
    """Steps that a bad hash takes to one place, one after the other."""
    with np.errstate(over="ignore"):
        values = (np.arange(1000, dtype=np.int64) * np.int64(step)).astype(dtype)
    _check(values)
    _check(values[::-3])


def test_one_value_and_none() -> None:
    _check(np.full(1000, -7, np.int64))
    assert [len(one) for one in distinct.number_distinct(np.zeros(0, np.int32), np.int32)] == [0, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.bool_])
def test_other_values(dtype: Any) -> None:
    _check(np.random.default_rng(1).integers(0, 9, 500).astype(dtype))


def test_without_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "is_there", lambda: False)
    _check(np.random.default_rng(2).integers(-50, 50, 500, np.int32))
    _check(np.random.default_rng(2).integers(0, 2**63, 500, np.uint64))

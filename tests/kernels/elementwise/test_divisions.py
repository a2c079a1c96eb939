"""Quotients and remainders of many numbers are those that numpy finds one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.elementwise import divisions

_INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32)


def _integers(dtype: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All pairs of odd numbers, then random ones; and the odd numbers."""
    random, info = np.random.default_rng(0), np.iinfo(dtype)
    odd = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 7]
    odd += [-1, -2, -7] if info.min else []
    ends = np.array(odd, dtype)
    x = random.integers(info.min, info.max, 100_000, dtype, endpoint=True)
    y = random.integers(info.min, info.max, 50_000, dtype, endpoint=True)
    x = np.concatenate([np.repeat(ends, len(ends)), x])
    y = np.concatenate([np.tile(ends, len(ends)), random.choice(ends, 50_000), y])
    return x[y != 0], y[y != 0], ends[ends != 0]


def _assert_same(found: Any, expected: Any) -> None:
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("dtype", _INTEGERS)
def test_integers(dtype: Any) -> None:
    x, y, ends = _integers(dtype)
    _assert_same(divisions.floor_divide(x, y), np.floor_divide(x, y))
    _assert_same(divisions.integer_remainder(x, y), np.remainder(x, y))
    for divisor in ends:
        for given in (divisor, np.array(divisor)):
            _assert_same(divisions.integer_remainder(x, given), np.remainder(x, divisor))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_remainders_of_floats(dtype: Any) -> None:
    random = np.random.default_rng(0)
    ends = [np.nan, np.inf, -np.inf, 0, -0.0, 1, -1, 1e-40, -1e-40, 3e38, 0.5, 2.5, -2.5]
    odd = np.array(ends, dtype)
    x = np.concatenate([np.repeat(odd, len(odd)), (random.normal(size=90_000) * 50).astype(dtype)])
    y = np.concatenate([np.tile(odd, len(odd)), random.normal(size=90_000).astype(dtype)])
    for divisor in (y, *(np.array(number) for number in odd)):
        found, expected = divisions.float_remainder(x, divisor), np.remainder(x, divisor)
        _assert_same(found, expected)
        counts = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[counts]), np.signbit(expected[counts]))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_views_and_shapes_that_broadcast(dtype: Any) -> None:
    x = np.arange(-6000, 6000).reshape(100, 120).astype(dtype)
    y = (np.arange(12000).reshape(100, 120) % 17 + 1).astype(dtype)
    remainder = divisions.float_remainder if dtype is np.float32 else divisions.integer_remainder
    for a, b in ((x.T, y.T), (x[::2], y[::2]), (x, y[:1]), (x[:, :1], y), (x[:0], y[:0])):
        _assert_same(remainder(a, b), np.remainder(a, b))
        _assert_same(divisions.floor_divide(a, b), np.floor_divide(a, b))


@pytest.mark.parametrize("op", [tf.floordiv, tf.floormod])
def test_zero_is_refused_among_many(op: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
        quotient = op(x, y)
        divisors = np.arange(-4000, 4000)
        with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
            session.run(quotient, {x: np.ones(8000), y: divisors})
        with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
            session.run(quotient, {x: divisors, y: 0})

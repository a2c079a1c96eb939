"""The greatest elements of many rows, and whether a class is among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.pairwise import pairwise


def _expected(x: np.ndarray, k: int) -> np.ndarray:
    """Places by a stable sort; NaN counts as the greatest, as in `argmax`."""
    order = [sorted(range(len(row)), key=lambda i: _key(row[i])) for row in x.reshape(-1, len(x.T))]
    return np.array(order)[:, :k].reshape(*x.shape[:-1], k)


def _key(value: Any) -> tuple[bool, Any]:
    return (not np.isnan(value), -value.item())


def _top(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    with tf.Graph().as_default(), tf.Session() as session:
        place = tf.placeholder(x.dtype)
        values, places = session.run(list(tf.nn.top_k(place, k)), {place: x})
    return values, places


@pairwise(
    {
        "shape": [(50, 40), (3, 20, 36), (700, 100), (1, 2000)],
        "dtype": ["float16", "float32", "float64", "int8", "int32", "int64"],
        "k": [1, 2, 5, 8, 9],
    }
)
def test_places_and_values(shape: tuple[int, ...], dtype: str, k: int) -> None:
    x = np.random.default_rng(0).integers(-60, 60, shape).astype(dtype)
    values, places = _top(x, k)
    np.testing.assert_array_equal(places, _expected(x, k))
    np.testing.assert_array_equal(values, np.take_along_axis(x, places, -1))
    assert values.dtype == x.dtype and places.dtype == np.int32


@pytest.mark.parametrize("k", [1, 3, 6])
def test_what_is_not_finite(k: int) -> None:
    x = np.random.default_rng(0).normal(size=(60, 40)).astype(np.float32)
    x[0], x[1, 4:], x[2, [3, 9]] = -np.inf, -np.inf, np.inf
    x[3, [2, 30]], x[4] = np.nan, np.nan
    values, places = _top(x, k)
    np.testing.assert_array_equal(places, _expected(x, k))
    np.testing.assert_array_equal(values, np.take_along_axis(x, places, -1))


def test_the_least_integer_is_taken_once() -> None:
    x = np.full((64, 40), np.iinfo(np.int32).min, np.int32)
    x[:, 5] = 7
    _, places = _top(x, 4)
    np.testing.assert_array_equal(places, np.tile([5, 0, 1, 2], (64, 1)))


def test_columns_and_nothing() -> None:
    x = np.random.default_rng(0).normal(size=(40, 60)).astype(np.float32)
    np.testing.assert_array_equal(_top(x.T, 2)[1], _expected(x.T, 2))
    for shape, k in (((4,), 0), ((0, 9), 3), ((5, 4), 0)):
        values, places = _top(np.zeros(shape, np.float32), k)
        assert values.shape == places.shape == (*shape[:-1], k)


@pytest.mark.parametrize("k", [0, 1, 3, 50])
@pytest.mark.parametrize("shape", [(4, 8), (300, 60), (3, 1), (0, 5)])
def test_in_top_k(shape: tuple[int, int], k: int) -> None:
    random = np.random.default_rng(0)
    x = random.integers(0, 30, shape).astype(np.float32)
    targets = random.integers(-1, shape[1] + 1, shape[0])
    if shape[0] > 3:
        # Sums of the third row overflow, though all of its numbers are finite.
        x[0, 0], x[1, -1], x[2] = np.nan, -np.inf, 3e38
    for given in (targets, np.clip(targets, 0, shape[1] - 1)):
        expected = [
            0 <= t < shape[1] and np.isfinite(row).all() and int((row > row[t]).sum()) < k
            for row, t in zip(x, given.tolist(), strict=True)
        ]
        with tf.Graph().as_default(), tf.Session() as session:
            found = session.run(tf.nn.in_top_k(x, given, k))
        assert found.dtype == np.bool_
        np.testing.assert_array_equal(found, np.array(expected, bool))

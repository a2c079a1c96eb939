"""Sorts of whole rows, by keys and by a stable search: of equal elements the first first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf


def _check(x: np.ndarray, k: int) -> None:
    want = np.argsort(-x.astype(np.float64), axis=-1, kind="stable")[..., :k]
    with tf.Graph().as_default(), tf.Session() as session:
        values, places = session.run(tf.nn.top_k(x, k))
    np.testing.assert_array_equal(places, want)
    np.testing.assert_array_equal(values, np.take_along_axis(x, want, -1))
    assert places.dtype == np.int32 and values.dtype == x.dtype


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.float64, np.int16])
@pytest.mark.parametrize("rows", [1, 31, 32, 3000])
@pytest.mark.parametrize("k", [8, 9, 32])
def test_places_of_equal_elements(dtype: Any, rows: int, k: int) -> None:
    x = np.random.default_rng(rows).integers(-9, 9, (rows, 32)).astype(dtype)
    _check(x, k)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_ends_of_the_type(dtype: Any) -> None:
    x = np.random.default_rng(0).integers(-9, 9, (8, 200)).astype(dtype)
    limits = np.finfo(dtype) if dtype is np.float32 else np.iinfo(dtype)
    x[:, ::50], x[:, 1::50] = limits.max, limits.min
    if dtype is np.float32:
        x[0, :6] = [np.inf, -np.inf, -0.0, 0.0, 1e-45, -1e-45]
    _check(x, 200)
    _check(x.reshape(2, 4, 200)[:, ::2, ::-1], 150)


def test_missing_numbers_are_the_greatest() -> None:
    x = np.random.default_rng(0).normal(size=(8, 200)).astype(np.float32)
    x[3, 5], x[3, 9] = np.nan, -np.float32(np.nan)
    with tf.Graph().as_default(), tf.Session() as session:
        values, places = session.run(tf.nn.top_k(x, 200))
    assert places[3, :2].tolist() == [5, 9] and np.isnan(values[3, :2]).all()
    np.testing.assert_array_equal(values[3, 2:], -np.sort(-np.delete(x[3], [5, 9])))
    np.testing.assert_array_equal(values[0], -np.sort(-x[0]))


@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
def test_sort_and_argsort(direction: str) -> None:
    x = np.random.default_rng(0).normal(size=(40, 100)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        values, places = session.run(
            [tf.sort(x, direction=direction), tf.argsort(x, direction=direction)]
        )
    want = np.sort(x) if direction == "ASCENDING" else np.sort(x)[:, ::-1]
    np.testing.assert_array_equal(values, want)
    np.testing.assert_array_equal(np.take_along_axis(x, places, -1), want)

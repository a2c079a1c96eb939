"""`Select` and `Where` of large arrays, which go other ways than those of small ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf

DTYPES = [
    tf.float32,
    tf.float64,
    tf.half,
    tf.bfloat16,
    tf.int8,
    tf.int32,
    tf.int64,
    tf.uint8,
    tf.bool,
    tf.complex64,
    tf.complex128,
]


@pytest.mark.parametrize("choose", [tf.where, tf.where_v2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_large_choices_are_where(choose: Callable[..., Any], dtype: tf.DType) -> None:
    numbers = np.random.default_rng(0)
    mask = numbers.random((100, 90)) > 0.4
    x, y = (numbers.normal(size=(100, 90)) * 50 for _ in range(2))
    if dtype.is_floating:
        x[3, :4] = [np.nan, np.inf, -0.0, 0.0]
    if dtype.is_unsigned or dtype == tf.bool:
        x, y = abs(x), abs(y)
    a, b = (value.astype(dtype.as_numpy_dtype) for value in (x, y))
    with tf.Graph().as_default(), tf.Session() as session:
        places = [tf.placeholder(tf.bool), tf.placeholder(dtype), tf.placeholder(dtype)]
        chosen = choose(*places)
        for operands in (
            (mask, a, b),
            (mask[::-1], a, b[:, ::-1]),
            (np.asfortranarray(mask), a, np.asfortranarray(b)),
            (mask.T, a.T, b.T),
            (np.True_, a, b),
        ):
            found = session.run(chosen, dict(zip(places, operands, strict=True)))
            wanted = np.where(*operands)
            assert found.dtype == wanted.dtype and found.shape == wanted.shape
            assert np.ascontiguousarray(found).tobytes() == wanted.tobytes(order="C")


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_choices_of_numbers(dtype: tf.DType) -> None:
    numbers = np.random.default_rng(0)
    mask = numbers.random((600, 500)) > 0.4
    a = (abs(numbers.normal(size=(600, 500))) * 50).astype(dtype.as_numpy_dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        places = [tf.placeholder(tf.bool), tf.placeholder(dtype), tf.placeholder(dtype)]
        chosen = tf.where_v2(*places)
        for operands in ((mask, a, a[3, 4]), (mask, a[5, 6], a), (mask, a[5, 6], a[7, 8])):
            for _ in range(4):
                found = session.run(chosen, dict(zip(places, operands, strict=True)))
            wanted = np.where(*operands)
            assert found.dtype == wanted.dtype and found.shape == wanted.shape
            assert found.tobytes() == wanted.tobytes()


def test_large_choices_by_rows_and_with_broadcasting() -> None:
    numbers = np.random.default_rng(0)
    a, b = (numbers.normal(size=(100, 90)).astype("f") for _ in range(2))
    rows, column = numbers.random(100) > 0.5, numbers.random((100, 1)) > 0.5
    with tf.Graph().as_default(), tf.Session() as session:
        np.testing.assert_array_equal(
            session.run(tf.where(rows, a, b)), np.where(rows[:, None], a, b)
        )
        np.testing.assert_array_equal(
            session.run(tf.where_v2(column, a, b[0])), np.where(column, a, b[0])
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="same size"):
            x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
            session.run(tf.where(tf.less(x, 0.5), x, y), {x: a, y: a[:50]})


@pytest.mark.parametrize("dtype", [tf.float32, tf.int64])
@pytest.mark.parametrize("shape", [(5, 3000), (1, 40, 30), (0, 7), (3, 1025, 2)])
def test_choices_of_long_rows(dtype: tf.DType, shape: tuple[int, ...]) -> None:
    """Also in a cluster of other elementwise functions, and of rows that lie backwards."""
    numbers = np.random.default_rng(0)
    rows = numbers.random(shape[0]) > 0.5
    a, b = (numbers.integers(0, 99, shape).astype(dtype.as_numpy_dtype) for _ in range(2))
    with tf.Graph().as_default(), tf.Session() as session:
        mask = tf.placeholder(tf.bool, [None])
        x, y = (tf.placeholder(dtype, shape) for _ in range(2))
        chosen = tf.negative(tf.where(mask, x, tf.reverse(y, [-1]))) * 2
        for _ in range(5):
            found = session.run(chosen, {mask: rows, x: a, y: b})
    expected = -2 * np.where(rows.reshape((-1,) + (1,) * (len(shape) - 1)), a, b[..., ::-1])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(9000,), (90, 100), (9, 10, 100), (0, 5000), (5000, 0, 2)])
def test_large_places_are_argwhere(shape: tuple[int, ...]) -> None:
    value = np.random.default_rng(0).normal(size=shape).astype("f")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        places = [tf.where(x > 0.3), tf.where(tf.floor(x)), tf.where(tf.transpose(x) > 5.0)]
        found = session.run(places, {x: value})
    for given, wanted in zip(found, (value > 0.3, np.floor(value), value.T > 5), strict=True):
        assert given.dtype == np.int64
        np.testing.assert_array_equal(given, np.argwhere(wanted))


@pytest.mark.parametrize("holds", [True, False])
@pytest.mark.parametrize("size", [4095, 4096])
def test_masks_that_agree(size: int, holds: bool) -> None:
    """One side is what is chosen, if it has the shape of all three; others broadcast."""
    a, b = (np.random.default_rng(i).normal(size=(size, 2)).astype("f") for i in range(2))
    with tf.Graph().as_default(), tf.Session() as session:
        for operands in (
            (np.full((size, 2), holds), a, b),
            (np.full((size, 1), holds), a, b),
            (np.full(2, holds), a, b),
            (np.full((3, 1, 1), holds), a, b),
            (np.full((size, 2), holds), a[:, :1], b),
            (np.full((size, 2), holds), a, b[:1]),
            (np.bool_(holds), a, b[:1]),
        ):
            found, wanted = session.run(tf.where_v2(*operands)), np.where(*operands)
            assert found.shape == wanted.shape
            np.testing.assert_array_equal(found, wanted)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be broadcastable"):
            session.run(
                tf.where_v2(*[tf.placeholder_with_default(x, None) for x in (a > 9, a[1:], b)])
            )


def test_what_is_chosen_stays_when_its_variable_changes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(np.arange(5000.0))
        chosen = tf.where(tf.fill([5000], True), variable, tf.zeros([5000], tf.float64))
        with tf.control_dependencies([chosen]):
            update = tf.assign_add(variable, tf.ones([5000], tf.float64))
        session.run(variable.initializer)
        for start in range(3):
            found, _ = session.run([chosen, update])
            session.run(tf.assign_add(variable, tf.zeros([5000], tf.float64)))
            np.testing.assert_array_equal(found, np.arange(5000) + start)

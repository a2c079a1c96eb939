"""Reductions of large arrays in parts give what numpy gives of the whole, however they are cut."""

from __future__ import annotations

import functools
from contextlib import nullcontext
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.reductions import extremes
from dataflow.kernels.reductions.contiguous import reduce_rows
from dataflow.kernels.reductions.extremes import extremes_of_rows
from dataflow.kernels.reductions.reductions import reduce_in_parts, reduced
from tests.kernels.helped import helpers
from tests.pairwise import pairwise

_CASES = (
    ((1_000_003, 3), (0,)),
    ((50, 6000, 7), (0, 1)),
    ((50, 6000, 7), (0,)),
    ((50, 6000, 7), (1,)),
    ((4, 70_000, 2), (0, 2)),
    ((300_000,), (0,)),
    ((3, 5, 20_000), (0, 1, 2)),
    ((200_000, 1), (0,)),
    ((2, 200_000), (0,)),
    ((128, 14, 14, 64), (0, 1, 2)),
    ((1000, 511), (0,)),
    ((1000, 513), (0,)),
    ((700, 2000), ()),
)


@pairwise({"shape, axes": _CASES, "order": ["C", "F"], "keep": [False, True]})
def test_parts_give_what_the_whole_does(
    shape: tuple[int, ...], axes: tuple[int, ...], order: Any, keep: bool
) -> None:
    x = np.asarray(np.random.default_rng(0).standard_normal(shape), order=order)
    for reduce in (np.add.reduce, np.maximum.reduce):
        found = reduce_in_parts(reduce, reduce, x, axes, keep)
        wanted = reduce(x, axis=axes, keepdims=keep)
        assert np.shape(found) == np.shape(wanted)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-10)


def test_a_nan_reaches_its_own_result_only() -> None:
    x = np.zeros((100_001, 5), np.float32)
    x[100_000, 2] = x[17, 4] = np.nan
    found = reduce_in_parts(np.maximum.reduce, np.maximum.reduce, x, (0,), False)
    np.testing.assert_array_equal(found, np.array([0, 0, np.nan, 0, np.nan], np.float32))


_BLOCKS = (
    *(case for case in _CASES if case[1]),
    ((700, 9), (1,)),
    ((900, 64), (1,)),
    ((3000, 64), (1,)),
    ((64, 1024, 64), (2,)),
    ((64, 1024, 64), (1,)),
    ((3, 70_001), (1,)),
    ((5, 1, 900), (1,)),
    ((33, 65, 7), (1,)),
    ((9, 5, 77), (0, 2)),
    ((4097,), (0,)),
    ((32, 20, 20), (1,)),
    ((3, 1009, 16), (1,)),
    ((10_007, 100), (0,)),
    ((3001, 250), (0,)),
    ((7, 11, 512), (1,)),
    ((300, 2, 9), (1,)),
    ((300, 3, 30), (1,)),
    ((90, 13, 64), (1,)),
    ((256, 16, 9), (1,)),
    ((8, 14, 14, 4, 8), (1, 2, 4)),
    ((8, 16, 14, 14), (0, 2, 3)),
    ((6, 5, 4, 3, 7, 2), (0, 2, 3, 5)),
    ((40, 30, 70), (2, 0)),
    ((1, 30, 90, 1), (0, 3)),
    ((20, 600, 40), (0, 2)),
)


@pairwise(
    {
        "shape, axes": _BLOCKS,
        "dtype": [np.float32, np.float64, np.int32, np.int64, np.uint8],
        "keep": [False, True],
    }
)
def test_reductions_are_numpys(
    shape: tuple[int, ...], axes: tuple[int, ...], dtype: Any, keep: bool
) -> None:
    x = _whole_numbers(shape).astype(dtype)
    for ufunc in (np.maximum, np.minimum, np.add):
        found = reduced(ufunc, x, axes, keep)
        wanted = ufunc.reduce(x, axis=axes, dtype=dtype, keepdims=keep)
        assert found.shape == wanted.shape and found.dtype == dtype
        # These are whole numbers, whose sums no order of adding rounds.
        np.testing.assert_array_equal(found, wanted)
    signs = np.where(x > 0, 1, -1).astype(dtype)
    np.testing.assert_array_equal(
        reduced(np.multiply, signs, axes, keep),
        np.multiply.reduce(signs, axis=axes, dtype=dtype, keepdims=keep),
    )


@functools.lru_cache(maxsize=1)
def _whole_numbers(shape: tuple[int, ...]) -> np.ndarray:
    """Drawn once for the tests of a shape: that takes longer than what they are about."""
    return (np.random.default_rng(1).standard_normal(shape) * 50).astype(np.int64)


@pytest.mark.parametrize("shape", [(300, 9), (300, 64), (2, 5000), (1, 200_000)])
def test_sums_are_as_precise_as_pairwise_ones(shape: tuple[int, int]) -> None:
    x = np.random.default_rng(2).random(shape, np.float32)
    exact = x.astype(np.float64).sum(axis=1)
    found = reduced(np.add, x, (1,), False)
    assert np.abs(found - exact).max() <= 4 * np.spacing(exact.astype(np.float32)).max()


@pytest.mark.parametrize(
    ("shape", "axes"), [((16, 28, 28, 8, 8), (1, 2, 4)), ((64, 32, 28, 28), (0, 2, 3))]
)
def test_sums_along_axes_apart_are_as_precise(
    shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    x = np.random.default_rng(2).random(shape, np.float32)
    exact = x.astype(np.float64).sum(axes)
    found = reduced(np.add, x, axes, False)
    assert np.abs(found - exact).max() <= 8 * np.spacing(exact.astype(np.float32)).max()


@pytest.mark.parametrize("columns", [3, 20, 21, 64, 5000])
def test_a_nan_in_a_row_is_its_extreme(columns: int) -> None:
    x = np.random.default_rng(3).standard_normal((500, columns)).astype(np.float32)
    x[7, 1] = np.nan
    x[8, 0], x[9, 2] = -np.inf, np.inf
    for ufunc in (np.maximum, np.minimum):
        np.testing.assert_array_equal(
            reduced(ufunc, x, (1,), True), ufunc.reduce(x, axis=1, keepdims=True)
        )
        np.testing.assert_array_equal(reduce_rows(ufunc, x), ufunc.reduce(x, -1, keepdims=True))


@pytest.mark.parametrize("has_compiler", [True, False])
@pytest.mark.parametrize("columns", [2, 16, 37, 600])
def test_rows_of_infinities_have_infinite_extremes(
    columns: int, has_compiler: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extremes, "is_there", lambda: has_compiler)
    x = np.random.default_rng(5).standard_normal((1100, columns)).astype(np.float32)
    largest = np.finfo(np.float32).max
    for odd in (np.inf, -np.inf, largest, -largest):
        for row in (3, 1099):
            x[row] = odd
        for ufunc in (np.maximum, np.minimum):
            found = reduced(ufunc, x, (1,), False)
            np.testing.assert_array_equal(found, ufunc.reduce(x, axis=1))


_LENGTHS = (*range(2, 36), 63, 64, 65, 127, 128, 129, 191, 192, 193)


@pytest.mark.parametrize("dtype", ["f", "d", "i", "q"])
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_the_extreme_is_found_wherever_it_stands(name: str, dtype: str) -> None:
    ufunc = getattr(np, name)
    for length in _LENGTHS:
        x = np.random.default_rng(6).integers(-100, 100, (2 * length + 1, length)).astype(dtype)
        for place in range(length):
            x[place, place] = 1000 if name == "maximum" else -1000
            if dtype in "fd":
                x[length + place, place] = np.nan
        np.testing.assert_array_equal(extremes_of_rows(name, x), ufunc.reduce(x, axis=1))


def test_extremes_of_other_types_are_numpys() -> None:
    for dtype in (np.float16, np.uint8, np.bool_):
        assert extremes_of_rows("maximum", np.ones((3000, 4), dtype)) is None
        assert reduced(np.maximum, np.ones((3000, 4), dtype), (1,), False).tolist() == [1] * 3000


@pytest.mark.parametrize("shape", [(8, 300, 20), (4, 50, 6), (20_000, 33)])
def test_a_sum_that_is_no_number_stays_where_it_is(shape: tuple[int, ...]) -> None:
    x = np.ones(shape, np.float32)
    axis = len(shape) - 2
    want = x.sum(axis)
    for odd, column in ((np.nan, 0), (np.inf, 1), (-np.inf, 2), (3e38, 3)):
        x[..., 7, column] = x[..., 30, column] = odd
        want[..., column] = odd if abs(odd) != 3e38 else np.inf
    x[..., 4] = np.where(np.arange(shape[axis]) % 2, np.inf, -np.inf)
    want[..., 4] = np.nan
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(reduced(np.add, x, (axis,), False), want)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shape", [(300, 6000), (3, 700, 900), (5000, 400)])
def test_whoever_helps(shape: tuple[int, ...], threads: int) -> None:
    x = np.random.default_rng(4).integers(-99, 99, shape).astype(np.float32)
    with helpers(threads) if threads > 1 else nullcontext():
        for axis in range(len(shape)):
            np.testing.assert_array_equal(reduced(np.add, x, (axis,), False), x.sum(axis))


def test_zeros_of_either_sign_add_up_to_zero() -> None:
    for axis in (0, 1):
        found = reduced(np.add, np.full((300, 40), -0.0, np.float32), (axis,), False)
        assert not np.signbit(found).any()


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_extremes_of_16_bit_floats(axis: int | None, dtype: Any) -> None:
    x = (np.random.default_rng(0).normal(size=(70, 90)) * 9).astype(dtype)
    x[5, 7], x[6, 8] = np.inf, -np.inf
    for with_nan in (False, True):
        if with_nan:
            x[3, 4] = np.nan
        with tf.Graph().as_default(), tf.Session() as session:
            given = tf.placeholder(dtype)
            extremes = [tf.reduce_max(given, axis), tf.reduce_min(given, axis)]
            found = session.run(extremes, {given: x})
        wide = x.astype(np.float64)
        for have, want in zip(found, (wide.max(axis), wide.min(axis)), strict=True):
            assert have.dtype == dtype
            np.testing.assert_array_equal(have.astype(np.float64), want)


def test_what_is_reduced_along_no_axis_is_nobody_elses() -> None:
    fed = np.zeros(1000, np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(fed)
        axes = tf.placeholder(tf.int32, [None])
        x = tf.placeholder(tf.float32, [None])
        of_variable, of_fed = tf.reduce_sum(variable, axes), tf.reduce_sum(x, axes)
        add = tf.assign_add(variable, np.ones(1000, np.float32))
        session.run(variable.initializer)
        for step in range(5):
            sums = session.run(of_variable, {axes: []})
            session.run(add)
            np.testing.assert_array_equal(sums, np.full(1000, step))
            fetched = session.run(of_fed, {x: fed, axes: []})
            fetched += 1
            assert not fed.any()

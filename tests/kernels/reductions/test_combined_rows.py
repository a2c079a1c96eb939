"""Rows combined by index: against numpy's own element by element way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.reductions import combined_rows
from dataflow.kernels.reductions.combined_rows import combine_rows
from tests.pairwise import pairwise

TYPES = (
    np.float32,
    np.float64,
    np.int32,
    np.int64,
    np.uint32,
    np.uint64,
    np.complex64,
    np.complex128,
)


def _rows(dtype: Any, count: int, *inner: int) -> np.ndarray:
    random = np.random.default_rng(0)
    found = random.normal(size=(count, *inner)) * 50
    if np.dtype(dtype).kind == "c":
        found = found + 1j * random.normal(size=found.shape)
    # From signed ones on: numbers below zero wrap round.
    return (
        found.astype(np.int64).astype(dtype) if np.dtype(dtype).kind == "u" else found.astype(dtype)
    )


@pairwise({"sign": [1, -1], "index_type": [np.int32, np.int64, np.int16], "dtype": TYPES})
def test_is_add_at(dtype: Any, index_type: Any, sign: int) -> None:
    rows, target = _rows(dtype, 700, 2, 3), _rows(dtype, 40, 2, 3)
    indices = np.random.default_rng(1).integers(0, 40, 700).astype(index_type)
    wanted = target.copy()
    function = np.add if sign > 0 else np.subtract
    function.at(wanted, indices, rows)
    assert combine_rows(function, target, indices, rows)
    np.testing.assert_array_equal(target, wanted)


@pairwise(
    {
        "function": [np.maximum, np.minimum, np.multiply],
        "inner": [(), (2, 3), (40,)],
        "dtype": [np.float32, np.float64, np.int32, np.int64],
    }
)
def test_extremes_and_products(function: Any, dtype: Any, inner: tuple[int, ...]) -> None:
    rows, target = _rows(dtype, 700, *inner), _rows(dtype, 40, *inner)
    if np.dtype(dtype).kind == "f":
        rows[5], rows[6], rows[7] = np.nan, np.inf, -0.0
        rows[8:] /= 50
    indices = np.random.default_rng(1).integers(0, 39, 700)
    wanted = target.copy()
    with np.errstate(all="ignore"):
        function.at(wanted, indices, rows)
    assert combine_rows(function, target, indices, rows)
    np.testing.assert_array_equal(target, wanted)


def test_functions_that_no_program_has() -> None:
    target, rows, places = np.ones((4, 2), np.float32), np.ones((600, 2), np.float32), np.zeros(600)
    for function in (np.hypot, np.left_shift, lambda x, y: x):
        assert not combine_rows(function, target, places.astype(int), rows)


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.complex64])
@pytest.mark.parametrize("function", [np.maximum, np.multiply])
def test_other_functions_of_types_that_are_seen_as_others(function: Any, dtype: Any) -> None:
    target = np.ones((4, 2), dtype)
    assert not combine_rows(function, target, np.zeros(600, int), np.full((600, 2), 3, dtype))
    assert (target == 1).all()


@pytest.mark.parametrize("count", [128, 20_000, 600_000])
def test_rows_of_one_number(count: int) -> None:
    """The last of them so many that other threads run meanwhile."""
    rows, target = _rows(np.float32, count), np.zeros(40, np.float32)
    indices = np.random.default_rng(1).integers(0, 40, count)
    for _ in range(2):
        assert combine_rows(np.add, target, indices, rows)
    wanted = np.zeros(40, np.float32)
    for _ in range(2):
        np.add.at(wanted, indices, rows)
    np.testing.assert_array_equal(target, wanted)


def test_special_values_and_strides() -> None:
    rows = np.full((600, 4), -0.0, np.float32)[:, ::2]
    rows[6, 0], rows[7, 1] = np.nan, np.inf
    target = np.full((3, 2), -0.0, np.float32)
    assert combine_rows(np.add, target, np.arange(1200)[::2] % 4 // 2, rows)
    np.testing.assert_array_equal(target, [[np.nan, 0], [0, np.inf], [0, 0]])
    assert np.signbit(target[target == 0]).all()


@pytest.mark.parametrize("bad", [-1, 40, 2**31])
def test_an_index_out_of_bounds_changes_nothing(bad: int) -> None:
    rows, target = _rows(np.float32, 700, 2), np.zeros((40, 2), np.float32)
    indices = np.zeros(700, np.int64)
    indices[350] = bad
    with pytest.raises(IndexError, match="out of bounds for 40 rows"):
        combine_rows(np.add, target, indices, rows)
    assert not target.any()


def test_rows_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        combine_rows(
            np.add, np.zeros((4, 3), np.float32), np.zeros(512, int), np.zeros((512, 2), np.float32)
        )


@pytest.mark.parametrize(
    ("target", "rows", "sign"),
    [
        (np.zeros((4, 2), np.float16), np.ones((600, 2), np.float16), 1),
        (np.zeros((4, 2), np.int8), np.ones((600, 2), np.int8), -1),
        (np.zeros((4, 2), np.bool_), np.ones((600, 2), np.bool_), 1),
        (np.zeros((2, 4), np.float32).T, np.ones((600, 2), np.float32), 1),
        (np.zeros((4, 2), np.float32), np.ones((600, 2)), 1),
        (np.zeros((4, 2), np.float32), np.ones((63, 2), np.float32), 1),
        (np.broadcast_to(np.zeros(2, np.float32), (4, 2)), np.ones((600, 2), np.float32), 1),
    ],
)
def test_what_is_left_to_others(target: Any, rows: Any, sign: int) -> None:
    assert not combine_rows(
        np.add if sign > 0 else np.subtract, target, np.zeros(len(rows), int), rows
    )
    assert not target.any()


@pytest.fixture(params=["loop", "numpy"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With machine code, and as if there were no compiler."""
    if request.param == "numpy":
        monkeypatch.setattr(combined_rows, "is_there", lambda: False)


@pytest.mark.usefixtures("way")
def test_ops_that_use_it() -> None:
    rows = _rows(np.float32, 900, 5)
    indices = np.random.default_rng(2).integers(0, 30, 900)
    sums = np.zeros((30, 5))
    np.add.at(sums, indices, rows.astype(float))
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.Variable(tf.ones([30, 5]))
        session.run(tf.global_variables_initializer())
        places = indices[:, None]
        results = session.run(
            [
                tf.unsorted_segment_sum(rows, indices, 30),
                tf.scatter_nd(places, rows, [30, 5]),
                tf.tensor_scatter_nd_sub(tf.zeros([30, 5]), places, -rows),
            ]
        )
        for result in results:
            np.testing.assert_allclose(result, sums, rtol=1e-4, atol=1e-3)
        added = session.run(tf.scatter_add(table, indices, rows))
        np.testing.assert_allclose(added, 1 + sums, rtol=1e-4, atol=1e-3)
        taken = session.run(tf.scatter_sub(table, indices, rows))
        np.testing.assert_allclose(taken, np.ones((30, 5)), rtol=1e-4, atol=1e-3)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"= 30 is out of range \[0, 30\)"):
            session.run(tf.unsorted_segment_sum(rows, indices + 1, 30))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.float16])
@pytest.mark.parametrize(
    ("op", "function", "infinity"),
    [(tf.segment_max, np.maximum, -np.inf), (tf.segment_min, np.minimum, np.inf)],
)
def test_extremes_of_sorted_segments(op: Any, function: Any, infinity: float, dtype: Any) -> None:
    """Of rows that hold nothing but the type's end, too; zeros where there are no rows."""
    rows = _rows(dtype, 300, 2)
    ids = np.arange(300) // 10 * 2 + 3
    if np.dtype(dtype).kind == "f":
        rows[:10], rows[15, 1] = infinity, np.nan
    else:
        rows[:10] = np.iinfo(dtype).min if infinity < 0 else np.iinfo(dtype).max
    wanted = np.zeros((62, 2), dtype)
    wanted[3::2] = function.reduceat(rows, np.arange(0, 300, 10))
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(op(rows, ids))
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)

"""Choices without branches are those of numpy's `where`, and sums by channel those of `sum`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from dataflow.kernels.elementwise import selection
from dataflow.kernels.elementwise.selection import keep, select, select_rows
from dataflow.kernels.reductions.channels import as_long_rows, channel_sum, repeated

_TYPES = [
    np.dtype(t)
    for t in (
        "float16",
        "float32",
        "float64",
        "int8",
        "uint16",
        "int32",
        "uint64",
        "complex64",
        "complex128",
        ml_dtypes.bfloat16,
    )
]


@pytest.mark.parametrize("dtype", _TYPES, ids=str)
@pytest.mark.parametrize("shape", [(5, 7), (0, 3), (1,)], ids=str)
def test_selection_is_where(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    a = random.integers(0, 9, shape).astype(dtype)
    b = random.integers(0, 9, shape).astype(dtype)
    mask = random.integers(0, 2, shape).astype(bool)
    for given in ((mask, a, b), (mask[::-1], a[::-1], b)):
        chosen = select(np, *given)
        assert chosen.dtype == dtype
        np.testing.assert_array_equal(chosen, np.where(*given))
    kept = keep(np, mask, a)
    assert kept.dtype == dtype
    np.testing.assert_array_equal(kept, np.where(mask, a, dtype.type(0)))


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex64, np.complex128], ids=str)
def test_selection_among_many(dtype: Any) -> None:
    random = np.random.default_rng(0)
    shape = (531, 997)
    a, b = (random.integers(0, 99, shape).astype(dtype) for _ in range(2))
    mask = random.random(shape) < 0.3
    turned = np.asfortranarray(mask)
    for given in ((mask, a, b), (turned, a, b), (mask, a[::-1], b), (mask.T, a.T, b.T)):
        chosen = select(np, *given)
        assert chosen.dtype == dtype
        np.testing.assert_array_equal(chosen, np.where(*given))
        np.testing.assert_array_equal(keep(np, *given[:2]), np.where(*given[:2], dtype(0)))
    one, other = dtype(7), np.asarray(dtype(9))
    for given in ((mask, a, one), (mask, other, b), (mask, one, other), (turned, one, b)):
        filled = np.empty(shape, dtype)
        assert select(np, *given, filled) is filled
        for chosen in (select(np, *given), filled):
            assert chosen.dtype == dtype and chosen.shape == shape
            np.testing.assert_array_equal(chosen, np.where(*given))


@pytest.mark.parametrize("dtype", [np.float32, np.complex128], ids=str)
def test_selection_fills_what_it_is_given(dtype: Any) -> None:
    random = np.random.default_rng(0)
    shape = (531, 997)
    a, b = (random.integers(0, 99, shape).astype(dtype) for _ in range(2))
    mask = random.random(shape) < 0.3
    for out in (np.empty(shape, dtype), np.empty(shape[::-1], dtype).T):
        assert select(np, mask, a, b, out) is out
        np.testing.assert_array_equal(out, np.where(mask, a, b))


@pytest.mark.parametrize("dtype", [*_TYPES, np.dtype(object)], ids=str)
@pytest.mark.parametrize(
    "shape", [(64, 64), (65, 64), (3, 2, 1500), (1, 5000), (5000, 1), (0, 3), (5000, 0)], ids=str
)
def test_whole_rows_are_where(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    a, b = (random.integers(0, 99, shape).astype(dtype) for _ in range(2))
    mask = (random.random(shape[0]) < 0.4).reshape(-1, *(1,) * (len(shape) - 1))
    before = a.copy(), b.copy()
    for one, other in ((a, b), (np.asfortranarray(a), b), (a, b[..., ::-1])):
        expected = np.where(mask, one, other)
        found = select_rows(mask, one, other, None)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected)
        for out in (np.empty_like(expected), np.empty_like(expected, order="F")):
            assert select_rows(mask, one, other, out) is out
            np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(a, before[0])
    np.testing.assert_array_equal(b, before[1])


def test_rows_too_long_for_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError):
        np.dtype((np.void, selection._LONGEST + 1))
    monkeypatch.setattr(selection, "_LONGEST", 79)
    for columns in (19, 20):
        a, b = np.zeros((300, columns), np.float32), np.ones((300, columns), np.float32)
        mask = np.arange(300)[:, np.newaxis] % 3 == 0
        found = select_rows(mask, a, b, None)
        np.testing.assert_array_equal(found, np.where(mask, a, b))


def test_selection_of_scalars() -> None:
    one, two = np.float32(1), np.float32(2)
    assert select(np, np.True_, one, two) == 1
    assert select(np, np.False_, one, two) == 2
    assert keep(np, np.False_, two) == 0
    assert keep(np, np.False_, two).dtype == np.float32


def test_what_is_not_kept_leaves_no_trace() -> None:
    values = np.array([np.nan, np.inf, -np.inf, 1], np.float32)
    np.testing.assert_array_equal(keep(np, np.zeros(4, bool), values), np.zeros(4))
    chosen = select(np, np.array([True, False, False, True]), values, values[::-1])
    np.testing.assert_array_equal(chosen, [np.nan, -np.inf, np.inf, 1])


@pytest.mark.parametrize(
    "shape", [(3, 5), (8, 4, 4, 3), (2, 7, 7, 6), (0, 3), (4, 0), (1, 20000), (4096, 10)], ids=str
)
def test_sums_and_vectors_by_channel(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape)
    axes = tuple(range(x.ndim - 1))
    np.testing.assert_allclose(channel_sum(x, np.float64), x.sum(axis=axes), atol=1e-9)
    vector = np.arange(shape[-1], dtype=np.float64)
    rows = as_long_rows(x)
    total = (rows + repeated(vector, rows)).reshape(shape)
    np.testing.assert_array_equal(total, x + vector)


def test_sums_by_channel_wrap_around_as_their_type() -> None:
    x = np.full((64, 2), 100, np.int8)
    np.testing.assert_array_equal(channel_sum(x, np.int8), np.array([0, 0], np.int8))

"""Copies of transposed arrays are the same numbers in the order of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.actors.threads.pool import SessionThreads
from dataflow.kernels.memory.packing import pack_into, packed
from dataflow.kernels.threads.parallel import Assisted

_CASES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((257, 515), (1, 0)),
    ((1000, 70), (1, 0)),
    ((3, 600, 65), (0, 2, 1)),
    ((20, 30, 40, 5), (0, 2, 1, 3)),
    ((64, 128, 64), (2, 1, 0)),
    ((64, 128, 128), (2, 0, 1)),
    ((5000, 64), (1, 0)),
    ((50, 40, 3), (1, 0, 2)),
    ((300, 500, 2), (1, 0, 2)),
    ((4, 700, 64), (0, 2, 1)),
    ((8,), (0,)),
    ((0, 500), (1, 0)),
    ((), ()),
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.complex128, np.bool_, "O"])
@pytest.mark.parametrize(("shape", "order"), _CASES)
def test_copies_are_equal_and_in_order(
    shape: tuple[int, ...], order: tuple[int, ...], dtype: Any
) -> None:
    x = np.random.default_rng(0).integers(0, 2**20, shape)
    x = np.asarray(x).astype(dtype).transpose(order)
    for view in (x, x[..., ::-1] if x.ndim else x, x[1:] if x.ndim else x):
        copy = packed(view)
        assert copy.flags.c_contiguous and copy.flags.owndata and copy.dtype == view.dtype
        assert not np.shares_memory(copy, view)
        np.testing.assert_array_equal(copy, view)


def test_an_array_is_filled_in_place() -> None:
    x = np.arange(600 * 300.0).reshape(600, 300).T
    out = np.zeros((300, 600))
    pack_into(out, x)
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((1000, 1501), (1, 0)),
        ((300, 20, 200), (1, 0, 2)),
        ((1 << 20,), (0,)),
        ((7, 9, 1 << 15), (0, 2, 1)),
    ],
)
def test_large_ones_on_several_threads(shape: tuple[int, ...], order: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).normal(size=shape).transpose(order)[::-1]
    threads = SessionThreads(2, 2, True)
    try:
        with Assisted(threads.helpers):
            np.testing.assert_array_equal(packed(x), x)
    finally:
        threads.close()

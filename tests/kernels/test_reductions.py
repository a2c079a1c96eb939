"""Reductions of large arrays in parts give what numpy gives of the whole, however they are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.reductions import reduce_in_parts

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


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("shape", "axes"), _CASES)
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

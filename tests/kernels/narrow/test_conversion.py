"""16-bit floats and float32 against numpy's and ml_dtypes' conversions, number by number."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from dataflow.kernels.narrow.conversion import LEAST, narrow, widen
from tests.kernels.onednn_paths import switched_off

_TYPES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)]


def _all(dtype: Any) -> np.ndarray:
    """Each number that there is of a type."""
    return np.arange(1 << 16, dtype=np.uint16).view(dtype)


def _assert_same(found: Any, expected: Any) -> None:
    """Bits are compared, but those of NaNs."""
    assert found.dtype == expected.dtype
    bits = np.dtype(f"u{found.itemsize}")
    same = found.view(bits) == expected.view(bits)
    np.testing.assert_array_equal(same | (np.isnan(found) & np.isnan(expected)), True)


def _hard(dtype: Any) -> np.ndarray:
    """Numbers of float32 where rounding changes, those beside them, and any bits."""
    with np.errstate(invalid="ignore"):
        known = np.sort(_all(dtype).astype(np.float32))
    known = known[np.isfinite(known)]
    middle = ((known[1:].astype(np.float64) + known[:-1]) / 2).astype(np.float32)
    beside = [np.nextafter(middle, np.float32(end)) for end in (-np.inf, np.inf)]
    any_bits = np.random.default_rng(0).integers(0, 1 << 32, 1 << 17, np.uint32).view(np.float32)
    odd = np.array([np.inf, np.nan, 0.0, -0.0, 65519.99, 65520, -65520, 3e38, 1e-45], np.float32)
    found = np.concatenate([known, middle, *beside, any_bits, odd])
    # oneDNN makes 0 of subnormal numbers, as TensorFlow does.
    is_subnormal = (np.absolute(found) < np.finfo(np.float32).tiny) & (found != 0)
    return found[~is_subnormal] if dtype != np.float16 else found


@pytest.mark.parametrize("dtype", _TYPES, ids=str)
@pytest.mark.parametrize("is_off", [False, True])
def test_all_numbers_are_widened(dtype: Any, is_off: bool) -> None:
    numbers = _all(dtype)
    with np.errstate(invalid="ignore"), switched_off() if is_off else nullcontext():
        _assert_same(widen(numbers), numbers.astype(np.float32))


@pytest.mark.parametrize("dtype", _TYPES, ids=str)
@pytest.mark.parametrize("is_off", [False, True])
def test_numbers_are_rounded_to_the_nearest(dtype: Any, is_off: bool) -> None:
    numbers = _hard(dtype)
    with np.errstate(all="ignore"):
        expected = numbers.astype(dtype)
        if not is_off:
            _assert_same(narrow(numbers, dtype), expected)
            return
        with switched_off():
            _assert_same(narrow(numbers, dtype), expected)


def test_bfloat16_has_no_subnormal_numbers_in_large_arrays_or_all() -> None:
    numbers = np.full(LEAST, np.float32(-1e-39))
    found = narrow(numbers, _TYPES[1])
    assert set(found.astype(np.float32).tolist()) in (
        {0.0},
        {float(np.float32(numbers[0].astype(_TYPES[1])))},
    )


@pytest.mark.parametrize("dtype", _TYPES, ids=str)
def test_sizes_axes_and_strides(dtype: Any) -> None:
    random = np.random.default_rng(0)
    for shape in ((LEAST - 1,), (LEAST,), (3, LEAST), (1, LEAST, 1), (0, LEAST), (), (9, 30_001)):
        wide = np.asarray(random.standard_normal(shape), np.float32)
        views = [wide, wide.T, wide[..., ::3] if wide.ndim else wide, wide[::-1] if shape else wide]
        for view in views:
            few = view.astype(dtype)
            _assert_same(narrow(view, dtype), few)
            _assert_same(widen(few), few.astype(np.float32))
            _assert_same(widen(few.T), few.T.astype(np.float32))

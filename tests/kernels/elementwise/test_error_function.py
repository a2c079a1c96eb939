"""The float32 error function against scipy's in float64, over all magnitudes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from dataflow.kernels.elementwise.error_function import error_function
from tests.kernels.onednn_paths import switched_off

_ERF = error_function(special.erf)


def _units_off(x: np.ndarray) -> np.ndarray:
    want = special.erf(x.astype(np.float64))
    unit = np.spacing(np.abs(want).astype(np.float32)).astype(np.float64)
    return np.abs(_ERF(x).astype(np.float64) - want) / unit


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_few_units_in_the_last_place(sign: int) -> None:
    wide = np.linspace(0, 8, 500_001).astype(np.float32)
    tiny = np.logspace(-37, 0, 100_001).astype(np.float32)
    for x in (wide, tiny):
        assert _units_off(np.float32(sign) * x).max() <= 8


def test_the_ends() -> None:
    x = np.zeros(5000, np.float32)
    x[:7] = [np.nan, np.inf, -np.inf, -0.0, 3.4e38, 1e-45, -1e-45]
    found = _ERF(x)
    np.testing.assert_array_equal(found[:5], np.float32([np.nan, 1, -1, -0.0, 1]))
    assert np.signbit(found[3])
    assert np.abs(found[5:7]).max() <= 2e-45
    assert np.abs(_ERF(np.linspace(-9, 9, 100_000, dtype=np.float32))).max() == 1
    np.testing.assert_array_equal(x[4:6], np.float32([3.4e38, 1e-45]))


def test_a_nan_in_a_large_array() -> None:
    x = np.linspace(-5, 5, 300_000, dtype=np.float32)
    expected = _ERF(x)
    x[[7, 150_000, 299_999]] = expected[[7, 150_000, 299_999]] = np.nan
    np.testing.assert_array_equal(_ERF(x), expected)


def test_views_targets_and_sizes() -> None:
    x = np.random.default_rng(0).standard_normal((60, 500)).astype(np.float32)
    for view in (x, x.T, x[::2, ::-1], x[:3], x[0, :5], x[0, 0], x[:0]):
        np.testing.assert_allclose(_ERF(view), special.erf(view), rtol=1e-6, atol=1e-9)
        for shape, index in ((view.shape, ...), ((*view.shape, 2), (..., 0))):
            target = np.zeros(shape, np.float32)[index]
            if view.ndim:
                assert _ERF(view, out=target) is target
                np.testing.assert_allclose(target, special.erf(view), rtol=1e-6, atol=1e-9)


def test_onednn_and_numpy_make_the_same_bits() -> None:
    x = np.random.default_rng(0).standard_normal(100_000).astype(np.float32) * 3
    x[::1000], x[5:8] = 0, [np.inf, -np.inf, -0.0]
    found = _ERF(x)
    with switched_off():
        expected = _ERF(x)
    np.testing.assert_array_equal(found.view(np.int32), expected.view(np.int32))
    # What lies at no multiple of an element's size is no address for vector code.
    shifted = np.frombuffer(b"?" + x.tobytes(), np.float32, offset=1)
    np.testing.assert_array_equal(_ERF(shifted), expected)


def test_other_types_are_handed_on() -> None:
    x = np.linspace(-3, 3, 5000)
    np.testing.assert_array_equal(_ERF(x), special.erf(x))

"""Quick functions are called as numpy's, whatever the arrays are and however they lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from dataflow.kernels.elementwise.quick import quick

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "in order": lambda x: x,
    "turned": lambda x: x.T,
    "strided": lambda x: x[::2, 1::3],
    "backwards": lambda x: x[:, ::-1],
    "read-only": lambda x: np.broadcast_to(x[0], (4, x.shape[1])),
    "a row": lambda x: x[0],
    "a number": lambda x: x[0, 0],
    "no axes": lambda x: x[0, 0].reshape(()),
    "empty": lambda x: x[:0],
    "large": lambda x: np.resize(x, (700, 1000)),
}
x, y = np.random.default_rng(0).standard_normal((2, 7, 20)).astype(np.float32)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_of_one_operand(layout: str, dtype: Any) -> None:
    given = LAYOUTS[layout](x.astype(dtype))
    found = quick(np).tanh(given)
    assert type(found) is type(np.tanh(given)) and found.dtype == dtype
    np.testing.assert_allclose(found, np.tanh(given), rtol=5e-7)
    if isinstance(given, np.ndarray) and given.flags.writeable:
        out = np.full(given.shape, 7, dtype)
        assert quick(np).tanh(given, out=out) is out
        np.testing.assert_array_equal(out, found)
        apart = np.full((*given.shape, 2), 7, dtype)
        quick(np).tanh(given, out=apart[..., 0])
        np.testing.assert_array_equal(apart[..., 0], found)
        assert (apart[..., 1] == 7).all()
        place = given.copy()
        np.testing.assert_array_equal(quick(np).tanh(place, out=place), found)


@pytest.mark.parametrize("first", LAYOUTS)
def test_operands_are_broadcast(first: str) -> None:
    given = LAYOUTS[first](x)
    for other in (np.float32(0.25), np.resize(y, np.shape(given)), np.asfortranarray(y)[:1, :1]):
        found = quick(np).arctan2(given, other)
        wanted = np.arctan2(given, other)
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=5e-7)


def test_other_types_are_numpys() -> None:
    for dtype in (np.float16, ml_dtypes.bfloat16, np.complex64, np.int32):
        given = x.astype(dtype)
        np.testing.assert_array_equal(quick(np).exp(given), np.exp(given))
    mixed = quick(np).arctan2(x, y.astype(np.float64))
    np.testing.assert_array_equal(mixed, np.arctan2(x, y.astype(np.float64)))
    assert quick(LAYOUTS) is LAYOUTS

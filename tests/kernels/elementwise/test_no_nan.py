"""Results are 0 wherever the second operand is, and what the function gives elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from dataflow.kernels.elementwise.no_nan import unless_zero
from tests.kernels.helped import helpers
from tests.pairwise import pairwise

ODD = (0.0, -0.0, 1e-40, -1e-40, np.inf, -np.inf, np.nan, 3e38)
TYPES = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64, np.complex64, np.complex128)
random = np.random.default_rng(7)


def drawn(shape: tuple[int, ...], dtype: Any, zeros: float) -> Any:
    found = (random.normal(size=shape) * (random.random(shape) >= zeros)).astype(dtype)
    if found.size > len(ODD):
        with np.errstate(over="ignore"):
            found.flat[:: max(1, found.size // len(ODD))][: len(ODD)] = np.array(ODD).astype(dtype)
    return found


def expected(function: Callable[..., Any], x: Any, y: Any) -> Any:
    found = function(x, y)
    return np.where(y == 0, found.dtype.type(0), found)


@pairwise({"zeros": [0.0, 0.5, 1.0], "dtype": TYPES, "function": [np.true_divide, np.multiply]})
@np.errstate(all="ignore")
def test_it_is_where(function: Callable[..., Any], dtype: Any, zeros: float) -> None:
    run = unless_zero(np, function)
    shapes = (((40, 30),) * 2, ((40, 1), (1, 30)), ((40, 30), ()), ((), (7,)), ((0, 3), (3,)))
    for first, second in shapes:
        x, y = drawn(first, dtype, 0.3), drawn(second, dtype, zeros)
        wanted = expected(function, x, y)
        for out in (None, np.empty(wanted.shape, dtype)):
            found = run(x, y, out=out)
            assert found.dtype == dtype
            assert out is None or found is out
            np.testing.assert_array_equal(found, wanted)


@np.errstate(all="ignore")
def test_many_by_several_threads() -> None:
    run = unless_zero(np, np.true_divide)
    x, y = drawn((1200, 900), np.float32, 0.1), drawn((1200, 900), np.float32, 0.4)
    with helpers(3):
        for a, b in ((x, y), (x.T, y.T), (x[::-1], y)):
            found = run(a, b)
            wanted = expected(np.true_divide, a, b)
            np.testing.assert_array_equal(found, wanted)
            np.testing.assert_array_equal(np.signbit(found[b == 0]), False)


def test_numbers_stay_numbers() -> None:
    run = unless_zero(np, np.true_divide)
    with np.errstate(all="ignore"):
        for x, y, wanted in ((1, 0, 0), (np.nan, 0, 0), (3, 2, 1.5)):
            found = run(np.float32(x), np.float32(y))
            assert isinstance(found, np.float32)
            assert found == wanted

"""Functions of 16-bit floats: each result is float32's, rounded once, whatever the size."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from dataflow.kernels.narrow.conversion import BLOCK, LEAST
from dataflow.kernels.narrow.functions import functions

_TYPES = [np.float16, ml_dtypes.bfloat16]
_SHAPES = [
    ((LEAST - 1,), (LEAST - 1,)),
    ((LEAST,), (LEAST,)),
    ((BLOCK + 1,), (1,)),
    ((2 * BLOCK + 7,), ()),
    ((300, 401), (401,)),
    ((300, 401), (300, 1)),
    ((1, 300, 401), (300, 1)),
    ((1, 20_000), (3, 1)),
    ((2, 1, 9000), (5, 1)),
    ((0, 9000), (9000,)),
]


def _numbers(shape: Any, dtype: Any, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = np.asarray(random.standard_normal(shape) * 10 ** random.uniform(-4, 3, shape))
    values[random.random(shape) < 0.01] = 0
    values[random.random(shape) < 0.001] = np.inf
    return values.astype(dtype)


def _assert_as_float32(name: str, found: Any, *operands: Any) -> None:
    expected = getattr(np, name)(*[x.astype(np.float32) for x in operands])
    expected = expected if expected.dtype == bool else expected.astype(found.dtype)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.astype(np.float32), expected.astype(np.float32))


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize("shapes", _SHAPES, ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_two_operands(dtype: Any, shapes: Any) -> None:
    x, y = (_numbers(shape, dtype, seed) for seed, shape in enumerate(shapes))
    for name in ("add", "subtract", "multiply", "true_divide", "maximum", "less", "equal"):
        for pair in ((x, y), (y, x)):
            _assert_as_float32(name, getattr(functions, name)(*pair), *pair)


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_one_operand_targets_and_strides(dtype: Any) -> None:
    x = _numbers((210, 402), dtype, 0)
    for view in (x, x.T, x[:, ::2], x[::-1], x[:1], x[:0], x[0, 0]):
        for name in ("square", "sqrt", "reciprocal", "floor", "negative", "absolute", "isnan"):
            _assert_as_float32(name, getattr(functions, name)(view), view)
            if view.ndim and name != "isnan":
                target = np.zeros((*view.shape, 2), dtype)[..., 0]
                assert getattr(functions, name)(view, out=target) is target
                _assert_as_float32(name, target, view)
        _assert_as_float32("add", functions.add(view, view.T.T), view, view)


@pytest.mark.parametrize("dtype", _TYPES)
def test_numbers_and_truth_values_beside_arrays(dtype: Any) -> None:
    x = _numbers((LEAST,), dtype, 0)
    third = dtype(1 / 3)
    _assert_as_float32("multiply", functions.multiply(x, third), x, third)
    _assert_as_float32("multiply", functions.multiply(1 / 3, x), third, x)
    is_positive = x > 0
    _assert_as_float32("multiply", functions.multiply(x, is_positive), x, is_positive)


def test_operands_that_do_not_fit_fail_as_in_numpy() -> None:
    x = np.zeros((LEAST, 2), np.float16)
    with pytest.raises(ValueError, match="could not be broadcast"):
        functions.add(x, x[:, :1].T)


def test_what_is_no_elementwise_function_is_numpys() -> None:
    assert functions.where is np.where
    assert functions.add.reduce(np.ones(3)) == 3
    wide = np.ones(LEAST, np.float32)
    assert functions.add(wide, wide).dtype == np.float32
    assert functions.add(wide, wide.astype(np.float16)).dtype == np.float32

"""Computing 16-bit floats in float32, where one rounding at the end is better than many."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.narrow.conversion import narrow, widen
from dataflow.kernels.narrow.functions import functions
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

NARROW = frozenset({dtypes.half, dtypes.bfloat16})
"""Types that composed kernels compute in float32."""


def widened(function: Callable[..., Any], dtype: DType) -> Callable[..., Any]:
    """The function, computing in float32 if `dtype` is a 16-bit float; its result has `dtype`.

    Args:
      function: Takes arrays of `dtype` and gives one of `dtype`.
      dtype: Element type of inputs and output.
    """
    if dtype.base_dtype not in NARROW:
        return function
    kind = dtype.base_dtype.as_numpy_dtype

    @functools.wraps(function)
    def run(*arrays: Any, out: Any = None) -> Any:
        result = narrow(function(*[widen(a) for a in arrays]), kind)
        if out is None:
            return result
        out[...] = result
        return out

    return run


def module_for(xp: Any, *types: DType) -> Any:
    """The array library for kernels of these types: another for 16-bit floats, if it is numpy."""
    return functions if xp is np and not NARROW.isdisjoint(types) else xp


def accumulator(dtype: DType) -> Any:
    """Type in which sums over elements of `dtype` are kept."""
    base = dtype.base_dtype
    return np.float32 if base in NARROW else base.as_numpy_dtype


def reuse(array: Any) -> Any:
    """`out=` for an array nobody else holds: itself, or None for a numpy scalar."""
    return array if array.ndim else None

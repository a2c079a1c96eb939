"""Kernels of sums, differences, products and extremes of two tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise.formula import computed, steps_of, tells
from dataflow.kernels.elementwise.no_nan import unless_zero
from dataflow.values import dtypes

_FUNCTIONS: Final = {
    "Add": "add",
    "AddV2": "add",
    "Sub": "subtract",
    "Mul": "multiply",
    "Maximum": "maximum",
    "Minimum": "minimum",
}


@kernel(*_FUNCTIONS, elementwise=True)
def function(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return getattr(xp, _FUNCTIONS[node.op])  # type: ignore[no-any-return]


@kernel("Add", dtypes={"T": [dtypes.string]}, elementwise=True)
def join(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(x: Any, y: Any) -> Any:
        joined = np.add(x, y)
        if isinstance(joined, np.ndarray):
            return joined
        scalar = np.empty((), dtype=object)
        scalar[()] = joined
        return scalar

    return run


@kernel("MulNoNan", elementwise=True, broadcasts=True, takes_out=True)
def multiply_no_nan(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return tells(unless_zero(xp, xp.multiply), steps_of(_multiply_no_nan, 2))


def _multiply_no_nan(xp: Any, x: Any, y: Any) -> Any:
    return xp.where(xp.equal(y, 0), 0, x * y)


@kernel("SquaredDifference", elementwise=True, broadcasts=True, takes_out=True)
def squared_difference(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if node.input_dtypes[0].is_complex:
        return lambda x, y, out=None: _times_conjugate(xp, xp.subtract(x, y, out=out), out)
    return computed(node, xp, _squared_difference, widens=False)


def _squared_difference(xp: Any, x: Any, y: Any) -> Any:
    return xp.square(x - y)


def _times_conjugate(xp: Any, x: Any, out: Any) -> Any:
    return xp.multiply(xp.conj(x), x, out=out)

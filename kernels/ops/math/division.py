"""Kernels of the divisions and their remainders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.element_types import COMPLEX, FLOATS, INTEGERS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise.divisions import float_remainder, floor_divide, integer_remainder
from dataflow.kernels.elementwise.no_nan import unless_zero
from dataflow.values import dtypes


@kernel("RealDiv", elementwise=True, dtypes={"T": (*FLOATS, *COMPLEX)})
@kernel("Div", elementwise=True, dtypes={"T": (*FLOATS, *COMPLEX)})
def divide(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.true_divide  # type: ignore[no-any-return]


@kernel("DivNoNan", elementwise=True, broadcasts=True, takes_out=True)
def divide_no_nan(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return unless_zero(xp, xp.true_divide)


@kernel("FloorDiv", elementwise=True, dtypes={"T": FLOATS})
def floor_divide_floats(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda x, y: xp.floor(xp.true_divide(x, y))


@kernel("TruncateDiv", elementwise=True, dtypes={"T": FLOATS})
def truncate_divide(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda x, y: xp.trunc(xp.true_divide(x, y))


@kernel("FloorMod", elementwise=True, dtypes={"T": FLOATS})
def floor_mod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return float_remainder if xp is np else xp.remainder


@kernel("Mod", "TruncateMod", elementwise=True, dtypes={"T": (dtypes.float32, dtypes.float64)})
def truncate_mod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.fmod  # type: ignore[no-any-return]


@kernel("FloorDiv", elementwise=True, dtypes={"T": INTEGERS})
def integer_floor_divide(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _checked(floor_divide if xp is np else xp.floor_divide, xp)


@kernel("FloorMod", elementwise=True, dtypes={"T": INTEGERS})
def integer_floor_mod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _checked(integer_remainder if xp is np else xp.remainder, xp)


@kernel("Mod", "TruncateMod", elementwise=True, dtypes={"T": (dtypes.int32, dtypes.int64)})
def integer_truncate_mod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _checked(xp.fmod, xp)


@kernel("Div", elementwise=True, dtypes={"T": INTEGERS})
@kernel("TruncateDiv", elementwise=True, dtypes={"T": INTEGERS})
def integer_truncate_divide(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if node.input_dtypes[0].is_unsigned:
        return _checked(xp.floor_divide, xp)
    # Without its remainder, x divides evenly and rounding does not matter.
    return _checked(lambda x, y: xp.floor_divide(x - xp.fmod(x, y), y), xp)


def _checked(function: Callable[..., Any], xp: Any) -> Callable[..., Any]:
    """Refuses zero divisors; not on a GPU, where looking would wait for the device."""
    if xp is not np:
        return function

    def run(x: Any, y: Any) -> Any:
        if x.size and not y.all():
            raise invalid("Integer division by zero")
        return function(x, y)

    return run

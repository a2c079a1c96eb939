"""Kernels of the divisions and their remainders.

Zero divisors are not looked for: that would wait for the device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.element_types import COMPLEX, FLOATS, INTEGERS
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise.formula import computed, steps_of, tells
from dataflow.kernels.elementwise.no_nan import unless_zero
from dataflow.values import dtypes


@kernel("RealDiv", elementwise=True, dtypes={"T": (*FLOATS, *COMPLEX)})
@kernel("Div", elementwise=True, dtypes={"T": (*FLOATS, *COMPLEX)})
def divide(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.true_divide  # type: ignore[no-any-return]


@kernel("DivNoNan", elementwise=True, broadcasts=True, takes_out=True)
def divide_no_nan(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return tells(unless_zero(xp, xp.true_divide), steps_of(_divide_no_nan, 2))


def _divide_no_nan(xp: Any, x: Any, y: Any) -> Any:
    return xp.where(xp.equal(y, 0), 0, x / y)


@kernel("FloorDiv", elementwise=True, broadcasts=True, takes_out=True, dtypes={"T": FLOATS})
def floor_divide_floats(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return computed(node, xp, _floor_of_quotient, widens=False)


def _floor_of_quotient(xp: Any, x: Any, y: Any) -> Any:
    return xp.floor(x / y)


@kernel("TruncateDiv", elementwise=True, dtypes={"T": FLOATS})
def truncate_divide(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda x, y: xp.trunc(xp.true_divide(x, y))


@kernel("FloorMod", elementwise=True, dtypes={"T": FLOATS})
def floor_mod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.remainder  # type: ignore[no-any-return]


@kernel("Mod", "TruncateMod", elementwise=True, dtypes={"T": (dtypes.float32, dtypes.float64)})
def truncate_mod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.fmod  # type: ignore[no-any-return]


@kernel("FloorDiv", elementwise=True, dtypes={"T": INTEGERS})
def integer_floor_divide(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.floor_divide  # type: ignore[no-any-return]


@kernel("FloorMod", elementwise=True, dtypes={"T": INTEGERS})
def integer_floor_mod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.remainder  # type: ignore[no-any-return]


@kernel("Mod", "TruncateMod", elementwise=True, dtypes={"T": (dtypes.int32, dtypes.int64)})
def integer_truncate_mod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.fmod  # type: ignore[no-any-return]


@kernel("Div", elementwise=True, dtypes={"T": INTEGERS})
@kernel("TruncateDiv", elementwise=True, dtypes={"T": INTEGERS})
def integer_truncate_divide(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if node.input_dtypes[0].is_unsigned:
        return xp.floor_divide  # type: ignore[no-any-return]
    # Without its remainder, x divides evenly and rounding does not matter.
    return lambda x, y: xp.floor_divide(x - xp.fmod(x, y), y)

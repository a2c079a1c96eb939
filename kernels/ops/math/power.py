"""Kernels of powers, angles, and the products and quotients that are 0 where x is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.element_types import SIGNED
from dataflow.kernels.contract.precision import reuse
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise.quick import function_of, quick
from dataflow.values import dtypes


@kernel("Pow", elementwise=True)
def power(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.power  # type: ignore[no-any-return]


@kernel("Pow", elementwise=True, takes_out=True, dtypes={"T": (dtypes.float32, dtypes.float64)})
def float_power(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Powers. Cubes are two products; what is to the power of a half is a root."""

    def run(x: Any, y: Any, out: Any = None) -> Any:
        if not y.ndim:
            if y == 3:
                square = xp.multiply(x, x, out=out)
                return xp.multiply(square, x, out=reuse(square))
            if y == 0.5:
                return xp.sqrt(x, out=out)
        return xp.power(x, y, out=out)

    return run


@kernel("Pow", elementwise=True, dtypes={"T": SIGNED})
def integer_power(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.power  # type: ignore[no-any-return]


@kernel("Atan2", elementwise=True, takes_out=True, broadcasts=True)
def angle(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return function_of(node, xp, "arctan2")


@kernel("NextAfter", elementwise=True)
def next_after(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.nextafter  # type: ignore[no-any-return]


@kernel("Xdivy", elementwise=True, broadcasts=True)
def x_over_y(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _zero_at_zero(xp, xp.true_divide)


@kernel("Xlogy", elementwise=True, broadcasts=True)
def x_log_y(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _zero_at_zero(xp, lambda x, y: x * quick(xp).log(y))


@kernel("Xlog1py", elementwise=True, broadcasts=True)
def x_log1p_y(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _zero_at_zero(xp, lambda x, y: x * quick(xp).log1p(y))


def _zero_at_zero(xp: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    def run(x: Any, y: Any) -> Any:
        value = function(x, y)
        return xp.where(x == 0, value.dtype.type(0), value)[()]

    return run

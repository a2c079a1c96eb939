"""Kernels of the divisions and remainders of integers, refusing zero, and of floats, faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.elementwise.divisions import float_remainder, floor_divide, integer_remainder
from dataflow.kernels.ops.math import division as generic


@override(generic.floor_mod, device="CPU")
def floor_mod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return float_remainder


@override(generic.integer_floor_divide, device="CPU")
def integer_floor_divide(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _checked(floor_divide)


@override(generic.integer_floor_mod, device="CPU")
def integer_floor_mod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _checked(integer_remainder)


@override(generic.integer_truncate_mod, device="CPU")
def integer_truncate_mod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _checked(generic.integer_truncate_mod(node, xp))


@override(generic.integer_truncate_divide, device="CPU")
def integer_truncate_divide(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _checked(generic.integer_truncate_divide(node, xp))


def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Refuses zero divisors."""

    def run(x: Any, y: Any) -> Any:
        if x.size and not y.all():
            raise invalid("Integer division by zero")
        return function(x, y)

    return run

"""Kernels of ops that pass values on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.values import dtypes


@kernel("Identity", "StopGradient", "PreventGradient", "PlaceholderWithDefault")
def pass_on(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The input itself: values are immutable, so that nothing has to be copied."""
    return lambda value: value


@kernel("Snapshot", dtypes={"T": (dtypes.bool, *NUMBERS)})
def snapshot(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """A copy of the input."""
    return xp.copy  # type: ignore[no-any-return]


@kernel("IdentityN", passes=True)
def pass_all(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The inputs themselves."""
    if len(node.input_dtypes) == 1:
        return lambda value: value
    return lambda *values: values


@kernel("NoOp")
def no_op(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Nothing."""
    return lambda: None

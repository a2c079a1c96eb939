"""Kernel of the logistic function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise.formula import computed


@kernel("Sigmoid", elementwise=True, takes_out=True)
def sigmoid(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return computed(node, xp, _sigmoid)


def _sigmoid(xp: Any, x: Any) -> Any:
    """1 / (1 + exp(-x)); where the exponential overflows the result is 0, as it should be."""
    return xp.reciprocal(xp.exp(-x) + 1)

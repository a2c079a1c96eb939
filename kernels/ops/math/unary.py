"""Kernels of powers, roots, exponentials, logarithms, and of their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.kernels.contract.element_types import COMPLEX, FLOATS
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise.formula import computed
from dataflow.kernels.elementwise.quick import function_of

_FUNCTIONS: Final = {
    "Neg": "negative",
    "Abs": "absolute",
    "Square": "square",
    "Sqrt": "sqrt",
    "Exp": "exp",
    "Expm1": "expm1",
    "Log": "log",
    "Log1p": "log1p",
}


@kernel(*_FUNCTIONS, elementwise=True, takes_out=True)
def function(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return function_of(node, xp, _FUNCTIONS[node.op])


_RECIPROCAL_TYPES: Final = {"T": (*FLOATS, *COMPLEX)}


@kernel("Reciprocal", "Inv", elementwise=True, dtypes=_RECIPROCAL_TYPES)
def reciprocal(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.reciprocal  # type: ignore[no-any-return]


@kernel("Rsqrt", elementwise=True, takes_out=True)
def rsqrt(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return computed(node, xp, _rsqrt)


def _rsqrt(xp: Any, x: Any) -> Any:
    return xp.reciprocal(xp.sqrt(x))

"""Kernels of trigonometric and hyperbolic functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.kernels.contract.registry import KernelNode, kernel

_FUNCTIONS: Final = {
    "Sin": "sin",
    "Cos": "cos",
    "Tan": "tan",
    "Asin": "arcsin",
    "Acos": "arccos",
    "Atan": "arctan",
    "Sinh": "sinh",
    "Cosh": "cosh",
    "Tanh": "tanh",
    "Asinh": "arcsinh",
    "Acosh": "arccosh",
    "Atanh": "arctanh",
}


@kernel(*_FUNCTIONS, elementwise=True)
def function(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return getattr(xp, _FUNCTIONS[node.op])  # type: ignore[no-any-return]

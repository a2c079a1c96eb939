"""Kernels of trigonometric and hyperbolic functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.kernels.contract.precision import reuse
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise.quick import function_of
from dataflow.values import dtypes

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


@kernel(*_FUNCTIONS, elementwise=True, takes_out=True)
def function(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return function_of(node, xp, _FUNCTIONS[node.op])


@kernel("Tan", elementwise=True, takes_out=True, dtypes={"T": (dtypes.float32,)})
def tangent(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """A quotient: libraries have quick code of sine and cosine only. It is right to 3.1 ulp."""

    def run(x: Any, out: Any = None) -> Any:
        sine = xp.sin(x, out=out)
        return xp.divide(sine, xp.cos(x), out=reuse(sine))

    return run

"""Kernels of powers, roots, exponentials, logarithms, and of their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.kernels.contract.element_types import COMPLEX, FLOATS
from dataflow.kernels.contract.precision import reuse, widened
from dataflow.kernels.contract.registry import KernelNode, kernel

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


@kernel(*_FUNCTIONS, elementwise=True)
def function(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return getattr(xp, _FUNCTIONS[node.op])  # type: ignore[no-any-return]


_RECIPROCAL_TYPES: Final = {"T": (*FLOATS, *COMPLEX)}


@kernel("Reciprocal", "Inv", elementwise=True, dtypes=_RECIPROCAL_TYPES)
def reciprocal(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.reciprocal  # type: ignore[no-any-return]


@kernel("Rsqrt", elementwise=True, takes_out=True)
def rsqrt(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(x: Any, out: Any = None) -> Any:
        root = xp.sqrt(x, out=out)
        return xp.reciprocal(root, out=reuse(root))

    return widened(run, node.input_dtypes[0])

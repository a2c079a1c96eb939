"""Kernels of signs, rounding, and tests for NaN and infinity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.kernels.contract.element_types import FLOATS
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.values import dtypes

_FUNCTIONS: Final = {
    "Floor": "floor",
    "Ceil": "ceil",
    "IsNan": "isnan",
    "IsInf": "isinf",
    "IsFinite": "isfinite",
}


@kernel(*_FUNCTIONS, elementwise=True)
def function(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return getattr(xp, _FUNCTIONS[node.op])  # type: ignore[no-any-return]


@kernel("Rint", elementwise=True, dtypes={"T": (dtypes.float32, dtypes.float64)})
@kernel("Round", elementwise=True, dtypes={"T": FLOATS})
def round_(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.rint  # type: ignore[no-any-return]


@kernel("Round", elementwise=True, dtypes={"T": (dtypes.int32, dtypes.int64)})
def round_integer(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda x: x


@kernel("Sign", elementwise=True)
def sign(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if not node.input_dtypes[0].is_complex:
        return xp.sign  # type: ignore[no-any-return]

    def run(x: Any) -> Any:
        modulus = xp.absolute(x)
        return xp.where(modulus == 0, x, x / modulus)[()]

    return run

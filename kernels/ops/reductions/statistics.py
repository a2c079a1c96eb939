"""Kernel of the half sum of squares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.precision import NARROW, accumulator
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.narrow.conversion import widen


@kernel("L2Loss")
def l2_loss(node: KernelNode, xp: Any) -> Callable[..., Any]:
    result = node.output_dtypes[0].as_numpy_dtype
    is_narrow = node.output_dtypes[0] in NARROW
    half = accumulator(node.output_dtypes[0])(0.5)

    def run(t: Any) -> Any:
        flat = t.reshape(-1)
        flat = widen(flat) if is_narrow else flat
        return (xp.dot(flat, flat) * half).astype(result)

    return run

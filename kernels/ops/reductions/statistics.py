"""Kernel of the half sum of squares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.precision import accumulator
from dataflow.kernels.contract.registry import KernelNode, kernel


@kernel("L2Loss")
def l2_loss(node: KernelNode, xp: Any) -> Callable[..., Any]:
    result = node.output_dtypes[0].as_numpy_dtype
    wide = accumulator(node.output_dtypes[0])

    def run(t: Any) -> Any:
        flat = t.reshape(-1).astype(wide, copy=False)
        return (xp.dot(flat, flat) * wide(0.5)).astype(result)

    return run

"""Kernel of the QR decomposition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.values import dtypes


@kernel(
    "Qr",
    dtypes={
        "T": (
            dtypes.float64,
            dtypes.float32,
            dtypes.half,
            dtypes.complex64,
            dtypes.complex128,
        )
    },
)
def qr(node: KernelNode, xp: Any) -> Callable[..., Any]:
    mode = "complete" if node.attr("full_matrices") else "reduced"
    dtype = node.attr("T")
    is_half = dtype is dtypes.half

    def run(matrix: Any) -> tuple[Any, Any]:
        if np.ndim(matrix) < 2:
            raise invalid(f"Input tensor must have rank >= 2, got {np.ndim(matrix)}")
        q, r = xp.linalg.qr(matrix.astype(np.float32) if is_half else matrix, mode=mode)
        if is_half:
            return q.astype(np.float16), r.astype(np.float16)
        return q, r

    return run

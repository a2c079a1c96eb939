"""Kernel of the cross product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.errors import FailedPreconditionError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


@kernel("Cross")
def cross(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(a: Any, b: Any) -> Any:
        if a.shape != b.shape:
            raise invalid(
                f"Both inputs must be of same shape: {shape_text(a.shape)} vs. "
                f"{shape_text(b.shape)}"
            )
        if not a.ndim:
            raise invalid(f"Input must be at least 1D, not {shape_text(a.shape)}")
        if a.shape[-1] != 3:
            raise FailedPreconditionError(
                None, None, "Cross-products are only defined for 3-element vectors."
            )
        product = xp.empty_like(a)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            product[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
        return product

    return run

"""The kernel of Einstein summation, by the matrix products of CPU devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.linalg import einsum as generic
from dataflow.kernels.products import products


def _multiply(x: Any, y: Any) -> Any:
    return products.product(x, y) if x.ndim == 2 else products.batch_product(x, y)


@override(generic.einsum, device="CPU")
def einsum(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.einsum_by(node, xp, _multiply)

"""Kernels of the matrix products, by BLAS and oneDNN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.linalg import matmul as generic
from dataflow.kernels.products import products


@override(generic.matmul, device="CPU")
def matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.matmul_by(node, generic.in_type(node, products.product))


@override(generic.batch_matmul, device="CPU")
def batch_matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.batch_matmul_by(node, xp, products.batch_product)


@override(generic.sparse_matmul, device="CPU")
def sparse_matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.sparse_matmul_by(node, products.product)

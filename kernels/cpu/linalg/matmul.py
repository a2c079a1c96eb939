"""Kernels of the matrix products, by BLAS and oneDNN; of a product parts can be asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.linalg import matmul as generic
from dataflow.kernels.products import products
from dataflow.kernels.products.matrix_product import MatrixProduct


@override(generic.matmul, device="CPU")
def matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dot = generic.in_type(node, products.product)
    run = generic.matmul_by(node, dot)
    if dot is not products.product:
        return run
    axes = 0 if node.attr("transpose_a") else 1, 1 if node.attr("transpose_b") else 0
    return MatrixProduct(run, axes)


@override(generic.batch_matmul, device="CPU")
def batch_matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.batch_matmul_by(node, xp, products.batch_product)


@override(generic.sparse_matmul, device="CPU")
def sparse_matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.sparse_matmul_by(node, products.product)

"""Kernels of the matrix products, of which what follows may be computed with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.linalg import matmul as generic
from dataflow.kernels.products import products
from dataflow.kernels.products.epilogue import Finish
from dataflow.kernels.products.matrix_product import MatrixProduct


@override(generic.matmul, device="CPU")
def matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    transpose_a, transpose_b = node.attr("transpose_a"), node.attr("transpose_b")
    dot = generic.in_type(node, products.product)
    run = generic.matmul_by(node, dot)

    def finished(inputs: Sequence[Any], bias: Any, finish: Finish | None) -> Any:
        a, b = inputs
        a, b = a.T if transpose_a else a, b.T if transpose_b else b
        return products.finished_product(a, b, bias, finish)

    if dot is not products.product:
        return run
    return MatrixProduct(run, finished, (0 if transpose_a else 1, 1 if transpose_b else 0))


@override(generic.batch_matmul, device="CPU")
def batch_matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.batch_matmul_by(node, xp, products.batch_product)


@override(generic.sparse_matmul, device="CPU")
def sparse_matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.sparse_matmul_by(node, products.product)

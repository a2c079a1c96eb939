"""Kernels of products and factors of sparse matrices in variants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.lists.sparse_matrix import SparseMatrix, checked, in_order, of_each


@kernel("SparseMatrixMatMul", host_inputs=("b",), host_outputs=("output",))
def dense_product(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")
    turn_a, turn_b = _turn(node, "a"), _turn_dense(node)
    is_turned, is_conjugated = node.attr("transpose_output"), node.attr("conjugate_output")

    def run(a: Any, b: Any) -> Any:
        text = "Input types don't match.  a.dtype == {got} vs. b.dtype == {want}"
        left = checked(a, text, dtype)
        if len(left.sizes) != b.ndim:
            raise invalid(f"Ranks of a and b must match, saw: {len(left.sizes)} vs. {b.ndim}.")
        if left.batch != b.shape[:-2]:
            raise invalid(
                f"Batch sizes of a and b must match, saw: {left.sizes[0]} vs. {b.shape[0]}."
            )
        left, right = turn_a(left), turn_b(b)
        _check_inner(left.sizes, right.shape, "Shapes")
        each = left.each()
        out = np.empty((*left.sizes[:-1], right.shape[-1]), right.dtype)
        for place, matrix in enumerate(each):
            at = (place,) if left.batch else ()
            out[at] = matrix @ right[at]
        if is_turned:
            out = out.swapaxes(-1, -2)
        return np.ascontiguousarray(out.conj() if is_conjugated else out)

    return run


@kernel("SparseMatrixSparseMatMul")
def sparse_product(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("type")
    turn_a, turn_b = _turn(node, "a"), _turn(node, "b")

    def run(a: Any, b: Any) -> Any:
        text = "dtype of %s is not equal to 'type': {got} vs. {want}"
        left = turn_a(checked(a, text % "a", dtype))
        right = turn_b(checked(b, text % "b", dtype))
        if left.batch != right.batch:
            _refuse_inner(left.sizes, right.sizes, " Shapes")
        _check_inner(left.sizes, right.sizes, " Shapes")
        if not left.batch or left.sizes[0]:
            pairs = zip(left.each(), right.each(), strict=True)
            return of_each(left.batch, dtype, [x @ y for x, y in pairs])
        sizes = (0, left.sizes[1], right.sizes[2])
        return SparseMatrix(sizes, dtype, left.indices, left.values)

    return run


@kernel("SparseMatrixSparseCholesky", host_inputs=("permutation",))
def factor(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Reads the lower triangle alone; the factor's zeros are dropped."""
    dtype = node.attr("type")

    def run(matrix: Any, permutation: Any) -> Any:
        found = checked(matrix, "dtype of input is not equal to 'type': {got} vs. {want}", dtype)
        size = found.sizes[-1]
        if found.sizes[-2] != size:
            raise invalid(f"sparse matrix must be square, saw shape {shape_text(found.sizes)}")
        if permutation.shape != found.sizes[:-1]:
            raise invalid(
                "permutation must have shape "
                f"{shape_text(found.sizes[:-1])}, saw {shape_text(permutation.shape)}"
            )
        orders = permutation.reshape(-1, size) if found.batch else permutation[None]
        indices, values = [], []
        for place, (each, order) in enumerate(zip(found.each(), orders, strict=True)):
            if not np.array_equal(np.sort(order), np.arange(size)):
                raise invalid(f"permutation is none of {size} rows for batch index {place}")
            lower = np.tril(each.toarray())
            whole = lower + np.tril(lower, -1).conj().T
            try:
                made = np.linalg.cholesky(whole[np.ix_(order, order)])
            except np.linalg.LinAlgError:
                raise invalid(
                    f"Sparse Cholesky factorization failed for batch index {place}. The input "
                    "might not be valid."
                ) from None
            places = np.argwhere(made)
            values.append(made[tuple(places.T)])
            if found.batch:
                places = np.insert(places, 0, place, axis=1)
            indices.append(places)
        empty = np.zeros((0, len(found.sizes)), np.int64)
        return in_order(
            found.sizes,
            dtype,
            np.concatenate([empty, *indices]),
            np.concatenate([np.zeros(0, dtype.as_numpy_dtype), *values]),
        )

    return run


def _turn(node: KernelNode, side: str) -> Callable[[SparseMatrix], SparseMatrix]:
    if node.attr(f"adjoint_{side}"):
        return lambda matrix: matrix.transposed().conjugate()
    if node.attr(f"transpose_{side}"):
        return SparseMatrix.transposed
    return lambda matrix: matrix


def _turn_dense(node: KernelNode) -> Callable[[Any], Any]:
    if node.attr("adjoint_b"):
        return lambda b: b.swapaxes(-1, -2).conj()
    if node.attr("transpose_b"):
        return lambda b: b.swapaxes(-1, -2)
    return lambda b: b


def _check_inner(a: tuple[int, ...], b: tuple[int, ...], shapes: str) -> None:
    if a[-1] != b[-2]:
        _refuse_inner(a, b, shapes)


def _refuse_inner(a: tuple[int, ...], b: tuple[int, ...], shapes: str) -> None:
    raise invalid(
        f"Inner product dimensions of A and B do not agree. {shapes} are: {shape_text(a)} vs. "
        f"{shape_text(b)}"
    )

"""The kernel of products of a sparse and a dense matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import accumulator
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sparse.coordinates import sizes_of

AddProducts = Callable[[Any, Any, Any, Any, Any, Any], Any]
"""`f(xp, out, rows, columns, values, b)`: `out`, values times rows of `b` added to its rows."""


def add_each(xp: Any, out: Any, rows: Any, columns: Any, values: Any, b: Any) -> Any:
    """Does so one after the other."""
    xp.add.at(out, xp.asarray(rows), values[:, None] * b[xp.asarray(columns)])
    return out


@kernel("SparseTensorDenseMatMul", dtypes={"T": NUMBERS}, host_inputs=("a_indices", "a_shape"))
def sparse_dense_product(
    node: KernelNode, xp: Any, add: AddProducts = add_each
) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]
    wide, result = accumulator(dtype), dtype.as_numpy_dtype
    left, right = bool(node.attr("adjoint_a")), bool(node.attr("adjoint_b"))

    def run(indices: Any, values: Any, shape: Any, b: Any) -> Any:
        _check(indices, values, shape, b)
        sizes = sizes_of(shape)
        inner, size = sizes[1 - left], b.shape[right]
        if inner != size:
            raise invalid(
                f"Cannot multiply A and B because inner dimension does not match: {inner} vs. "
                f"{size}.  Did you forget a transpose?  Dimensions of A: [{sizes[0]}, {sizes[1]}"
                f").  Dimensions of B: {shape_text(b.shape)}"
            )
        _check_bounds(indices, int(left), sizes)
        values, b = values.astype(wide, copy=False), b.astype(wide, copy=False)
        if left:
            values = values.conj()
        if right:
            b = b.T.conj()
        out = xp.zeros((sizes[int(left)], b.shape[1]), wide)
        if not values.size or not out.size:
            return out.astype(result, copy=False)
        rows, columns = indices[:, int(left)], indices[:, 1 - left]
        return add(xp, out, rows, columns, values, b).astype(result, copy=False)

    return run


def _check(indices: Any, values: Any, shape: Any, b: Any) -> None:
    for name, array, rank in (
        ("b", b, 2),
        ("a_shape", shape, 1),
    ):
        if array.ndim != rank:
            raise invalid(f"Tensor '{name}' is not a {'matrix' if rank == 2 else 'vector'}")
    if shape.size != 2:
        raise invalid("Tensor 'a_shape' must have 2 elements")
    if values.ndim != 1:
        raise invalid("Tensor 'a_values' is not a vector")
    if indices.ndim != 2:
        raise invalid("Tensor 'a_indices' is not a matrix")
    if len(indices) != values.size:
        raise invalid("Number of rows of a_indices does not match number of entries in a_values")
    if indices.shape[1] != shape.size:
        raise invalid("Number of columns of a_indices does not match number of entries in a_shape")


def _check_bounds(indices: Any, left: int, sizes: tuple[int, ...]) -> None:
    """Of the columns of the product's sparse operand first, then of its rows."""
    for name, column in (("k", 1 - left), ("m", left)):
        places = indices[:, column]
        if are_below(places, sizes[column]):
            continue
        wrong = np.flatnonzero((places < 0) | (places >= sizes[column]))
        if wrong.size:
            raise invalid(
                f"{name} ({places[wrong[0]]}) from index[{wrong[0]},{column}] out of bounds "
                f"(>={sizes[column]})"
            )

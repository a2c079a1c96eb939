"""Sparse matrices in variants, row by row in memory: made, taken apart and turned."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.gather as array_gather
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import vector
from dataflow.ops.basic.single import single
from dataflow.ops.sparse.matrix_shapes import Held, checked, held_by, holding, turned
from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    NOT_DIFFERENTIABLE,
    InferenceContext,
    define_op,
)
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape

_T = "T: {float32, float64, complex64, complex128}"
TYPE = "type: {float32, float64, complex64, complex128}"
"""The element type that a matrix is said to have where it is read."""


def parts_of(matrix: Tensor, dtype: Any) -> Any:
    """Coordinates, values and shape of a matrix."""
    return apply_op("CSRSparseMatrixToSparseTensor", matrix, type=dtype)


def at_places_of(pattern: Tensor, dense: Tensor) -> Tensor:
    """A matrix with the elements of a dense one at the places of another's."""
    indices, _, shape = parts_of(pattern, dense.dtype)
    values = array_gather.gather_nd(dense, indices)
    return single("SparseTensorToCSRSparseMatrix", indices, values, shape)


def to_dense(matrix: Tensor, dtype: Any) -> Tensor:
    """A matrix with its zeros."""
    return single("CSRSparseMatrixToDense", matrix, type=dtype)


def _from_parts_shape(c: InferenceContext) -> TensorShape:
    dims = checked(c.constant_as_shape(2))
    indices = with_rank(c.input(0), 2).dims_tuple or (None, None)
    (count,) = with_rank(c.input(1), 1).dims_tuple or (None,)
    if None not in (indices[0], count) and indices[0] != count:
        raise ValueError(
            f"Number of elements in index ({indices[0]}) and values ({count}) do not match."
        )
    return holding(c, Held(dims, c.attr("T")))


def _from_dense_shape(c: InferenceContext) -> TensorShape:
    dims = checked(c.input(0), " of dense")
    width = (with_rank(c.input(1), 2).dims_tuple or (None, None))[1]
    if width not in (None, len(dims)):
        raise ValueError(f"indices.shape[1] must match rank of dense; saw: {width} vs. {len(dims)}")
    return holding(c, Held(dims, c.attr("T")))


def _parts_shapes(c: InferenceContext) -> list[TensorShape]:
    rank = len(held_by(c, 0).dims)
    return [TensorShape.of((None, rank)), vector(None), vector(rank)]


def _dense_shape(c: InferenceContext) -> TensorShape:
    return TensorShape.of(held_by(c, 0).dims)


def _component_shapes(c: InferenceContext) -> list[TensorShape]:
    rows = held_by(c, 0).dims[-2]
    with_rank(c.input(1), 0)
    return [vector(None if rows is None else rows + 1), vector(None), vector(None)]


def _count_shape(c: InferenceContext) -> TensorShape:
    return TensorShape.of(held_by(c, 0).dims[:-2])


def _transposed_shape(c: InferenceContext) -> TensorShape:
    held = held_by(c, 0)
    return holding(c, Held(turned(held.dims), held.dtype))


def _from_parts_gradient(op: Operation, grad: Any) -> list[Any]:
    return [None, parts_of(grad, op.get_attr("T"))[1], None]


def _from_dense_gradient(op: Operation, grad: Any) -> list[Any]:
    return [to_dense(grad, op.get_attr("T")), None]


def _parts_gradient(op: Operation, *grads: Any) -> Tensor:
    return single("SparseTensorToCSRSparseMatrix", op.outputs[0], grads[1], op.outputs[2])


def _dense_gradient(op: Operation, grad: Any) -> Tensor:
    return at_places_of(op.inputs[0], grad)


def _transposed_gradient(op: Operation, grad: Any) -> Tensor:
    return single(
        "SparseMatrixTranspose", grad, type=op.get_attr("type"), conjugate=op.get_attr("conjugate")
    )


define_op(
    "SparseTensorToCSRSparseMatrix",
    inputs="indices: int64, values: T, dense_shape: int64",
    outputs="sparse_matrix: variant",
    attrs=[_T],
    shape=_from_parts_shape,
    gradient=_from_parts_gradient,
    doc="A matrix, or some of one shape, of coordinates in order and values.",
)
define_op(
    "DenseToCSRSparseMatrix",
    inputs="dense_input: T, indices: int64",
    outputs="sparse_output: variant",
    attrs=[_T],
    shape=_from_dense_shape,
    gradient=_from_dense_gradient,
    doc="A matrix of a dense one's elements at coordinates in order.",
)
define_op(
    "CSRSparseMatrixToSparseTensor",
    inputs="sparse_matrix: variant",
    outputs="indices: int64, values: type, dense_shape: int64",
    attrs=[TYPE],
    shape=_parts_shapes,
    gradient=_parts_gradient,
    doc="The coordinates, values and shape of a matrix.",
)
define_op(
    "CSRSparseMatrixToDense",
    inputs="sparse_input: variant",
    outputs="dense_output: type",
    attrs=[TYPE],
    shape=_dense_shape,
    gradient=_dense_gradient,
    doc="A matrix with its zeros.",
)
define_op(
    "CSRSparseMatrixComponents",
    inputs="csr_sparse_matrix: variant, index: int32",
    outputs="row_ptrs: int32, col_inds: int32, values: type",
    attrs=[TYPE],
    shape=_component_shapes,
    gradient=MISSING_GRADIENT,
    doc="Where the rows of one of several matrices begin, and its columns and values.",
)
define_op(
    "SparseMatrixNNZ",
    inputs="sparse_matrix: variant",
    outputs="nnz: int32",
    shape=_count_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The number of elements that each matrix keeps.",
)
define_op(
    "SparseMatrixTranspose",
    inputs="input: variant",
    outputs="output: variant",
    attrs=["conjugate: bool = false", TYPE],
    shape=_transposed_shape,
    gradient=_transposed_gradient,
    doc="A transposed matrix, conjugated if so asked.",
)

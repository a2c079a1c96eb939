"""Products and factors of sparse matrices in variants."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.transpose as array_transpose
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.complex import conj
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.sparse.matrices import TYPE, at_places_of, parts_of, to_dense
from dataflow.ops.sparse.matrix_shapes import Held, held_by, holding, product_dims, turned
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import merge, with_rank
from dataflow.values.shapes import TensorShape

_SIDES = (
    "transpose_a: bool = false",
    "transpose_b: bool = false",
    "adjoint_a: bool = false",
    "adjoint_b: bool = false",
)


def _dense_product_shape(c: InferenceContext) -> TensorShape:
    dims = product_dims(c, held_by(c, 0).dims, c.input(1))
    return TensorShape.of(turned(dims) if c.attr("transpose_output") else dims)


def _sparse_product_shape(c: InferenceContext) -> TensorShape:
    a, b = held_by(c, 0), held_by(c, 1)
    return holding(c, Held(product_dims(c, a.dims, TensorShape.of(b.dims)), a.dtype))


def _factor_shape(c: InferenceContext) -> TensorShape:
    held = held_by(c, 0)
    rows, columns = held.dims[-2:]
    if None not in (rows, columns) and rows != columns:
        raise ValueError(f"Dimensions must be equal, but are {rows} and {columns}")
    order = with_rank(c.input(1), len(held.dims) - 1)
    merged = merge(TensorShape.of(held.dims[:-1]), order).dims_tuple or ()
    return holding(c, Held((*merged, merged[-1]), held.dtype))


def _side(op: Operation, name: str) -> tuple[bool, bool]:
    """Whether an operand is transposed, and whether it is conjugated."""
    adjoint = op.get_attr(f"adjoint_{name}")
    return adjoint or op.get_attr(f"transpose_{name}"), adjoint


def _adjoint_of_side(matrix: Tensor, is_turned: bool, is_conjugated: bool) -> tuple[Tensor, bool]:
    """The adjoint of an operand as it is multiplied: a matrix, and whether its adjoint is meant."""
    if is_turned and not is_conjugated:
        return conj(matrix), False
    return matrix, not is_turned


def _turned_dense(x: Tensor, is_turned: bool, is_conjugated: bool) -> Tensor:
    return array_transpose.matrix_transpose(x, conjugate=is_conjugated) if is_turned else x


def _dense_product_gradient(op: Operation, grad: Any) -> list[Any]:
    """Of the sparse operand only its elements have one: products of rows of the other two."""
    a, b = op.inputs
    if op.get_attr("conjugate_output"):
        grad = conj(grad)
    grad = _turned_dense(grad, op.get_attr("transpose_output"), False)
    left, right = _side(op, "a"), _side(op, "b")
    indices, _, shape = parts_of(a, grad.dtype)
    place = [indices[:, column] for column in range(indices.shape.as_list()[1])]
    rows, columns = place[-2:] if not left[0] else place[:-3:-1]
    of_grad = array_gather.gather_nd(grad, array_concat.stack([*place[:-2], rows], axis=1))
    of_b = array_gather.gather_nd(
        _turned_dense(b, *right), array_concat.stack([*place[:-2], columns], axis=1)
    )
    values = reduce_sum(of_grad * conj(of_b), axis=1)
    if left[1]:
        values = conj(values)
    first, adjoint = _adjoint_of_side(a, *left)
    of_other = single("SparseMatrixMatMul", first, grad, adjoint_a=adjoint)
    return [
        single("SparseTensorToCSRSparseMatrix", indices, values, shape),
        _turned_dense(of_other, *right),
    ]


def _sparse_product_gradient(op: Operation, grad: Any) -> list[Any]:
    dtype = op.get_attr("type")
    a, b = op.inputs
    left, right = _side(op, "a"), _side(op, "b")
    first, first_adjoint = _adjoint_of_side(a, *left)
    second, second_adjoint = _adjoint_of_side(b, *right)
    of_a = single("SparseMatrixSparseMatMul", grad, second, adjoint_b=second_adjoint, type=dtype)
    of_b = single("SparseMatrixSparseMatMul", first, grad, adjoint_a=first_adjoint, type=dtype)
    return [
        at_places_of(pattern, _turned_dense(to_dense(found, dtype), *side))
        for pattern, found, side in ((a, of_a, left), (b, of_b, right))
    ]


define_op(
    "SparseMatrixMatMul",
    inputs="a: variant, b: T",
    outputs="output: T",
    attrs=[
        "T: type",
        *_SIDES,
        "transpose_output: bool = false",
        "conjugate_output: bool = false",
    ],
    shape=_dense_product_shape,
    gradient=_dense_product_gradient,
    doc="The product of a sparse and a dense matrix, either of them turned as asked.",
)
define_op(
    "SparseMatrixSparseMatMul",
    inputs="a: variant, b: variant",
    outputs="c: variant",
    attrs=[TYPE, *_SIDES],
    shape=_sparse_product_shape,
    gradient=_sparse_product_gradient,
    doc="The product of two sparse matrices, either of them turned as asked.",
)
define_op(
    "SparseMatrixSparseCholesky",
    inputs="input: variant, permutation: int32",
    outputs="output: variant",
    attrs=[TYPE],
    shape=_factor_shape,
    gradient=MISSING_GRADIENT,
    doc="The lower triangular factor of a matrix whose rows and columns are put in another order.",
)

"""Products of sparse and dense matrices."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.linalg.matmul as linalg_matmul
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import is_sparse
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import size_at
from dataflow.ops.basic.single import single
from dataflow.ops.sparse.conversion import as_sparse
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import merge_dim, with_rank
from dataflow.values.shapes import TensorShape


def _product_shape(c: InferenceContext) -> TensorShape:
    a, b = with_rank(c.constant_as_shape(2), 2), with_rank(c.input(3), 2)
    left, right = int(c.attr("adjoint_a")), int(c.attr("adjoint_b"))
    merge_dim(size_at(a, 1 - left), size_at(b, right))
    return TensorShape.of((size_at(a, left), size_at(b, 1 - right)))


def _product_gradient(op: Operation, grad: Any) -> Any:
    """Of the sparse matrix only its elements have one: products of a row of each of the others."""
    indices: Any
    b: Any
    indices, values, shape, b = op.inputs
    adjoint_a, adjoint_b = op.get_attr("adjoint_a"), op.get_attr("adjoint_b")
    of_b: Any = single(
        "SparseTensorDenseMatMul", indices, values, shape, grad, adjoint_a=not adjoint_a
    )
    if adjoint_b:
        of_b = array_transpose.matrix_transpose(of_b, conjugate=True)
    rows, columns = indices[:, 0], indices[:, 1]
    of_rows = array_gather.gather(grad, columns if adjoint_a else rows)
    of_columns = array_gather.gather(
        array_transpose.transpose(b) if adjoint_b else b, rows if adjoint_a else columns
    )
    of_values = linalg_matmul.matmul(
        array_shape.expand_dims(of_rows, -1 if adjoint_a else -2),
        array_shape.expand_dims(of_columns, -1 if adjoint_a != adjoint_b else -2),
        adjoint_a=adjoint_a,
        adjoint_b=adjoint_a == adjoint_b,
    )
    return None, array_shape.squeeze(of_values, axis=[-2, -1]), None, of_b


define_op(
    "SparseTensorDenseMatMul",
    inputs="a_indices: Tindices, a_values: T, a_shape: int64, b: T",
    outputs="product: T",
    attrs=[
        "T: type",
        "Tindices: {int32, int64} = int64",
        "adjoint_a: bool = false",
        "adjoint_b: bool = false",
    ],
    shape=_product_shape,
    gradient=_product_gradient,
    doc="The product of a sparse and a dense matrix, each or its adjoint.",
)


def sparse_tensor_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of two matrices of which one is sparse.

    Args:
      sp_a: A sparse matrix, or a dense one if `b` is sparse.
      b: A dense matrix of the same type, or a sparse one.
      adjoint_a: Whether the adjoint of the first is taken: transposed, and conjugated if complex.
      adjoint_b: Likewise.
      name: Name of the operation.

    Raises:
      TypeError: Neither is sparse, or both are.
      ValueError: The static shapes do not fit.
    """
    if is_sparse(b):
        if is_sparse(sp_a):
            raise TypeError(
                "One of the matrices must be dense, and both are sparse: tf.sparse.to_dense makes "
                "a dense one."
            )
        # The transposed product, its operands the other way round.
        turned = adjoint_a == adjoint_b
        return array_transpose.transpose(
            sparse_tensor_dense_matmul(b, sp_a, adjoint_a != turned, adjoint_b != turned)
        )
    sp_a = as_sparse(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul", [sp_a.indices, sp_a.values, b]):
        return single(
            "SparseTensorDenseMatMul",
            sp_a.indices,
            sp_a.values,
            sp_a.dense_shape,
            convert_to_tensor(b, name="b"),
            adjoint_a=adjoint_a,
            adjoint_b=adjoint_b,
        )

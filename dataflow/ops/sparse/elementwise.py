"""Sparse tensors element by element: with each other, with dense ones, and softmax of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.math.unary as math_unary
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.sparse.add import sparse_add
from dataflow.ops.sparse.conversion import checked_parts
from dataflow.ops.sparse.reduce import sparse_reduce_sum
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _values_shape(c: InferenceContext) -> TensorShape:
    dims = with_rank(c.input(0), 2).dims_tuple or (None,)
    return TensorShape.of((dims[0],))


def _softmax_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 2)
    with_rank(c.input(2), 1)
    return with_rank(c.input(1), 1)


def _both_shapes(c: InferenceContext) -> list[TensorShape]:
    checked_parts(c)
    checked_parts(c, 3)
    return [TensorShape.of((None, None)), TensorShape.of((None,))]


def _refused(op_type: str) -> Callable[..., Any]:
    # Of ops with two outputs TensorFlow refuses the second gradient already.
    def gradient(op: Operation, grad: Any) -> Any:
        raise NotImplementedError(f"Gradient for {op_type} is not implemented.")

    return gradient


def _softmax_gradient(op: Operation, grad: Any) -> Any:
    """out * (grad - the sum of grad * out over the row)."""
    indices, _, shape = op.inputs
    out: Any = op.outputs[0]
    product = SparseTensor(indices, out * grad, shape)
    sums: Any = sparse_reduce_sum(product, [-1], keepdims=True)
    total: Any = single("SparseDenseCwiseAdd", indices, grad, shape, -sums)
    return None, total * out, None


def _product_gradient(op: Operation, grad: Any, is_product: bool) -> Any:
    indices: Any = op.inputs[0]
    values: Any = op.inputs[1]
    shape: Any = op.inputs[2]
    dense: Any = op.inputs[3]
    sizes = cast(array_shape.shape(dense), dtypes.int64)
    rank: Any = array_shape.size(shape)
    more: Any = array_shape.expand_dims(rank - array_shape.size(sizes), 0)
    ones = array_fill.ones(more, dtypes.int64)
    scaling = shape // array_concat.concat([ones, sizes], 0)
    scaled = indices // scaling
    scaled = array_slice.slice(scaled, array_concat.concat([[0], more], 0), [-1, -1])
    factors: Any = array_gather.gather_nd(dense, scaled)
    if is_product:
        of_values, of_dense = grad * factors, grad * values
    else:
        of_values = grad / factors
        of_dense = grad * (-values / math_unary.square(factors))
    parts = SparseTensor(scaled, of_dense, sizes)
    return None, of_values, None, sparse_add(array_fill.zeros_like(dense), parts)


define_op(
    "SparseSoftmax",
    inputs="sp_indices: int64, sp_values: T, sp_shape: int64",
    outputs="output: T",
    attrs=["T: {half, float32, float64}"],
    shape=_softmax_shape,
    gradient=_softmax_gradient,
    doc="Softmax over the elements that are there of each innermost row.",
)

_PAIR = ", ".join(f"{n}_indices: int64, {n}_values: T, {n}_shape: int64" for n in "ab")
for _op, _types, _word in (
    ("SparseSparseMaximum", "T: realnumbertype", "larger"),
    ("SparseSparseMinimum", "T: numbertype", "smaller"),
):
    define_op(
        _op,
        inputs=_PAIR,
        outputs="output_indices: int64, output_values: T",
        attrs=[_types],
        shape=_both_shapes,
        gradient=_refused(_op),
        doc=f"The {_word} of two sparse tensors' elements; what is not there counts as 0.",
    )

for _op, _gradient, _doc in (
    ("SparseDenseCwiseAdd", _refused("SparseDenseCwiseAdd"), "plus a tensor's"),
    ("SparseDenseCwiseMul", lambda op, grad: _product_gradient(op, grad, True), "times a tensor's"),
    ("SparseDenseCwiseDiv", lambda op, grad: _product_gradient(op, grad, False), "by a tensor's"),
):
    define_op(
        _op,
        inputs="sp_indices: int64, sp_values: T, sp_shape: int64, dense: T",
        outputs="output: T",
        attrs=["T: numbertype"],
        shape=_values_shape,
        gradient=_gradient,
        doc=f"The elements that are there of a sparse tensor {_doc}, which is broadcast.",
    )


def sparse_softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Softmax over the elements that are there of each innermost row.

    Args:
      sp_input: A sparse tensor of floats, of rank 2 at least.
      name: Name of the operation.
    """
    parts = (sp_input.indices, sp_input.values, sp_input.dense_shape)
    with name_scope(name, "SparseSoftmax", parts[:2]):
        values = single("SparseSoftmax", *parts)
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def sparse_maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors' elements; one that is not there counts as 0.

    Args:
      sp_a: A sparse tensor, in order.
      sp_b: One of the same shape and type.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: At run time: the shapes differ.
    """
    return _extreme("SparseSparseMaximum", sp_a, sp_b, name)


def sparse_minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors' elements; one that is not there counts as 0.

    Args:
      sp_a: A sparse tensor, in order.
      sp_b: One of the same shape and type.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: At run time: the shapes differ.
    """
    return _extreme("SparseSparseMinimum", sp_a, sp_b, name)


def _extreme(op_type: str, a: Any, b: Any, name: str | None) -> SparseTensor:
    scoped = [a.indices, a.values, b.indices, b.values]
    with name_scope(name, op_type, scoped) as scope:
        indices, values = apply_op(
            op_type,
            a.indices,
            a.values,
            a.dense_shape,
            b.indices,
            b.values,
            b.dense_shape,
            name=scope,
        )
    return SparseTensor(indices, values, a.dense_shape)

"""Sparse tensors cut into pieces."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.basic.single import single
from dataflow.ops.sparse.conversion import as_sparse
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def _pieces(c: InferenceContext, shape: TensorShape, count: int) -> list[TensorShape]:
    rank = shape.num_elements()
    return (
        [TensorShape.of((None, rank))] * count + [TensorShape.of((None,))] * count + [shape] * count
    )


def _slice_gradient(op: Operation, *grads: Any) -> Any:
    """The elements that came into the piece take its gradients."""
    indices, values, _, start, _ = op.inputs
    grad = single("SparseSliceGrad", grads[1], indices, start, op.outputs[0])
    grad.set_shape(values.shape)
    return None, grad, None, None, None


def _slice_gradient_shape(c: InferenceContext) -> TensorShape:
    dims = with_rank(c.input(1), 2).dims_tuple or (None,)
    return TensorShape.of((dims[0],))


define_op(
    "SparseSplit",
    inputs="split_dim: int64, indices: int64, values: T, shape: int64",
    outputs=(
        "output_indices: num_split * int64, output_values: num_split * T,"
        " output_shape: num_split * int64"
    ),
    attrs=["num_split: int >= 1", "T: type"],
    shape=lambda c: _pieces(c, c.input(3), c.attr("num_split")),
    gradient=MISSING_GRADIENT,
    doc="Pieces of a sparse tensor along an axis; the first ones are longer by one if need be.",
)

define_op(
    "SparseSlice",
    inputs="indices: int64, values: T, shape: int64, start: int64, size: int64",
    outputs="output_indices: int64, output_values: T, output_shape: int64",
    attrs=["T: type"],
    shape=lambda c: _pieces(c, c.input(2), 1),
    gradient=_slice_gradient,
    doc="A box of a sparse tensor, cut off where it ends.",
)

define_op(
    "SparseSliceGrad",
    inputs="backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64",
    outputs="val_grad: T",
    attrs=["T: numbertype"],
    shape=_slice_gradient_shape,
    gradient=MISSING_GRADIENT,
    doc="The gradients of a box's elements, at their places among those of the whole.",
)


class KeywordRequired:
    """Stands for the first argument of functions that take none by position."""

    def __repr__(self) -> str:
        return "KeywordRequired()"


def sparse_split(
    keyword_required: Any = KeywordRequired(),  # noqa: B008 (has no state)
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """Pieces of a sparse tensor along an axis; the first ones are longer by one if need be.

    Args:
      keyword_required: Nothing: the other arguments are given by name.
      sp_input: The sparse tensor.
      num_split: How many pieces.
      axis: The axis.
      name: Name of the operation.
      split_dim: Old name of `axis`.

    Raises:
      TypeError: The input is not sparse.
      ValueError: An argument is missing, or given by position.
      InvalidArgumentError: At run time: there is no such axis, or it is shorter.
    """
    if not isinstance(keyword_required, KeywordRequired):
        raise ValueError("Keyword arguments are required for this function.")
    axis = renamed("axis", axis, "split_dim", split_dim)
    for argument, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if value is None:
            raise ValueError(f"{argument} is required")
    sparse = as_sparse(sp_input)
    pieces = apply_op(
        "SparseSplit",
        axis,
        sparse.indices,
        sparse.values,
        sparse.dense_shape,
        num_split=num_split,
        name=name,
    )
    return [SparseTensor(*parts) for parts in zip(*pieces, strict=True)]


def sparse_slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """A box of a sparse tensor.

    Args:
      sp_input: The sparse tensor.
      start: Where the box begins, of shape `[rank]`.
      size: Its sizes; it ends where the tensor does, at the latest.
      name: Name of the operation.

    Raises:
      TypeError: The input is not sparse.
    """
    sparse = as_sparse(sp_input)
    start = convert_to_tensor(start, dtypes.int64)
    size = convert_to_tensor(size, dtypes.int64)
    with name_scope(name, "SparseSlice", [sparse]) as scope:
        parts = (sparse.indices, sparse.values, sparse.dense_shape)
        return SparseTensor(*apply_op("SparseSlice", *parts, start, size, name=scope))

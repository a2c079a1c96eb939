"""Sparse tensors put one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.basic.shape_parts import size_at, vector
from dataflow.ops.sparse.conversion import as_sparse
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge, merge_dim, with_rank
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def _concat_shape(c: InferenceContext) -> list[TensorShape]:
    count = c.attr("N")
    total: int | None = 0
    rank: int | None = None
    shape = UNKNOWN
    for i in range(count):
        indices = with_rank(c.input(i), 2)
        rows = merge_dim(size_at(indices, 0), size_at(with_rank(c.input(count + i), 1), 0))
        total = None if total is None or rows is None else total + rows
        rank = merge_dim(rank, size_at(indices, 1))
        shape = merge(shape, with_rank(c.input(2 * count + i), 1))
    return [TensorShape.of((total, rank)), vector(total), shape]


define_op(
    "SparseConcat",
    inputs="indices: N * int64, values: N * T, shapes: N * int64",
    outputs="output_indices: int64, output_values: T, output_shape: int64",
    attrs=["concat_dim: int", "N: int >= 2", "T: type"],
    shape=_concat_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Sparse tensors put one behind the other along an axis, in order.",
)


def sparse_concat(
    axis: int | None,
    sp_inputs: Sequence[Any],
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: int | None = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Sparse tensors put one behind the other.

    Args:
      axis: Along which axis.
      sp_inputs: Sparse tensors of one type and rank, of the same size along the other axes.
      name: Name of the operation.
      expand_nonconcat_dim: Other axes may differ: the result has the greatest size.
      concat_dim: Old name of `axis`.
      expand_nonconcat_dims: Newer name of `expand_nonconcat_dim`.

    Raises:
      TypeError: An input is not sparse, or they are no list.
    """
    expands = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    axis = renamed("axis", axis, "concat_dim", concat_dim)
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError("Inputs must be a list or tuple.")
    parts = [as_sparse(each) for each in sp_inputs]
    if len(parts) == 1:
        return parts[0]
    shapes: list[Any] = [each.dense_shape for each in parts]
    if expands:
        shapes = _expanded(shapes, axis)
    indices, values, shape = apply_op(
        "SparseConcat",
        [each.indices for each in parts],
        [each.values for each in parts],
        shapes,
        concat_dim=axis,
        name=name,
    )
    static = _static_shape([each.shape for each in parts], axis, expands)
    if all(each.shape.is_fully_defined() for each in parts):
        shape = convert_to_tensor(static, dtype=dtypes.int64)
        return SparseTensor(indices, values, shape)
    joined = SparseTensor(indices, values, shape)
    joined.set_shape(static)
    return joined


def _expanded(shapes: list[Any], axis: Any) -> list[Any]:
    """The shapes, as large as the largest along the other axes."""
    rows = [array_shape.reshape(shape, [1, -1]) for shape in shapes]
    largest: Any = reductions.reduce_max(array_concat.concat(rows, 0), 0)
    return [
        array_concat.concat(
            [
                largest[:axis],
                shape[-1:] if axis == -1 else shape[axis : axis + 1],
                [] if axis == -1 else largest[axis + 1 :],
            ],
            0,
        )
        for shape in shapes
    ]


def _static_shape(shapes: list[TensorShape], axis: Any, expands: bool) -> Any:
    if any(shape.rank is None for shape in shapes):
        return None
    columns = list(zip(*[shape.as_list() for shape in shapes], strict=True))
    sizes = [_greatest(column) if expands else column[0] for column in columns]
    sizes[axis] = None if None in columns[axis] else sum(columns[axis])
    return sizes


def _greatest(sizes: tuple[Any, ...]) -> int | None:
    return None if None in sizes else max(sizes)

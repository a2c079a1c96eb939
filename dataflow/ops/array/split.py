"""Ops that cut a tensor into pieces along a dimension."""

from __future__ import annotations

import numbers
from typing import Any

import dataflow.ops.array.concat as array_concat
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import (
    divide_evenly,
    replaced,
    scalar_axis,
    size_at,
    unknown_of_rank,
)
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank_at_least
from dataflow.values.shapes import Dimension, TensorShape


def _split_shape(c: InferenceContext) -> list[TensorShape]:
    shape = c.input(1)
    axis = scalar_axis(c, 0, shape.rank)
    if axis is None:
        return [unknown_of_rank(shape.rank)] * c.num_outputs
    shape = with_rank_at_least(shape, axis + 1)
    if shape.rank is None:
        return [shape] * c.num_outputs
    try:
        size = divide_evenly(size_at(shape, axis), c.num_outputs)
    except ValueError as error:
        raise ValueError(
            f"{error}\n\tNumber of ways to split should evenly divide the split dimension"
        ) from None
    return [replaced(shape, axis, size)] * c.num_outputs


def _split_v_shape(c: InferenceContext) -> list[TensorShape]:
    shape = c.input(0)
    if shape.rank == 0:
        raise ValueError("Can't split scalars")
    axis = scalar_axis(c, 2, shape.rank)
    if axis is None or shape.rank is None:
        return [unknown_of_rank(shape.rank)] * c.num_outputs
    known = c.constant(1)
    if known is None:
        return [replaced(shape, axis, None)] * c.num_outputs
    sizes = known.tolist()
    if len(sizes) != c.num_outputs:
        raise ValueError("Length of size_splits should be equal to num_outputs")
    if sizes.count(-1) > 1:
        raise ValueError("size_splits can only have one -1")
    whole = size_at(shape, axis)
    given = sum(size for size in sizes if size != -1)
    rest = None if whole is None else whole - given
    resolved = [rest if size == -1 else size for size in sizes]
    for i, size in enumerate(resolved):
        if size is not None and size < 0:
            raise ValueError(f"Split size at index {i} must be >= 0. Got: {size}")
    if rest is not None and (rest < 0 or (rest and -1 not in sizes)):
        pieces = ",".join(map(str, sizes))
        raise ValueError(f"can't split axis of size {whole} into pieces of size [{pieces}]")
    return [replaced(shape, axis, size) for size in resolved]


def _split_gradient(op: Operation, *grads: Any) -> Any:
    return None, array_concat.concat(list(grads), op.inputs[0])


def _split_v_gradient(op: Operation, *grads: Any) -> Any:
    return [array_concat.concat(list(grads), op.inputs[2]), None, None]


define_op(
    "Split",
    inputs="split_dim: int32, value: T",
    outputs="output: num_split * T",
    attrs=["num_split: int >= 1", "T: type"],
    shape=_split_shape,
    gradient=_split_gradient,
    doc="Equal pieces of a tensor, along one dimension.",
)

define_op(
    "SplitV",
    inputs="value: T, size_splits: Tlen, split_dim: int32",
    outputs="output: num_split * T",
    attrs=["num_split: int >= 1", "T: type", "Tlen: {int8, int32, int64} = int64"],
    shape=_split_v_shape,
    gradient=_split_v_gradient,
    doc="Pieces of given sizes, along one dimension; one size may be -1, for what is left.",
)


@dispatched
def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> list[Tensor]:
    """Cuts a tensor into pieces along one dimension.

    Args:
      value: A tensor of at least one dimension.
      num_or_size_splits: An integer, for that many equal pieces, or the sizes of the pieces.
      axis: The dimension; negative ones count from the end.
      num: The number of pieces, where sizes are a tensor of unknown shape.
      name: Name of the operation.

    Raises:
      ValueError: The pieces are known not to fit, or their number is not known.

    >>> left, right = tf.split(tf.constant([1, 2, 3]), [1, 2])
    >>> with tf.Session() as session:
    ...     print(session.run(left), session.run(right))
    [1] [2 3]
    """
    pieces: list[Tensor]
    if isinstance(num_or_size_splits, (numbers.Integral, Dimension)):
        pieces = apply_op("Split", axis, value, num_split=num_or_size_splits, name=name)
        return pieces
    sizes = convert_to_tensor(num_or_size_splits)
    dims = sizes.shape.dims_tuple
    if dims == ():
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    if num is None:
        num = dims[0] if dims else None
        if num is None:
            raise ValueError(f"Cannot infer num from shape {num_or_size_splits}")
    pieces = apply_op("SplitV", value, sizes, axis, num_split=num, name=name)
    return pieces

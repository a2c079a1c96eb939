"""Ops on vectors as sets: distinct values, differences, and places in a sorted sequence."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.shape as array_shape
from dataflow.graph.apply_op import apply_op
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import size_at, unknown_of_rank, vector
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_INDEX = "out_idx: {int32, int64} = int32"


def _unique_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    return [vector(None), c.input(0)]


def _counts_shape(c: InferenceContext) -> list[TensorShape]:
    return [vector(None), c.input(0), vector(None)]


def _unique_v2_shape(c: InferenceContext) -> list[TensorShape]:
    values = unknown_of_rank(c.input(0).rank)
    return [values, _places_shape(c), vector(None)][: c.num_outputs]


def _places_shape(c: InferenceContext) -> TensorShape:
    shape, axis = c.input(0), c.constant(1)
    if axis is None or shape.rank is None:
        return vector(None)
    if axis.ndim != 1:
        raise ValueError("axis expects a 1D vector.")
    if axis.size > 1:
        raise ValueError("axis does not support input tensors larger than 1 elements.")
    if not axis.size:
        if shape.rank != 1:
            raise ValueError("x expects a 1D vector.")
        return shape
    place = int(axis[0])
    if not -shape.rank <= place < shape.rank:
        raise ValueError(f"axis expects to be in the range [{-shape.rank}, {shape.rank})")
    return vector(size_at(shape, place))


def _difference_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    with_rank(c.input(1), 1)
    return [vector(None), vector(None)]


def _bound_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 2)
    with_rank(c.input(1), 2)
    return c.input(1)


for _name, _outputs, _shape in (
    ("Unique", "y: T, idx: out_idx", _unique_shape),
    ("UniqueWithCounts", "y: T, idx: out_idx, count: out_idx", _counts_shape),
):
    define_op(
        _name,
        inputs="x: T",
        outputs=_outputs,
        attrs=["T: type", _INDEX],
        shape=_shape,
        gradient=MISSING_GRADIENT,
        doc="The distinct values of a vector, in order of first appearance.",
    )
    define_op(
        f"{_name}V2",
        inputs="x: T, axis: Taxis",
        outputs=_outputs,
        attrs=["T: type", "Taxis: {int32, int64} = int64", _INDEX],
        shape=_unique_v2_shape,
        gradient=MISSING_GRADIENT,
        doc="The distinct slices of a tensor along an axis, in order of first appearance.",
    )

define_op(
    "ListDiff",
    inputs="x: T, y: T",
    outputs="out: T, idx: out_idx",
    attrs=["T: type", _INDEX],
    shape=_difference_shape,
    gradient=MISSING_GRADIENT,
    doc="The values of one vector that another one lacks, and where they are.",
)

for _name, _doc in (
    ("LowerBound", "For each value the first place in its sorted row that it could be put."),
    ("UpperBound", "For each value the last place in its sorted row that it could be put."),
):
    define_op(
        _name,
        inputs="sorted_inputs: T, values: T",
        outputs="output: out_type",
        attrs=["T: type", "out_type: {int32, int64} = int32"],
        shape=_bound_shape,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
    )


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The distinct values of a vector, in order of first appearance.

    Args:
      x: A vector.
      out_idx: Element type of the places: int32 or int64.
      name: Name of the operation.

    Returns:
      A named tuple: `y`, the values, and `idx` with `x[i] == y[idx[i]]`.
    """
    return apply_op("Unique", x, out_idx=out_idx, name=name)


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """Like `unique`, and also says as `count` how often each value appears."""
    return apply_op("UniqueWithCounts", x, out_idx=out_idx, name=name)


def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> Any:
    """The values of one vector that another one lacks, in their order.

    Args:
      x: A vector.
      y: A vector of the same dtype.
      index_dtype: Element type of the places: int32 or int64.
      name: Name of the operation.

    Returns:
      A named tuple: `out`, the values, and `idx` with `out[i] == x[idx[i]]`.
    """
    return apply_op("ListDiff", x, y, out_idx=index_dtype, name=name)


def sparse_mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """`IndexedSlices` without the slices at some indices."""
    with name_scope(name, "sparse_mask", [a, mask_indices]) as scope:
        kept, places = apply_op("ListDiff", a.indices, mask_indices)
        values = array_gather.gather(a.values, places, name=scope)
        return IndexedSlices(values, kept, a.dense_shape)


def _last(vector: Any) -> Tensor:
    last: Tensor = vector[-1]
    return last


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Where values would have to be put into sorted sequences to keep them sorted.

    Args:
      sorted_sequence: Sequences along the last dimension, each sorted.
      values: Values for each sequence along the last dimension.
      side: "left" for the first place among equal values, "right" for the place after them.
      out_type: int32 or int64.
      name: Name of the operation.

    Raises:
      ValueError: `side` is neither.
    """
    sequence_size = _last(array_shape.shape_internal(sorted_sequence))
    values_size = _last(array_shape.shape_internal(values))
    rows = array_shape.reshape(sorted_sequence, [-1, sequence_size])
    values_rows = array_shape.reshape(values, [-1, values_size])
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}.")
    op_type = "UpperBound" if side == "right" else "LowerBound"
    found = single(op_type, rows, values_rows, out_type=out_type, name=name)
    return array_shape.reshape(found, array_shape.shape_internal(values))

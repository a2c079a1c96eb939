"""Reductions over segments: rows that carry the same id are reduced to one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.index as array_index
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.segment_gradients as gradients
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NUMBER, REAL
from dataflow.schema.opdef import GradientFunction, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape


def _segment_shape(c: InferenceContext) -> TensorShape:
    """The ids count the rows of the result, which only a run can tell."""
    dims = with_rank_at_least(c.input(0), 1).dims_tuple
    with_rank(c.input(1), 1)
    return UNKNOWN if dims is None else TensorShape.of((None, *dims[1:]))


def _unsorted_shape(c: InferenceContext) -> TensorShape:
    data, ids = c.input(0).dims_tuple, c.input(1).dims_tuple
    with_rank(c.input(2), 0)
    if ids is None:
        return UNKNOWN
    if data is not None:
        if len(data) < len(ids):
            raise ValueError(f"Shape must be at least rank {len(ids)} but is rank {len(data)}")
        for m, n in zip(data, ids, strict=False):
            if m is not None and n is not None and m != n:
                raise ValueError(f"Dimensions must be equal, but are {m} and {n}")
    count = c.constant(2)
    if count is not None and int(count) < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 2, must be non-negative but is {int(count)}"
        )
    if data is None:
        return UNKNOWN
    return TensorShape.of((None if count is None else int(count), *data[len(ids) :]))


def _define_sorted(op_type: str, types: str, gradient: GradientFunction, doc: str) -> None:
    define_op(
        op_type,
        inputs="data: T, segment_ids: Tindices",
        outputs="output: T",
        attrs=[types, "Tindices: {int32, int64}"],
        shape=_segment_shape,
        gradient=gradient,
        doc=doc,
    )


def _define_unsorted(
    op_type: str, types: str, indices: str, gradient: GradientFunction, doc: str
) -> None:
    define_op(
        op_type,
        inputs="data: T, segment_ids: Tindices, num_segments: Tnumsegments",
        outputs="output: T",
        attrs=[types, f"Tindices: {indices}", "Tnumsegments: {int32, int64} = int32"],
        shape=_unsorted_shape,
        gradient=gradient,
        doc=doc,
    )


_define_sorted("SegmentSum", NUMBER, gradients.sum_gradient, "Sums over segments.")
_define_sorted("SegmentMean", NUMBER, gradients.mean_gradient, "Means over segments.")
_define_sorted("SegmentProd", NUMBER, gradients.prod_gradient, "Products over segments.")
_define_sorted("SegmentMax", REAL, gradients.extreme_gradient, "Maxima over segments.")
_define_sorted("SegmentMin", REAL, gradients.extreme_gradient, "Minima over segments.")
_WIDE, _NARROW = "{int32, int64}", "{int16, int32, int64}"
_define_unsorted(
    "UnsortedSegmentSum",
    NUMBER,
    _NARROW,
    gradients.unsorted_sum_gradient,
    "Sums over segments, whose ids come in any order.",
)
_define_unsorted(
    "UnsortedSegmentProd",
    NUMBER,
    _WIDE,
    gradients.unsorted_prod_gradient,
    "Products over segments, whose ids come in any order.",
)
_define_unsorted(
    "UnsortedSegmentMax",
    REAL,
    _WIDE,
    gradients.unsorted_extreme_gradient,
    "Maxima over segments, whose ids come in any order.",
)
_define_unsorted(
    "UnsortedSegmentMin",
    REAL,
    _WIDE,
    gradients.unsorted_extreme_gradient,
    "Minima over segments, whose ids come in any order.",
)


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Sums the rows of `data` that carry the same id.

    Args:
      data: Tensor of shape `[n, ...]`.
      segment_ids: Sorted ids from 0 on, of shape `[n]`; an id that is left out gives 0.
      name: Name of the operation.

    Returns:
      Tensor of shape `[greatest id + 1, ...]`.

    Raises:
      InvalidArgumentError: In the run: ids are not sorted or negative.
    """
    return single("SegmentSum", data, segment_ids, name=name)


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The means of rows that carry the same id; see `segment_sum`."""
    return single("SegmentMean", data, segment_ids, name=name)


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The products of rows that carry the same id, 1 for none; see `segment_sum`."""
    return single("SegmentProd", data, segment_ids, name=name)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The maxima of rows that carry the same id; see `segment_sum`."""
    return single("SegmentMax", data, segment_ids, name=name)


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The minima of rows that carry the same id; see `segment_sum`."""
    return single("SegmentMin", data, segment_ids, name=name)


@dispatched
def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Sums the slices of `data` that carry the same id.

    Args:
      data: Tensor whose shape starts with that of the ids.
      segment_ids: Ids below `num_segments` in any order; slices of a negative id are left out.
      num_segments: Number of rows of the result: an integer scalar.
      name: Name of the operation.

    Returns:
      Tensor of shape `[num_segments, ...]`, 0 for an id that does not occur.

    Raises:
      InvalidArgumentError: In the run: an id is not below `num_segments`.
    """
    return single("UnsortedSegmentSum", data, segment_ids, num_segments, name=name)


@dispatched
def unsorted_segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The products of slices that carry the same id, 1 for none; see `unsorted_segment_sum`."""
    return single("UnsortedSegmentProd", data, segment_ids, num_segments, name=name)


@dispatched
def unsorted_segment_max(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The maxima of slices that carry the same id, the least value of the dtype for none."""
    return single("UnsortedSegmentMax", data, segment_ids, num_segments, name=name)


@dispatched
def unsorted_segment_min(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The minima of slices that carry the same id, the greatest value of the dtype for none."""
    return single("UnsortedSegmentMin", data, segment_ids, num_segments, name=name)


@dispatched
def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The means of slices that carry the same id, 0 for none; see `unsorted_segment_sum`."""
    with name_scope(name, "UnsortedSegmentMean"):
        return _over_count(data, segment_ids, num_segments, lambda count: count)


@dispatched
def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The sums over segments, each over the root of its size; see `unsorted_segment_sum`."""
    with name_scope(name, "UnsortedSegmentSqrtN"):
        return _over_count(data, segment_ids, num_segments, math_unary.sqrt)


def _over_count(
    data: Any, segment_ids: Any, num_segments: Any, scale: Callable[[Tensor], Tensor]
) -> Tensor:
    values = convert_to_tensor(data)
    ids = convert_to_tensor(segment_ids)
    count = _segment_sizes(values, ids, num_segments)
    summed: Any = unsorted_segment_sum(values, ids, num_segments)
    quotient: Tensor = summed / scale(count)
    return quotient


def _segment_sizes(data: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """The number of slices in each segment, at least 1, shaped to divide the sums."""
    total: Any = convert_to_tensor(num_segments)
    ones = array_fill.ones(array_shape.shape_internal(segment_ids), dtype=data.dtype)
    count = unsorted_segment_sum(ones, segment_ids, total)
    outer = total[array_index.newaxis]
    rank: Any = array_shape.rank(data)
    inner = array_fill.ones([rank - array_shape.rank(segment_ids)], dtype=total.dtype)
    shape = array_concat.concat([outer, inner], axis=0)
    return math_binary.maximum(array_shape.reshape(count, shape), 1)

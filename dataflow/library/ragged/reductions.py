"""Reductions and segments of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reduce_ops
import dataflow.ops.reductions.scan as scans
import dataflow.ops.reductions.segment as segment_ops
from dataflow.graph import scopes
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library import check_values
from dataflow.library.ragged import segments
from dataflow.library.ragged.ranges import ragged_range
from dataflow.library.ragged.shaping import expanded
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor, normalized_axis
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import ones_like, zeros
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.single import single
from dataflow.values import dtypes

Segment = Callable[..., Any]


def segment_aggregate(
    of_segments: Segment, data: Any, segment_ids: Any, count: Any, name: Any
) -> Any:
    """What an op of unsorted segments makes of tensors and ragged ones.

    Raises:
      ValueError: Both are ragged, and have different rows.
    """
    with scopes.name_scope(name, "RaggedSegment", [data, segment_ids, count]):
        data = as_ragged_or_tensor(data, name="data")
        ids: Any = as_ragged_or_tensor(segment_ids, name="segment_ids")
        if isinstance(ids, RaggedTensor):
            if not isinstance(data, RaggedTensor):
                raise ValueError("If segment_ids is ragged, then data must be ragged.")
            check = check_values.assert_equal(
                ids.row_splits,
                data.row_splits,
                message="segment_ids.shape must be a prefix of data.shape",
            )
            inner = RaggedTensor(
                data.values, data._row_partition.with_dependencies([check]), internal=True
            )
            values = inner.values
            if not isinstance(values, RaggedTensor):
                values = with_dependencies([check], values)
            return segment_aggregate(of_segments, values, ids.values, count, None)
        if isinstance(data, Tensor):
            return of_segments(data, ids, count)
        kind = data.row_splits.dtype
        ids = cast(ids, kind)
        count = cast(convert_to_tensor(count), kind)
        lengths = data.row_lengths()
        least = segment_ops.unsorted_segment_max(lengths, ids, count)
        longest: Any = _at_least_zero(least)
        splits: Any = segments.splits_of(longest)
        starts: Any = gather(splits, ids)
        places = ragged_range(starts, starts + lengths, row_splits_dtype=kind).values
        values = segment_aggregate(of_segments, data.values, places, splits[-1], None)
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def _at_least_zero(x: Any) -> Any:
    return single("Maximum", x, constant(0, x.dtype))


def reduce_aggregate(
    of_tensor: Callable[..., Any],
    of_segments: Segment,
    x: Any,
    axis: Any,
    keepdims: bool,
    name: str | None,
) -> Any:
    """What a reduction makes of a ragged tensor, dimension by dimension.

    Raises:
      ValueError: Dimensions are not known while building, or come twice.
    """
    x = as_ragged_or_tensor(x, name="rt_input")
    if not isinstance(x, RaggedTensor):
        return of_tensor(x, axis, keepdims=keepdims, name=name)
    if isinstance(axis, Tensor):
        known = constant_value(axis)
        if known is None:
            raise ValueError("axis must be known at graph construction time.")
        axis = known.tolist()
    if axis is None:
        made = of_tensor(x.flat_values, None, keepdims=keepdims, name=name)
        rank = x.shape.rank
        if keepdims and rank is not None:
            made = array_shape.reshape(made, [1] * rank)
        return made
    with scopes.name_scope(name, "RaggedReduce", [x, axis]):
        if isinstance(axis, (list, tuple)):
            if not axis:
                return x
            axes = [normalized_axis(each, x.shape.rank, "rank(input_tensor)") for each in axis]
            if len(set(axes)) < len(axes):
                raise ValueError(f"Duplicate axis in {list(axis)}")
            for each in sorted(axes, reverse=True):
                x = reduce_aggregate(of_tensor, of_segments, x, each, keepdims, None)
            return x
        place = normalized_axis(axis, x.shape.rank, "rank(input_tensor)")
        return _reduced(of_tensor, of_segments, x, place, keepdims)


def _reduced(
    of_tensor: Callable[..., Any], of_segments: Segment, x: Any, axis: int, keepdims: bool
) -> Any:
    if not isinstance(x, RaggedTensor):
        return of_tensor(x, axis, keepdims=keepdims)
    if axis > 1:
        return x.with_values(_reduced(of_tensor, of_segments, x.values, axis - 1, keepdims))
    kind = x.row_splits.dtype
    if axis == 0:
        lengths = concat([constant([0], kind), x.row_lengths()], 0)
        width = reduce_ops.reduce_max(lengths)
        starts = gather(x.row_starts(), x.value_rowids())
        count: Any = segments.numbers(x._row_partition.nvals(), kind)
        made = segment_aggregate(of_segments, x.values, count - starts, width, None)
    else:
        made = segment_aggregate(of_segments, x.values, x.value_rowids(), x.nrows(), None)
    return expanded(made, axis) if keepdims else made


def _reduction(of_tensor: Any, of_segments: Segment) -> Callable[..., Any]:
    def reduce(
        input_tensor: Any,
        axis: Any = None,
        keepdims: Any = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: Any = None,
    ) -> Any:
        axis = reduction_indices if axis is None else axis
        keep = bool(keep_dims if keepdims is None else keepdims)
        return reduce_aggregate(of_tensor, of_segments, input_tensor, axis, keep, name)

    return reduce


reduce_sum = _reduction(reduce_ops.reduce_sum, segment_ops.unsorted_segment_sum)
reduce_prod = _reduction(reduce_ops.reduce_prod, segment_ops.unsorted_segment_prod)
reduce_min = _reduction(reduce_ops.reduce_min, segment_ops.unsorted_segment_min)
reduce_max = _reduction(reduce_ops.reduce_max, segment_ops.unsorted_segment_max)


def _options(axis: Any, keepdims: Any, reduction_indices: Any, keep_dims: Any) -> dict[str, Any]:
    return {
        "axis": reduction_indices if axis is None else axis,
        "keepdims": bool(keep_dims if keepdims is None else keepdims),
    }


def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """The mean along dimensions."""
    options = _options(axis, keepdims, reduction_indices, keep_dims)
    with scopes.name_scope(name, "RaggedReduceMean", [input_tensor]):
        total = reduce_sum(input_tensor, **options)
        if not isinstance(input_tensor, RaggedTensor):
            return reduce_ops.reduce_mean(input_tensor, **options)
        ones = input_tensor.with_flat_values(ones_like(input_tensor.flat_values))
        count = reduce_sum(ones, **options)
        if isinstance(total, RaggedTensor):
            return total.with_flat_values(total.flat_values / count.flat_values)
        return total / count


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Any:
    """The variance along dimensions: the mean of squares less the square of the mean."""
    with scopes.name_scope(name, "RaggedReduceVariance", [input_tensor]):
        x = as_ragged_or_tensor(input_tensor)
        if x.dtype.is_integer:
            raise TypeError("Input must be either real or complex")
        square = x.with_flat_values(math_unary.square(x.flat_values))
        mean_of_square = reduce_mean(square, axis, keepdims)
        mean = reduce_mean(x, axis, keepdims)
        if isinstance(mean, RaggedTensor):
            flat = mean_of_square.flat_values - math_unary.square(mean.flat_values)
            return mean.with_flat_values(_at_least_zero(flat))
        return _at_least_zero(mean_of_square - math_unary.square(mean))


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Any:
    """The standard deviation along dimensions."""
    with scopes.name_scope(name, "RaggedReduceStd", [input_tensor]):
        variance = reduce_variance(input_tensor, axis, keepdims)
        return math_unary.sqrt(variance)


def _as_int(x: Any) -> Any:
    x = as_ragged_or_tensor(x)
    return x.with_flat_values(cast(x.flat_values, dtypes.int32))


def _as_bool(x: Any) -> Any:
    if isinstance(x, RaggedTensor):
        return x.with_flat_values(cast(x.flat_values, dtypes.bool))
    return cast(x, dtypes.bool)


def reduce_all(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """Whether all are true along dimensions."""
    options = _options(axis, keepdims, reduction_indices, keep_dims)
    with scopes.name_scope(name, "RaggedReduceAll", [input_tensor]):
        return _as_bool(reduce_prod(_as_int(input_tensor), **options))


def reduce_any(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """Whether any is true along dimensions."""
    options = _options(axis, keepdims, reduction_indices, keep_dims)
    with scopes.name_scope(name, "RaggedReduceAny", [input_tensor]):
        return _as_bool(reduce_sum(_as_int(input_tensor), **options))


def _segments(of_segments: Segment) -> Callable[..., Any]:
    def aggregate(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        return segment_aggregate(of_segments, data, segment_ids, num_segments, name)

    return aggregate


segment_sum = _segments(segment_ops.unsorted_segment_sum)
segment_prod = _segments(segment_ops.unsorted_segment_prod)
segment_min = _segments(segment_ops.unsorted_segment_min)
segment_max = _segments(segment_ops.unsorted_segment_max)


def _over_counts(power: float) -> Callable[..., Any]:
    def aggregate(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        with scopes.name_scope(name, "RaggedSegmentMean", [data, segment_ids, num_segments]):
            x = as_ragged_or_tensor(data)
            total = segment_sum(x, segment_ids, num_segments)
            ones = ones_like(x.flat_values)
            count = segment_sum(x.with_flat_values(ones), segment_ids, num_segments)
            if not isinstance(total, RaggedTensor):
                return total / (count if power == 1 else math_unary.sqrt(count))
            divisor = count.flat_values
            if power != 1:
                divisor = math_unary.sqrt(divisor)
            return total.with_flat_values(total.flat_values / divisor)

    return aggregate


segment_mean = _over_counts(1)
segment_sqrt_n = _over_counts(0.5)


def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """Sums of the values up to each, in each row of the innermost ragged dimension or below it.

    Raises:
      ValueError: It is another dimension.
    """
    with scopes.name_scope(name, "RaggedCumSum", [x, axis]):
        axis = normalized_axis(axis, x.shape.rank, "rank(input)")
        flat: Any = x.flat_values
        if axis > x.ragged_rank:
            inner = scans.cumsum(flat, axis - x.ragged_rank, exclusive, reverse)
            return x.with_flat_values(inner)
        if axis != x.ragged_rank:
            raise ValueError(f"cumsum along axis={axis} of a ragged tensor is not supported")
        partition = x._nested_row_partitions[-1]
        sums: Any = scans.cumsum(flat, exclusive=exclusive, reverse=reverse)
        # What stands before a row, or behind it, does not count.
        sizes: Any = array_shape.shape(flat)
        nothing = zeros(concat([[1], sizes[1:]], 0), flat.dtype)
        if reverse:
            ends = partition.row_limits()
            beyond = scans.cumsum(concat([flat, nothing], 0), reverse=True)
        else:
            ends = partition.row_starts()
            beyond = scans.cumsum(concat([nothing, flat], 0))
        return x.with_flat_values(sums - gather(gather(beyond, ends), partition.value_rowids()))

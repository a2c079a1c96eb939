"""tf.contrib.reduce_slice_ops: reductions of ranges along an axis."""

from __future__ import annotations

from collections.abc import Callable as _Callable
from typing import Any as _Any

from dataflow.graph.constant_value import constant_value as _constant_value
from dataflow.graph.convert import convert_to_tensor as _convert_to_tensor
from dataflow.graph.scopes import name_scope as _name_scope
from dataflow.graph.tensor import Tensor as _Tensor
from dataflow.library.ragged.ranges import ragged_range as _ragged_range
from dataflow.ops.array.gather import gather as _gather
from dataflow.ops.array.shape import shape as _shape
from dataflow.ops.array.transpose import transpose as _transpose
from dataflow.ops.math.binary import maximum as _maximum
from dataflow.ops.math.binary import minimum as _minimum
from dataflow.ops.reductions.segment import unsorted_segment_max as _unsorted_segment_max
from dataflow.ops.reductions.segment import unsorted_segment_min as _unsorted_segment_min
from dataflow.ops.reductions.segment import unsorted_segment_prod as _unsorted_segment_prod
from dataflow.ops.reductions.segment import unsorted_segment_sum as _unsorted_segment_sum


def reduce_slice_sum(data: _Any, indices: _Any, axis: _Any, name: str | None = None) -> _Tensor:
    """The sum of each range along an axis, 0 if it is empty.

    Args:
      data: Numbers.
      indices: int32 or int64 [n, 2]: where ranges begin and end; or [n + 1]: each begins where the
        one before ends. What lies outside of the axis counts for nothing.
      axis: The axis, a number that is known when the graph is built.
      name: The name scope.

    Returns:
      Numbers with `n` places on the axis; there is a gradient.

    Raises:
      ValueError: The axis or the rank of the data are not known, or indices have other shapes.
    """
    return _reduced(data, indices, axis, name or "ReduceSliceSum", _unsorted_segment_sum)


def reduce_slice_prod(data: _Any, indices: _Any, axis: _Any, name: str | None = None) -> _Tensor:
    """The product of each range along an axis, 1 if it is empty.

    See `reduce_slice_sum` for the arguments, and what is raised.
    """
    return _reduced(data, indices, axis, name or "ReduceSliceProd", _unsorted_segment_prod)


def reduce_slice_max(data: _Any, indices: _Any, axis: _Any, name: str | None = None) -> _Tensor:
    """The largest of each range along an axis, the least number of the type if it is empty.

    See `reduce_slice_sum` for the arguments, and what is raised.
    """
    return _reduced(data, indices, axis, name or "ReduceSliceMax", _unsorted_segment_max)


def reduce_slice_min(data: _Any, indices: _Any, axis: _Any, name: str | None = None) -> _Tensor:
    """The least of each range along an axis, the largest number of the type if it is empty.

    See `reduce_slice_sum` for the arguments, and what is raised.
    """
    return _reduced(data, indices, axis, name or "ReduceSliceMin", _unsorted_segment_min)


def _reduced(
    data: _Any, indices: _Any, axis: _Any, name: str, reduction: _Callable[..., _Tensor]
) -> _Tensor:
    with _name_scope(name, values=[data, indices]):
        data = _convert_to_tensor(data, name="data")
        indices = _convert_to_tensor(indices, name="indices")
        along = _constant_value(_convert_to_tensor(axis))
        rank = data.shape.ndims
        if along is None or rank is None:
            raise ValueError("The axis and the rank of data must be known.")
        if not -rank <= along < rank:
            raise ValueError(f"axis must be in [{-rank}, {rank}); got {along}.")
        if indices.shape.ndims == 1:
            begins, ends = indices[:-1], indices[1:]
        else:
            indices.shape.assert_is_compatible_with([None, 2])
            begins, ends = indices[:, 0], indices[:, 1]
        first = int(along) % rank
        order = [first, *(each for each in range(rank) if each != first)]
        rows = _transpose(data, order)
        count = _shape(rows, out_type=indices.dtype)[0]
        begins = _minimum(_maximum(begins, 0), count)
        places = _ragged_range(begins, _maximum(_minimum(ends, count), begins))
        found = reduction(
            _gather(rows, places.flat_values), places.value_rowids(), _shape(begins)[0]
        )
        return _transpose(found, [order.index(each) for each in range(rank)])

"""How the elements of a tensor are distributed: rows of a left edge, a right edge and a count."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.cond import cond
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_scalar, assert_type
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import fill, zeros
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.compare import equal, less_equal, logical_or
from dataflow.ops.math.linspace import linspace
from dataflow.ops.math.rounding import floor
from dataflow.ops.reductions.reduce import reduce_max, reduce_min, reduce_sum
from dataflow.values import dtypes

_DEFAULT_COUNT = 30


def buckets_of(data: Any, count: Any = None) -> Tensor:
    """Counts elements in buckets of one width between the smallest and the largest of them.

    If all are equal, each bucket lies there and the last has all; without elements or buckets all
    are zero.

    Args:
      data: Numbers of any shape.
      count: How many buckets, an int32 scalar; 30 if None, and none if it is negative.

    Returns:
      float64 of the shape `(count, 3)`.
    """
    count = _DEFAULT_COUNT if count is None else count
    with name_scope("buckets"):
        assert_scalar(count)
        assert_type(count, dtypes.int32)
        count = maximum(0, count)
        data = cast(array_shape.reshape(data, [-1]), dtypes.float64)
        size = array_shape.size(data)
        empty = logical_or(equal(size, 0), less_equal(count, 0))
        rows: Tensor = cond(
            empty,
            lambda: zeros((count, 3), dtypes.float64),
            lambda: _between(data, size, count, reduce_min(data), reduce_max(data)),
        )
    return rows


def _between(data: Tensor, size: Tensor, count: Any, least: Tensor, most: Tensor) -> Any:
    width = most - least

    def several() -> Tensor:
        indices = cast(floor((data - least) / (width / cast(count, dtypes.float64))), dtypes.int32)
        rows = one_hot(minimum(indices, count - 1), count, dtype=dtypes.float64)
        counts = cast(reduce_sum(rows, 0), dtypes.float64)
        edges = concat([linspace(least, most, count + 1)[:-1], [most]], 0)
        return transpose(stack([edges[:-1], edges[1:], counts]))

    def one() -> Tensor:
        edges = fill([count], most)
        counts = concat([fill([count], 0)[:-1], [size]], 0)[:count]
        return transpose(stack([edges, edges, cast(counts, dtypes.float64)]))

    return cond(equal(width, 0), one, several)

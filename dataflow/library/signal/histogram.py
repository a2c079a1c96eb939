"""The part of a range that each value lies in."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.assertion import Assert
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.clipping import clip_by_value
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.math.compare import greater
from dataflow.ops.math.division import truediv
from dataflow.ops.math.rounding import floor
from dataflow.values import dtypes


def histogram_fixed_width_bins(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The number of the part that each value lies in, of `nbins` equal parts of a range.

    Args:
      values: Numbers of any shape.
      value_range: Vector of two: the bounds; what is beyond them is in the first or the last part.
      nbins: Number of parts.
      dtype: Not used: the numbers are int32.
      name: Name of the scope.
    """
    with name_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
        numbers: Any = convert_to_tensor(values, name="values")
        shape = array_shape.shape(numbers)
        numbers = array_shape.reshape(numbers, [-1])
        bounds: Any = convert_to_tensor(value_range, name="value_range")
        count: Any = convert_to_tensor(nbins, dtype=dtypes.int32, name="nbins")
        check = Assert(greater(count, 0), [f"nbins {count} must > 0"])
        count = with_dependencies([check], count)
        parts: Any = cast(count, numbers.dtype)
        scaled: Any = truediv(numbers - bounds[0], bounds[1] - bounds[0], name="scaled_values")
        indices = floor(parts * scaled, name="indices")
        clipped = cast(clip_by_value(indices, 0, parts - 1), dtypes.int32)
        return array_shape.reshape(clipped, shape)

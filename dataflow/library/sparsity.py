"""The share of zeros among activations."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.compare as math_compare
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.values import dtypes
from dataflow.values.dtypes import DType


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of zeros among the elements, float32; NaN for an empty tensor.

    Args:
      value: Numeric tensor.
      name: Name of the scope.
    """
    with name_scope(name, "zero_fraction", [value]):
        tensor = convert_to_tensor(value, name="value")
        size: Any = array_shape.size(tensor, out_type=dtypes.int64)
        # A small number is counted in int32, which takes less memory.
        others = cond(
            size <= dtypes.int32.max,
            true_fn=lambda: cast(_count_nonzero(tensor, dtypes.int32), dtypes.int64),
            false_fn=lambda: _count_nonzero(tensor, dtypes.int64),
        )
        with name_scope("counts_to_fraction"):
            zeros: Any = cast(size - others, dtypes.float32)
            fraction: Any = zeros / cast(size, dtypes.float32)
        result: Tensor = identity(fraction, "fraction")
        return result


def _count_nonzero(tensor: Tensor, dtype: DType) -> Tensor:
    with name_scope("count_nonzero", values=[tensor]):
        zero = array_fill.zeros([], dtype=tensor.dtype)
        is_other = cast(math_compare.not_equal(tensor, zero), dtype)
        result: Tensor = reductions.reduce_sum(is_other, name="nonzero_count")
        return result

"""Numbers from one value to another, both included: the LinSpace op, and linspace."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.repeat as array_repeat
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range
from dataflow.ops.basic.shape_parts import vector
from dataflow.ops.math.types import FLOAT, INDEX
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _linspace_shape(c: InferenceContext) -> TensorShape:
    for i in (0, 1, 2):
        with_rank(c.input(i), 0)
    num = c.constant(2)
    if num is None:
        return vector(None)
    if num.item() <= 0:
        raise ValueError(f"Requires num > 0: {num.item()}")
    return vector(int(num.item()))


define_op(
    "LinSpace",
    inputs="start: T, stop: T, num: Tidx",
    outputs="output: T",
    attrs=[FLOAT, INDEX],
    shape=_linspace_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="`num` numbers at equal distances from start to stop, both included.",
)


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: Any = 0) -> Tensor:
    """`num` numbers at equal distances from `start` to `stop`, both included.

    Args:
      start: First number: a tensor of floating type.
      stop: Last number; `start` and `stop` broadcast.
      num: How many; an integer scalar.
      name: Name of the operations.
      axis: Where the new axis is put, if `start` and `stop` are no scalars.

    Raises:
      TypeError: `start` and `stop` have different dtypes, or `num` is no integer.
    """
    with name_scope(name, "linspace", [start, stop]):
        first: Any = convert_to_tensor(start, name="start")
        last: Any = convert_to_tensor(stop, name="stop", dtype=first.dtype)
        count: Any = array_repeat.convert_to_int_tensor(num, name="num")
        cast(count, first.dtype)
        common = array_broadcast.broadcast_dynamic_shape(
            array_shape.shape(first), array_shape.shape(last)
        )
        first = array_broadcast.broadcast_to(first, common)
        last = array_broadcast.broadcast_to(last, common)
        first = array_shape.expand_dims(first, axis=axis)
        last = array_shape.expand_dims(last, axis=axis)
        shape: Any = array_shape.shape(first)
        shape_of_shape: Any = array_shape.shape(shape)
        rank = shape_of_shape[0]
        axis = array_select.where_v2(axis >= 0, axis, rank + axis)
        inner_count = math_binary.maximum(count - 2, 0)
        steps = math_binary.maximum(count - 1, 1)
        delta = (last - first) / cast(steps, last.dtype)
        first = cast(first, delta.dtype)
        last = cast(last, delta.dtype)
        end = array_select.where_v2(count >= 0, steps, -1)
        inner = cast(range(1, end, dtype=dtypes.int64), delta.dtype)
        is_axis = math_compare.equal(axis, range(rank))
        inner = array_shape.reshape(inner, array_select.where_v2(is_axis, inner_count, 1))
        values = array_concat.concat((first, first + delta * inner, last), axis=axis)
        begin = array_fill.zeros_like(shape)
        parts = (shape[0:axis], array_shape.reshape(count, [1]), shape[axis + 1 :])
        return array_slice.slice(values, begin, array_concat.concat(parts, axis=0))


lin_space = linspace

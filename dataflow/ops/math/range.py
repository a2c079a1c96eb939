"""Number sequences: range and linspace."""

from __future__ import annotations

import builtins
import math
from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.repeat as array_repeat
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.cast as math_cast
import dataflow.ops.math.compare as math_compare
from dataflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import FLOAT, INDEX
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

__all__ = ["lin_space", "linspace", "range"]

_VECTOR = TensorShape.of((None,))


def _range_shape(c: InferenceContext) -> TensorShape:
    for i, _what in enumerate(("start", "limit", "delta")):
        rank = c.input(i).rank
        if rank not in (None, 0):
            raise ValueError(f"Shape must be rank 0 but is rank {rank}")
    values = [c.constant(i) for i in builtins.range(3)]
    if any(v is None for v in values):
        return _VECTOR
    start, limit, delta = (v.item() for v in values if v is not None)
    if c.input_dtype(0).is_floating:
        start, limit, delta = float(start), float(limit), float(delta)
    if delta == 0:
        raise ValueError("Requires delta != 0")
    if delta > 0 and start > limit:
        raise ValueError(f"Requires start <= limit when delta > 0: {start}/{limit}")
    if delta < 0 and start < limit:
        raise ValueError(f"Requires start >= limit when delta < 0: {start}/{limit}")
    if isinstance(start, float):
        size = math.ceil(abs((limit - start) / delta))
    else:
        size = -(-abs(limit - start) // abs(delta))
    return TensorShape.of((size,))


def _linspace_shape(c: InferenceContext) -> TensorShape:
    for i in builtins.range(3):
        with_rank(c.input(i), 0)
    num = c.constant(2)
    if num is None:
        return _VECTOR
    if num.item() <= 0:
        raise ValueError(f"Requires num > 0: {num.item()}")
    return TensorShape.of((int(num.item()),))


define_op(
    "Range",
    inputs="start: Tidx, limit: Tidx, delta: Tidx",
    outputs="output: Tidx",
    attrs=[
        "Tidx: {bfloat16, half, float32, float64, int8, int16, int32, int64, uint16, uint32,"
        " uint64} = int32"
    ],
    shape=_range_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The numbers from start up to but without limit, in steps of delta.",
)
define_op(
    "LinSpace",
    inputs="start: T, stop: T, num: Tidx",
    outputs="output: T",
    attrs=[FLOAT, INDEX],
    shape=_linspace_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="`num` numbers at equal distances from start to stop, both included.",
)

_RANGE_TYPES = (
    dtypes.int32,
    dtypes.int64,
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
)
"""From narrow to wide: the widest type of the arguments is the type of a range."""


def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = "range"
) -> Tensor:
    """The numbers from `start` up to but without `limit`, in steps of `delta`.

    Args:
      start: First number; with `limit` None, 0 is the first and this the limit.
      limit: Where the sequence ends, exclusive.
      delta: The distance, which may be negative.
      dtype: Element type; the widest of the arguments' by default.
      name: Name of the operation.

    Raises:
      ValueError: `delta` is 0, or points away from `limit`.
    """
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        arguments = [
            value
            if isinstance(value, Tensor)
            else convert_to_tensor(value, dtype=dtype, name=label)
            for value, label in ((start, "start"), (limit, "limit"), (delta, "delta"))
        ]
        if dtype is None:
            given = [t.dtype.base_dtype for t in arguments]
            assert all(t in _RANGE_TYPES for t in given)
            dtype = max(given, key=_RANGE_TYPES.index)
        arguments = [math_cast.cast(t, dtype) for t in arguments]
        return single("Range", *arguments, name=scope)


def _convert_range(
    value: builtins.range, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    return range(value.start, value.stop, value.step, dtype=dtype, name=name)


register_tensor_conversion_function(builtins.range, _convert_range, 100)


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
        math_cast.cast(count, first.dtype)
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
        delta = (last - first) / math_cast.cast(steps, last.dtype)
        first = math_cast.cast(first, delta.dtype)
        last = math_cast.cast(last, delta.dtype)
        end = array_select.where_v2(count >= 0, steps, -1)
        inner = math_cast.cast(range(1, end, dtype=dtypes.int64), delta.dtype)
        is_axis = math_compare.equal(axis, range(rank))
        inner = array_shape.reshape(inner, array_select.where_v2(is_axis, inner_count, 1))
        values = array_concat.concat((first, first + delta * inner, last), axis=axis)
        begin = array_fill.zeros_like(shape)
        parts = (shape[0:axis], array_shape.reshape(count, [1]), shape[axis + 1 :])
        return array_slice.slice(values, begin, array_concat.concat(parts, axis=0))


lin_space = linspace

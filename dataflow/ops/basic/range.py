"""Sequences of numbers at equal distances: the Range op, and Python's ranges as tensors."""

from __future__ import annotations

import builtins
import math
from typing import Any

from dataflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

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
        arguments = [cast(t, dtype) for t in arguments]
        return single("Range", *arguments, name=scope)


def _convert_range(
    value: builtins.range, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    return range(value.start, value.stop, value.step, dtype=dtype, name=name)


register_tensor_conversion_function(builtins.range, _convert_range, 100)

"""Comparisons with a threshold, eight to a byte."""

from __future__ import annotations

from dataflow.ops.basic.shape_parts import replaced, size_at
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape


def _shape(c: InferenceContext) -> TensorShape:
    shape = with_rank_at_least(c.input(0), 1)
    with_rank(c.input(1), 0)
    if shape.rank is None:
        return UNKNOWN
    size = size_at(shape, -1)
    if size is None:
        return replaced(shape, -1, None)
    if size % 8:
        raise ValueError(f"Dimension size must be evenly divisible by 8 but is {size}")
    return replaced(shape, -1, size // 8)


define_op(
    "CompareAndBitpack",
    inputs="input: T, threshold: T",
    outputs="output: uint8",
    attrs=["T: {bool, half, float32, float64, int8, int16, int32, int64}"],
    shape=_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Whether elements are greater; the first of eight is a byte's highest bit.",
)

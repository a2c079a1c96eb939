"""Clipping to an interval in one op."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.compare as math_compare
import dataflow.ops.reductions.reduce as math_reduce
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.ops.math.types import NUMBER
from dataflow.schema.opdef import define_op
from dataflow.schema.shape_functions import unchanged

__all__: list[str] = []


def _clip_gradient(op: Operation, grad: Any) -> Any:
    """Goes to the value where it is inside, else to the bound it is beyond."""
    x, low, high = op.inputs
    shape_x, shape_low, shape_high = map(array_shape.shape, op.inputs)
    zeros = array_fill.zeros(array_shape.shape(grad), grad.dtype)
    below = math_compare.less(x, low)
    above = math_compare.greater(x, high)
    _, axes_low = apply_op("BroadcastGradientArgs", shape_x, shape_low)
    _, axes_high = apply_op("BroadcastGradientArgs", shape_x, shape_high)
    outside = math_compare.logical_or(below, above)
    grad_x = array_select.where(outside, zeros, grad)
    grad_low = array_select.where(below, grad, zeros)
    grad_high = array_select.where(above, grad, zeros)
    return (
        grad_x,
        array_shape.reshape(math_reduce.reduce_sum(grad_low, axes_low), shape_low),
        array_shape.reshape(math_reduce.reduce_sum(grad_high, axes_high), shape_high),
    )


define_op(
    "ClipByValue",
    inputs="t: T, clip_value_min: T, clip_value_max: T",
    outputs="output: T",
    attrs=[NUMBER],
    shape=unchanged,
    gradient=_clip_gradient,
    doc="The elements, none below the minimum nor above the maximum; these are scalars or as t is.",
)

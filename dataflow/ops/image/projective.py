"""Images seen through a projective transformation: turned, moved, sheared."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.graph.operation import Operation
from dataflow.ops.basic.single import single
from dataflow.ops.image.sizes import size_input
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape

_ATTRS = (
    "dtype: {uint8, int32, int64, half, bfloat16, float32, float64}",
    "interpolation: string",
    "fill_mode: string = 'CONSTANT'",
)


def _shape(c: InferenceContext) -> TensorShape:
    batch, _, _, channels = with_rank(c.input(0), 4).dims_tuple or (None,) * 4
    height, width = size_input(c, 2)
    return TensorShape.of((batch, height, width, channels))


def inverted(transforms: Any) -> Any:
    """The transformations that undo some: rows of eight numbers, the ninth is 1."""
    a, b, c, d, e, f, g, h = (transforms[:, place] for place in range(8))
    parts = [
        e - f * h,
        c * h - b,
        b * f - c * e,
        f * g - d,
        a - c * g,
        c * d - a * f,
        d * h - e * g,
        b * g - a * h,
    ]
    return array_concat.stack([part / (a * e - b * d) for part in parts], axis=1)


def _undone(op: Operation, grad: Any, *more: Any) -> Any:
    sizes: Any = array_shape.shape(op.inputs[0])
    attrs = {name: op.attrs[name] for name in ("interpolation", "fill_mode")}
    return single(op.type, grad, inverted(op.inputs[1]), sizes[1:3], *more, **attrs)


def _gradient(op: Operation, grad: Any) -> Any:
    return [_undone(op, grad), None, None]


def _filled_gradient(op: Operation, grad: Any) -> Any:
    return [_undone(op, grad, 0.0), None, None, None]


define_op(
    "ImageProjectiveTransformV2",
    inputs="images: dtype, transforms: float32, output_shape: int32",
    outputs="transformed_images: dtype",
    attrs=_ATTRS,
    shape=_shape,
    gradient=_gradient,
    doc="Images whose pixels lie elsewhere in others: zeros, where they lie outside.",
)
define_op(
    "ImageProjectiveTransformV3",
    inputs="images: dtype, transforms: float32, output_shape: int32, fill_value: float32",
    outputs="transformed_images: dtype",
    attrs=_ATTRS,
    shape=_shape,
    gradient=_filled_gradient,
    doc="Images whose pixels lie elsewhere in others: a value, where they lie outside.",
)

"""Images scaled and moved, by one of several kernels."""

from __future__ import annotations

from typing import Any

from dataflow.graph.operation import Operation
from dataflow.ops.basic.single import single
from dataflow.ops.image.sizes import resized
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.values.shapes import TensorShape

_KERNEL = ("kernel_type: string = 'lanczos3'", "antialias: bool = true")


def _gradient(op: Operation, grad: Any) -> Any:
    attrs = {name: op.attrs[name] for name in ("kernel_type", "antialias")}
    images, _, scale, shift = op.inputs
    return [single("ScaleAndTranslateGrad", grad, images, scale, shift, **attrs), None, None, None]


def _gradient_shape(c: InferenceContext) -> TensorShape:
    return c.input(1)


define_op(
    "ScaleAndTranslate",
    inputs="images: T, size: int32, scale: float32, translation: float32",
    outputs="resized_images: float32",
    attrs=[
        "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float32, float64}",
        *_KERNEL,
    ],
    shape=resized,
    gradient=_gradient,
    doc="Images scaled and moved: each pixel is a weighted mean of those around its place.",
)
define_op(
    "ScaleAndTranslateGrad",
    inputs="grads: T, original_image: T, scale: float32, translation: float32",
    outputs="output: T",
    attrs=["T: {float32}", *_KERNEL],
    shape=_gradient_shape,
    gradient=MISSING_GRADIENT,
    doc="The gradient of ScaleAndTranslate.",
)

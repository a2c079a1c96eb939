"""Sums, products, joins, shapes and sizes of quantized tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.ops.array.concat import concat_shape
from dataflow.ops.array.shape import reshape_shape
from dataflow.ops.image.sizes import resized
from dataflow.ops.quantization.types import TYPES, with_range
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, broadcast, with_rank
from dataflow.values.shapes import TensorShape


def _concat(c: InferenceContext) -> list[TensorShape]:
    count = (c.num_inputs - 1) // 3
    joined = concat_shape(c, 0, range(1, count + 1))
    for index in range(count + 1, c.num_inputs):
        with_rank(c.input(index), 0)
    return [joined, SCALAR, SCALAR]


for _name, _what in (("QuantizedAdd", "x + y"), ("QuantizedMul", "x * y")):
    define_op(
        _name,
        inputs="x: T1, y: T2, min_x: float32, max_x: float32, min_y: float32, max_y: float32",
        outputs="z: Toutput, min_z: float32, max_z: float32",
        attrs=[f"T1: {TYPES}", f"T2: {TYPES}", f"Toutput: {TYPES} = qint32"],
        shape=with_range(broadcast),
        gradient=MISSING_GRADIENT,
        doc=f"{_what}, and the range in which its steps lie.",
    )
define_op(
    "QuantizedConcat",
    inputs="concat_dim: int32, values: N * T, input_mins: N * float32, input_maxes: N * float32",
    outputs="output: T, output_min: float32, output_max: float32",
    attrs=["N: int >= 2", "T: type"],
    shape=_concat,
    gradient=MISSING_GRADIENT,
    doc="Tensors put together along an axis, in a range that holds all of theirs.",
)
define_op(
    "QuantizedReshape",
    inputs="tensor: T, shape: Tshape, input_min: float32, input_max: float32",
    outputs="output: T, output_min: float32, output_max: float32",
    attrs=["T: type", "Tshape: {int32, int64} = int32"],
    shape=with_range(reshape_shape, 2, 3),
    gradient=MISSING_GRADIENT,
    doc="The same elements in another shape, in the same range.",
)
define_op(
    "QuantizedResizeBilinear",
    inputs="images: T, size: int32, min: float32, max: float32",
    outputs="resized_images: T, out_min: float32, out_max: float32",
    attrs=[
        "T: {quint8, qint32, float32}",
        "align_corners: bool = false",
        "half_pixel_centers: bool = false",
    ],
    shape=with_range(resized, 2, 3),
    gradient=MISSING_GRADIENT,
    doc="Images in another size, interpolated linearly, in the same range.",
)


def quantized_concat(
    concat_dim: Any,
    values: Sequence[Any],
    input_mins: Sequence[Any],
    input_maxes: Sequence[Any],
    name: str | None = None,
) -> Any:
    """Puts quantized tensors together along an axis.

    Args:
      concat_dim: The axis, a scalar.
      values: Tensors of one quantized type.
      input_mins: What the lowest step stands for in each of them.
      input_maxes: What the highest one stands for.
      name: Name of the operation.

    Returns:
      The tensor, and a range that holds all of theirs and 0.
    """
    return apply_op("QuantizedConcat", concat_dim, values, input_mins, input_maxes, name=name)

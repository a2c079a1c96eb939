"""ExtractVolumePatches: the neighbourhood of each place of a volume, laid into the channels."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.range as range_ops
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import Size, multiply
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import REAL
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _shape(c: InferenceContext) -> TensorShape:
    dims = with_rank(c.input(0), 5).dims_tuple or (None,) * 5
    for name in ("ksizes", "strides"):
        if len(c.attr(name)) != 5:
            raise ValueError(
                f"ExtractVolumePatches requires the {name} attribute to contain 5 values, but got: "
                f"{len(c.attr(name))}"
            )
    ksizes, strides = c.attr("ksizes"), c.attr("strides")
    sizes: list[Size] = [None, None, None]
    if None not in dims[1:4]:
        for axis, size in enumerate(dims[1:4]):
            taps, stride = ksizes[axis + 1], strides[axis + 1]
            if stride <= 0:
                raise ValueError(f"Stride must be > 0, but got {stride}")
            if size is not None and c.attr("padding") == b"SAME":
                sizes[axis] = -(-size // stride)
            elif size is not None:
                sizes[axis] = (size - taps + stride) // stride
                if size + stride < taps:
                    raise ValueError(
                        f"Computed output size would be negative: {sizes[axis]} [input_size: "
                        f"{size}, effective_filter_size: {taps}, stride: {stride}]"
                    )
    depth = multiply(dims[4], ksizes[1] * ksizes[2] * ksizes[3])
    return TensorShape.of((dims[0], *sizes, depth))


def _gradient(op: Operation, grad: Any) -> Any:
    """Extracts the patches of the places' numbers, and sums the gradients of each number."""
    in_shape: Any = array_shape.shape(op.inputs[0], out_type=dtypes.int64)
    batch, planes, rows, columns, channels = array_concat.unstack(in_shape)
    out_shape: Any = array_shape.shape(op.outputs[0], out_type=dtypes.int64)
    sizes = array_concat.unstack(out_shape[1:4])
    taps = op.attrs["ksizes"][1:4]
    count: Any = planes * rows * columns
    numbers = range_ops.range(1, count + 1, dtype=dtypes.float64)
    volume = array_shape.reshape(numbers, (1, planes, rows, columns, 1))
    attrs = {name: op.attrs[name] for name in ("ksizes", "strides", "padding")}
    places: Any = single("Cast", single("ExtractVolumePatches", volume, **attrs), DstT=dtypes.int64)
    split = array_shape.reshape(array_shape.dense(grad), (batch, *sizes, *taps, channels))
    by_place = array_transpose.transpose(split, (1, 2, 3, 4, 5, 6, 0, 7))
    flat = array_shape.reshape(by_place, (-1, batch * channels))
    segments: Any = array_shape.reshape(places, [-1])
    summed = single("UnsortedSegmentSum", flat, segments - 1, count)
    whole = array_shape.reshape(summed, (planes, rows, columns, batch, channels))
    return [array_transpose.transpose(whole, (3, 0, 1, 2, 4))]


define_op(
    "ExtractVolumePatches",
    inputs="input: T",
    outputs="patches: T",
    attrs=[
        "ksizes: list(int) >= 5",
        "strides: list(int) >= 5",
        REAL,
        "padding: {'SAME', 'VALID'}",
    ],
    shape=_shape,
    gradient=_gradient,
    doc="The elements of each window over a volume, in the channels of one place.",
)


def extract_volume_patches(
    input: Any, ksizes: Any, strides: Any, padding: Any, name: str | None = None
) -> Tensor:
    """The elements of each window over a volume, in the channels of one place.

    Args:
      input: Volumes `[batch, planes, rows, columns, channels]`.
      ksizes: Size of a window: `[1, planes, rows, columns, 1]`.
      strides: Distance of windows: `[1, planes, rows, columns, 1]`.
      padding: "SAME" or "VALID".
      name: Name of the operation.
    """
    return single(
        "ExtractVolumePatches", input, ksizes=ksizes, strides=strides, padding=padding, name=name
    )

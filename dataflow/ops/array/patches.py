"""ExtractImagePatches: the neighbourhood of each place of an image, laid into the channels."""

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
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def _patches_shape(c: InferenceContext) -> TensorShape:
    dims = with_rank(c.input(0), 4).dims_tuple or (None,) * 4
    for name in ("ksizes", "strides", "rates"):
        if len(c.attr(name)) != 4:
            raise ValueError(
                f"ExtractImagePatches requires the {name} attribute to contain 4 values, but got: "
                f"{len(c.attr(name))}"
            )
    sizes: list[Size] = [None, None]
    if dims[1] is not None and dims[2] is not None:
        for axis, size in enumerate((dims[1], dims[2])):
            taps, stride, rate = (c.attr(name)[axis + 1] for name in ("ksizes", "strides", "rates"))
            window = taps + (taps - 1) * (rate - 1)
            sizes[axis] = _windows(size, window, stride, c.attr("padding"))
    depth = multiply(dims[3], c.attr("ksizes")[1] * c.attr("ksizes")[2])
    return TensorShape.of((dims[0], *sizes, depth))


def _windows(size: int, window: int, stride: int, padding: bytes) -> int:
    if padding == b"SAME":
        return -(-size // stride)
    count = (size - window + stride) // stride
    if count < 0:
        raise ValueError(
            f"Computed output size would be negative: {count} [input_size: {size}, "
            f"effective_filter_size: {window}, stride: {stride}]"
        )
    return count


def _patches_gradient(op: Operation, grad: Any) -> Any:
    """Extracts the patches of the places' numbers, and sums the gradients of each number."""
    in_shape: Any = array_shape.shape(op.inputs[0], out_type=dtypes.int64)
    batch, rows, columns, channels = array_concat.unstack(in_shape)
    out_shape: Any = array_shape.shape(op.outputs[0], out_type=dtypes.int64)
    out_rows, out_columns = array_concat.unstack(out_shape[1:3])
    _, high, wide, _ = op.attrs["ksizes"]
    count: Any = rows * columns
    numbers = range_ops.range(1, count + 1, dtype=dtypes.float32)
    image = array_shape.reshape(numbers, (1, rows, columns, 1))
    attrs = {name: op.attrs[name] for name in ("ksizes", "strides", "rates", "padding")}
    places: Any = single("Cast", single("ExtractImagePatches", image, **attrs), DstT=dtypes.int64)
    split = array_shape.reshape(
        array_shape.dense(grad), (batch, out_rows, out_columns, high, wide, channels)
    )
    by_place = array_transpose.transpose(split, (1, 2, 3, 4, 0, 5))
    flat = array_shape.reshape(by_place, (-1, batch * channels))
    segments: Any = array_shape.reshape(places, [-1])
    summed = single("UnsortedSegmentSum", flat, segments - 1, count)
    whole = array_shape.reshape(summed, (rows, columns, batch, channels))
    return [array_transpose.transpose(whole, (2, 0, 1, 3))]


define_op(
    "ExtractImagePatches",
    inputs="images: T",
    outputs="patches: T",
    attrs=[
        "ksizes: list(int) >= 4",
        "strides: list(int) >= 4",
        "rates: list(int) >= 4",
        "T: {bfloat16, half, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, "
        "uint64, complex64, complex128, bool}",
        "padding: {'SAME', 'VALID'}",
    ],
    shape=_patches_shape,
    gradient=_patches_gradient,
    doc="The elements of each window over an image, in the channels of one place.",
)


def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """The elements of each window over an image, in the channels of one place.

    Args:
      images: Images `[batch, height, width, channels]`.
      ksizes: Size of a window: `[1, height, width, 1]`.
      strides: Distance of windows: `[1, height, width, 1]`.
      rates: Distance of the elements in a window: `[1, height, width, 1]`.
      padding: "SAME" or "VALID".
      name: Name of the operation.
      sizes: New name of `ksizes`.
    """
    ksizes = renamed("sizes", sizes, "ksizes", ksizes)
    return single(
        "ExtractImagePatches",
        images,
        ksizes=ksizes,
        strides=strides,
        rates=rates,
        padding=padding,
        name=name,
    )


def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: str | None = None
) -> Tensor:
    """The elements of each window over an image, in the channels of one place.

    Args:
      images: Images `[batch, height, width, channels]`.
      sizes: Size of a window: `[1, height, width, 1]`.
      strides: Distance of windows: `[1, height, width, 1]`.
      rates: Distance of the elements in a window: `[1, height, width, 1]`.
      padding: "SAME" or "VALID".
      name: Name of the operation.
    """
    return extract_image_patches(images, sizes, strides, rates, padding, name)

"""Static sizes of what a sliding window gives, and the order of dimensions in a data format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dataflow.ops.basic.shape_parts import Size, add, subtract
from dataflow.schema.opdef import InferenceContext
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape

Padding = Callable[[], tuple[bytes, tuple[tuple[int, int], ...]]]
"""`f()`: the padding, and how much there is before and after each spatial dimension if explicit."""


@dataclass(frozen=True, slots=True)
class Dims:
    """The dimensions of a batch of images, whatever their order in the data format."""

    batch: Size
    spatial: tuple[Size, ...]
    channels: Size


def channels_first(data_format: bytes) -> bool:
    """True for "NCHW" and its like."""
    return data_format.startswith(b"NC")


def split_dims(shape: TensorShape, rank: int, data_format: bytes) -> Dims:
    """The dimensions of images with `rank` spatial axes.

    Raises:
      ValueError: The shape has another rank.
    """
    dims = with_rank(shape, rank + 2).dims_tuple or ()
    if channels_first(data_format):
        return Dims(dims[0], dims[2:], dims[1])
    return Dims(dims[0], dims[1:-1], dims[-1])


def join_dims(dims: Dims, data_format: bytes) -> TensorShape:
    """The shape with these dimensions."""
    if channels_first(data_format):
        return TensorShape.of((dims.batch, dims.channels, *dims.spatial))
    return TensorShape.of((dims.batch, *dims.spatial, dims.channels))


def spatial_values(values: Sequence[int], data_format: bytes) -> tuple[int, ...]:
    """Of an attr with one value a dimension, those of the spatial ones."""
    return tuple(values[2:] if channels_first(data_format) else values[1:-1])


def channel_value(values: Sequence[int], data_format: bytes) -> int:
    """Of an attr with one value a dimension, that of the channels."""
    return values[1 if channels_first(data_format) else -1]


def paddings(c: InferenceContext, rank: int, data_format: bytes) -> tuple[tuple[int, int], ...]:
    """Explicit padding before and after each spatial dimension; none unless it is asked for.

    Raises:
      ValueError: `explicit_paddings` does not fit the padding, or pads batch or channels.
    """
    values = c.attr("explicit_paddings")
    if c.attr("padding") != b"EXPLICIT":
        if values:
            raise ValueError(
                "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
            )
        return ((0, 0),) * rank
    return checked_paddings(values, rank, data_format)


def checked_paddings(
    values: Sequence[int], rank: int, data_format: bytes
) -> tuple[tuple[int, int], ...]:
    """Padding before and after each spatial dimension, of a list that has all dimensions.

    Raises:
      ValueError: It has not two values a dimension, a negative one, or pads batch or channels.
    """
    size = 2 * (rank + 2)
    if len(values) != size:
        raise ValueError(
            f"explicit_paddings attribute must contain {size} values, but got: {len(values)}"
        )
    if min(values) < 0:
        raise ValueError("All elements of explicit_paddings must be nonnegative")
    pairs = tuple(zip(values[::2], values[1::2], strict=True))
    unpadded = pairs[:2] if channels_first(data_format) else (pairs[0], pairs[-1])
    if any(map(any, unpadded)):
        raise ValueError(
            "Nonzero explicit padding in the batch or depth dimensions is not supported"
        )
    return pairs[2:] if channels_first(data_format) else pairs[1:-1]


def listed_paddings(c: InferenceContext) -> tuple[bytes, tuple[tuple[int, int], ...]]:
    """The padding of images with their channels last, and how much there is if `padding_list` says.

    Raises:
      ValueError: `padding_list` does not fit.
    """
    values = c.attr("padding_list")
    if not values:
        return c.attr("padding"), ((0, 0),) * 2
    return b"EXPLICIT", checked_paddings(values, 2, b"NHWC")


def windowed_size(
    size: Size,
    window: Size,
    stride: int,
    padding: bytes,
    dilation: int = 1,
    explicit: tuple[int, int] = (0, 0),
) -> Size:
    """The number of places a window takes along one dimension.

    Raises:
      ValueError: The window is larger than the padded dimension, or does not move.
    """
    if stride <= 0:
        raise ValueError(f"Stride must be > 0, but got {stride}")
    if dilation < 1:
        raise ValueError(f"Dilation rate must be >= 1, but got {dilation}")
    if padding == b"SAME":
        return None if size is None else -(-size // stride)
    extent = None if window is None else (window - 1) * dilation + 1
    room = subtract(add(size, sum(explicit)), extent)
    return None if room is None else (room + stride) // stride

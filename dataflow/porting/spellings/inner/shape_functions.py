"""tensorflow.python.framework.common_shapes: shapes of outputs, worked out from operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.values.shapes import Dimension, TensorShape, as_dimension

_ShapeFunction = Callable[[Any], list[TensorShape]]


def unchanged_shape_with_rank(rank: int) -> _ShapeFunction:
    """A function that gives the shape of an operation's first input, of so many dimensions."""
    return lambda op: [op.inputs[0].shape.with_rank(rank)]


def unchanged_shape_with_rank_at_least(rank: int) -> _ShapeFunction:
    """A function that gives the shape of an operation's first input, of so many or more."""
    return lambda op: [op.inputs[0].shape.with_rank_at_least(rank)]


def unchanged_shape_with_rank_at_most(rank: int) -> _ShapeFunction:
    """A function that gives the shape of an operation's first input, of so many or fewer."""
    return lambda op: [op.inputs[0].shape.with_rank_at_most(rank)]


def matmul_shape(op: Any) -> list[TensorShape]:
    """The shape of a product of matrices.

    Raises:
      ValueError: An input is no matrix, or the two do not go together.
    """
    (rows, inner), (inner_of_b, columns) = (
        reversed(_dims(operand, 2)) if op.get_attr(transposed) else _dims(operand, 2)
        for operand, transposed in zip(op.inputs, ("transpose_a", "transpose_b"), strict=True)
    )
    inner.assert_is_compatible_with(inner_of_b)
    return [TensorShape([rows, columns])]


def get_conv_output_size(
    input_size: Sequence[Any], filter_size: Sequence[Any], strides: Sequence[Any], padding_type: Any
) -> tuple[int | None, ...]:
    """How large the output of a convolution or of pooling is in each direction.

    Args:
      input_size: Sizes, None or Dimension(None) where one is not known.
      filter_size: Sizes of the window.
      strides: Steps.
      padding_type: b"VALID" or b"SAME".

    Raises:
      ValueError: The window is larger than the input, or it is another padding.
    """
    inputs, windows = _sizes(input_size), _sizes(filter_size)
    if all(size == 1 for size in (*inputs, *windows)):
        return inputs
    pairs = list(zip(windows, inputs, strict=False))
    if any(window is not None and size is not None and window > size for window, size in pairs):
        raise ValueError(
            f"Filter must not be larger than the input: Filter: {windows!r} Input: {inputs!r}"
        )
    if padding_type not in (b"VALID", b"SAME"):
        raise ValueError(f"Invalid padding: {padding_type!r}")
    found: list[int | None] = []
    for (window, size), stride in zip(pairs, map(int, strides), strict=False):
        lost = 1 if padding_type == b"SAME" else window
        unknown = size is None or lost is None
        found.append(None if unknown else (size - lost + stride) // stride)  # type: ignore[operator]
    return tuple(found)


def get2d_conv_output_size(
    input_height: Any,
    input_width: Any,
    filter_height: Any,
    filter_width: Any,
    row_stride: Any,
    col_stride: Any,
    padding_type: Any,
) -> tuple[int | None, ...]:
    """`get_conv_output_size` of rows and columns."""
    return get_conv_output_size(
        (input_height, input_width),
        (filter_height, filter_width),
        (row_stride, col_stride),
        padding_type,
    )


def conv2d_shape(op: Any) -> list[TensorShape]:
    """The shape of a convolution of pictures.

    Raises:
      ValueError: The inputs or attrs do not go together.
    """
    filters = _dims(op.inputs[1], 4)
    return _slid(
        op,
        filters[:2],
        _steps(op, "does not yet support"),
        lambda depth: _matched(depth, filters[2], filters[3]),
    )


def depthwise_conv2d_native_shape(op: Any) -> list[TensorShape]:
    """The shape of a convolution of each channel by itself.

    Raises:
      ValueError: The inputs or attrs do not go together.
    """
    filters = _dims(op.inputs[1], 4)
    return _slid(
        op,
        filters[:2],
        _equal_steps(op),
        lambda depth: _matched(depth, filters[2], filters[3] * filters[2]),
    )


def separable_conv2d_shape(op: Any) -> list[TensorShape]:
    """The shape of a convolution of each channel by itself, and one of all channels behind it.

    Raises:
      ValueError: The inputs or attrs do not go together.
    """
    depth = _dims(op.inputs[0], 4)[3]
    by_channel = op.inputs[1].shape.merge_with(TensorShape([None, None, depth, None])).dims
    between = by_channel[2] * by_channel[3]
    pointwise = op.inputs[2].shape.merge_with(TensorShape([1, 1, between, None])).dims
    return _slid(op, by_channel[:2], _equal_steps(op), lambda _: pointwise[3])


def avg_pool_shape(op: Any) -> list[TensorShape]:
    """The shape of the means of windows of pictures.

    Raises:
      ValueError: The input or the attrs do not go together.
    """
    batch, depth, *window = _in_order(op, "ksize")
    if batch != 1 or depth != 1:
        raise ValueError(
            "Current implementation does not support pooling in the batch and depth dimensions."
        )
    return _slid(op, window, _steps(op, "does not support"), lambda channels: channels)


def max_pool_shape(op: Any) -> list[TensorShape]:
    """The shape of the largest of windows, of places or of the channels of each place.

    Raises:
      ValueError: The input or the attrs do not go together.
    """
    batch, depth, *window = _in_order(op, "ksize")
    batch_step, depth_step, *steps = _in_order(op, "strides")
    for each, what in ((batch, "pooling"), (batch_step, "strides")):
        if each != 1:
            raise ValueError(
                f"Current implementation does not support {what} in the batch dimension."
            )
    if depth == 1:
        return _slid(op, window, steps, lambda channels: channels)
    if window != [1, 1]:
        raise ValueError(
            "MaxPooling supports exactly one of pooling across depth or pooling across "
            "width/height."
        )

    def merged(channels: Dimension) -> Dimension:
        if channels.value is not None and channels.value % depth:
            raise ValueError(
                "Depthwise max pooling requires the depth window to evenly divide the input depth."
            )
        if depth_step != depth:
            raise ValueError(
                "Depthwise max pooling requires the depth window to equal the depth stride."
            )
        return Dimension(None if channels.value is None else channels.value // depth)

    return _slid(op, None, steps, merged)


def _matched(depth: Dimension, taken: Dimension, made: Dimension) -> Dimension:
    depth.assert_is_compatible_with(taken)
    return made


def _sizes(dims: Sequence[Any]) -> tuple[int | None, ...]:
    return tuple(as_dimension(each).value for each in dims)


def _dims(tensor: Any, rank: int) -> list[Dimension]:
    return list(tensor.shape.with_rank(rank).dims)


def _is_channels_first(op: Any) -> bool:
    try:
        return bool(op.get_attr("data_format") == b"NCHW")
    except ValueError:
        return False


def _in_order(op: Any, attr: str) -> list[Any]:
    """What an attr says of the batch, the channels, the rows and the columns."""
    batch, *others = op.get_attr(attr)
    first, second, third = others
    return [batch, *(others if _is_channels_first(op) else (third, first, second))]


def _steps(op: Any, refusal: str) -> list[Any]:
    batch, depth, *steps = _in_order(op, "strides")
    if batch != 1 or depth != 1:
        raise ValueError(
            f"Current implementation {refusal} strides in the batch and depth dimensions."
        )
    return steps


def _equal_steps(op: Any) -> list[Any]:
    rows, columns = _steps(op, "does not yet support")
    if rows != columns:
        raise ValueError(
            "Current implementation only supports equal length strides in the row and column "
            "dimensions."
        )
    return [rows, columns]


def _slid(
    op: Any,
    window: Sequence[Any] | None,
    steps: Sequence[Any],
    channels: Callable[[Dimension], Dimension],
) -> list[TensorShape]:
    """The shape of what a window gives that slides over rows and columns; None for no window."""
    batch, *others = _dims(op.inputs[0], 4)
    channels_first = _is_channels_first(op)
    places = others[1:] if channels_first else others[:2]
    depth = channels(others[0 if channels_first else 2])
    found: Sequence[Any] = places
    if window is not None:
        found = get_conv_output_size(places, window, steps, op.get_attr("padding"))
    order = (batch, depth, *found) if channels_first else (batch, *found, depth)
    return [TensorShape(order)]

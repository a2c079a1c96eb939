"""Frames: stretches of a signal that may overlap, and signals made of them."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.gather import gather
from dataflow.ops.array.pad import pad
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.basic.single import single
from dataflow.ops.reductions.segment import unsorted_segment_sum


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """Cuts one axis into frames.

    Args:
      signal: Shape `[..., samples, ...]`.
      frame_length: Samples in a frame, a scalar integer.
      frame_step: From the start of one frame to that of the next.
      pad_end: Whether frames may reach beyond the end, where there is `pad_value`.
      pad_value: What is there.
      axis: Which axis.
      name: Name of the scope of the operations.

    Returns:
      Shape `[..., frames, frame_length, ...]`.

    Raises:
      ValueError: `frame_length` or another argument is no scalar.
    """
    with name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = convert_to_tensor(signal, name="signal")
        frame_length = convert_to_tensor(frame_length, name="frame_length")
        frame_step = convert_to_tensor(frame_step, name="frame_step")
        axis = convert_to_tensor(axis, name="axis")
        signal.shape.with_rank_at_least(1)
        for scalar in (frame_length, frame_step, axis):
            scalar.shape.assert_has_rank(0)
        rank = signal.shape.rank
        place = _place(axis, rank, signal)
        sizes: Any = array_shape.shape(signal)
        samples: Any = sizes[place]
        if pad_end:
            count = -(-samples // frame_step)
            missing = math_binary.maximum(0, frame_length + frame_step * (count - 1) - samples)
            signal = _padded(signal, place, rank, missing, pad_value)
        else:
            count = math_binary.maximum(0, 1 + (samples - frame_length) // frame_step)
        starts: Any = array_shape.expand_dims(range_of(count) * frame_step, 1)
        places = starts + array_shape.expand_dims(range_of(frame_length), 0)
        # Through the shape the gradient comes as a tensor, not as slices that overlap.
        whole = array_shape.reshape(signal, array_shape.shape(signal))
        framed = gather(whole, places, axis=place)
        _say_shape(framed, signal, place, (count, frame_length))
        return framed


def _place(axis: Tensor, rank: int | None, signal: Any) -> Any:
    """The axis, counted from the front: a number if it is known."""
    known = constant_value(axis)
    if known is None or (rank is None and known < 0):
        wide: Any = axis
        return single("FloorMod", wide, array_shape.rank(signal))
    place = int(known)
    if rank is not None:
        if not -rank <= place < rank:
            raise IndexError("list index out of range")
        place %= rank
    return place


def _padded(signal: Any, place: Any, rank: int | None, missing: Any, value: Any) -> Tensor:
    if isinstance(place, int) and rank is not None:
        widths: Any = [[0, missing if axis == place else 0] for axis in range(rank)]
        filling = convert_to_tensor(value, dtype=signal.dtype)
        return pad(signal, widths, constant_values=filling)
    chosen = single("OneHot", place, array_shape.rank(signal), missing, 0)
    both = array_concat.stack([array_fill.zeros_like(chosen), chosen], axis=1)
    return single("PadV2", signal, both, convert_to_tensor(value, dtype=signal.dtype))


def _say_shape(framed: Tensor, signal: Tensor, place: Any, sizes: tuple[Any, Any]) -> None:
    dims = signal.shape.dims_tuple
    if dims is None or not isinstance(place, int):
        return
    known = [constant_value(convert_to_tensor(size)) for size in sizes]
    inner = [None if size is None else int(size) for size in known]
    framed.set_shape([*dims[:place], *inner, *dims[place + 1 :]])


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Puts frames one `frame_step` after the other and adds them up where they overlap.

    Args:
      signal: Shape `[..., frames, frame_length]`.
      frame_step: A scalar integer.
      name: Name of the scope of the operations.

    Returns:
      Shape `[..., (frames - 1) * frame_step + frame_length]`.

    Raises:
      ValueError: `frame_step` is no scalar integer, or the rank below 2.
    """
    with name_scope(name, "overlap_and_add", [signal, frame_step]):
        signal = convert_to_tensor(signal, name="signal")
        signal.shape.with_rank_at_least(2)
        frame_step = convert_to_tensor(frame_step, name="frame_step")
        frame_step.shape.assert_has_rank(0)
        if not frame_step.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer. Got {frame_step.dtype}")
        dims = signal.shape.dims_tuple
        sizes: Any = array_shape.shape(signal)
        outer = sizes[:-2]
        step = constant_value(frame_step)
        length = signal.shape.as_list()[-1] if signal.shape.rank is not None else None
        if step is not None and length is not None and int(step) == length:
            flat = array_concat.concat([outer, [-1]], 0)
            return array_shape.reshape(signal, flat, name="fast_path")
        count: Any = sizes[-2]
        width: Any = sizes[-1]
        samples: Any = frame_step * (count - 1) + width
        # Frames are cut into pieces of a step, of which those that meet are added up.
        pieces: Any = -(-width // frame_step)
        rank: Any = array_shape.rank(signal)
        behind: Any = single("OneHot", rank - 1, rank, pieces * frame_step - width, 0)
        signal = pad(signal, array_concat.stack([array_fill.zeros_like(behind), behind], axis=1))
        shape = array_concat.concat([[-1], [count * pieces, frame_step]], 0)
        rows = array_shape.reshape(signal, shape)
        rows = single("Transpose", rows, [1, 0, 2])
        first: Any = array_shape.expand_dims(range_of(count), 1)
        place = array_shape.reshape(first + array_shape.expand_dims(range_of(pieces), 0), [-1])
        sums = unsorted_segment_sum(rows, place, count + pieces - 1)
        sums = single("Transpose", sums, [1, 0, 2])
        whole: Any = array_shape.reshape(sums, array_concat.concat([outer, [-1]], 0))
        result: Tensor = whole[..., :samples]
        _say_length(result, dims, step, length)
        return result


def _say_length(
    result: Tensor, dims: tuple[int | None, ...] | None, step: Any, length: int | None
) -> None:
    if dims is None:
        return
    count = dims[-2]
    known = step is not None and length is not None and count is not None
    size = int(step) * (count - 1) + length if known else None  # type: ignore[operator]
    result.set_shape([*dims[:-2], size])

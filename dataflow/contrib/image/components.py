"""Connected components of images."""

from __future__ import annotations

from typing import Any

from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.select import where
from dataflow.ops.array.shape import expand_dims, reshape, shape, size
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.range import range as numbers
from dataflow.ops.math.binary import minimum
from dataflow.ops.math.compare import equal, logical_and, not_equal
from dataflow.ops.reductions.reduce import reduce_any
from dataflow.ops.reductions.scan import cumsum
from dataflow.ops.reductions.segment import unsorted_segment_min
from dataflow.values import dtypes


def connected_components(images: Any) -> Tensor:
    """Numbers the parts of images: pixels above, below or beside each other that are equal.

    Args:
      images: [height, width] or [images, height, width], of any type.

    Returns:
      int32 with the same shape: 0 where the image is zero (False, empty), otherwise the number of
      the component. Numbers begin at 1, go through all images, and follow the first pixels in rows.

    Raises:
      TypeError: The tensor has another rank.
    """
    with name_scope("connected_components"):
        given = convert_to_tensor(images, name="images")
        if given.shape.ndims not in (2, 3):
            raise TypeError(
                f"images should have rank 2 (HW) or 3 (NHW). Static shape is {given.shape}"
            )
        pixels = expand_dims(given, 0) if given.shape.ndims == 2 else given
        sizes, count = shape(pixels), size(pixels)
        places = numbers(count)
        same = [equal(_cut(pixels, axis, True), _cut(pixels, axis, False)) for axis in (1, 2)]

        def step(first: Any, changed: Any) -> Any:
            """Each pixel takes the first place that it or a neighbor knows, and so does what that
            place belongs to."""
            near = reshape(first, sizes)
            for axis, is_same in zip((1, 2), same, strict=True):
                near = _joined(near, axis, is_same)
            least = unsorted_segment_min(reshape(near, [-1]), first, count)
            found = minimum(first, gather(least, first))
            found = gather(found, found)
            return found, reduce_any(not_equal(found, first))

        first, _ = while_loop(lambda _, changed: changed, step, [places, constant(True)])
        flat = reshape(pixels, [-1])
        is_part = not_equal(flat, zeros_like(flat))
        begins = cast(logical_and(is_part, equal(first, places)), dtypes.int32)
        found = gather(cumsum(begins), first) * cast(is_part, dtypes.int32)
        made = reshape(found, shape(given))
        made.set_shape(given.shape)
        return made


def _cut(values: Any, axis: int, first: bool) -> Any:
    """Values without the last or the first line along an axis."""
    part = slice(None, -1) if first else slice(1, None)
    return values[:, part] if axis == 1 else values[:, :, part]


def _joined(places: Any, axis: int, is_same: Any) -> Any:
    """The least of each place and those of equal neighbors along an axis."""
    before, after = _cut(places, axis, True), _cut(places, axis, False)
    least = minimum(before, after)
    down, up = where(is_same, least, after), where(is_same, least, before)
    edge = places[:, :1] if axis == 1 else places[:, :, :1]
    end = places[:, -1:] if axis == 1 else places[:, :, -1:]
    return minimum(concat([edge, down], axis), concat([up, end], axis))

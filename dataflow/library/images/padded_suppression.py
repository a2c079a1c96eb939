"""The best of boxes that overlap, tile by tile, with as many results for each image of a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.pad as array_pad
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.array.sorting as array_sorting
import dataflow.ops.array.split as array_split
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.range as basic_range
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.rounding as math_rounding
import dataflow.ops.nn.topk as nn_topk
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.cond import cond
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_EPSILON = 1e-8
"""Keeps the share of two empty boxes from being no number."""


class NonMaxSuppressionV4(NamedTuple):
    """Numbers of boxes, and how many of them are valid."""

    selected_indices: Tensor
    valid_outputs: Tensor


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> Any:
    """The numbers of the best boxes, without those that overlap a better one.

    Args:
      boxes: `[..., boxes, 4]`: two opposite corners, y1, x1, y2, x2.
      scores: `[..., boxes]`: how good each box is.
      max_output_size: The most boxes that are chosen, a scalar.
      iou_threshold: From which part of their union on two boxes share too much.
      score_threshold: How good a box is at least.
      pad_to_max_output_size: There are as many numbers as can be, filled up with zeros.
      name: Name scope of the operations.
      sorted_input: The best boxes come first; numbers are then those of the boxes as they stand.
      canonicalized_coordinates: The smaller coordinates come first.
      tile_size: Boxes that are worked with together.

    Returns:
      int32 numbers, and how many of them are valid.

    Raises:
      ValueError: There are several images, and results are not filled up.
    """
    with name_scope(name, "non_max_suppression_padded"):
        boxes, scores = convert_to_tensor(boxes), convert_to_tensor(scores)
        if not pad_to_max_output_size and (boxes.shape.rank or 0) > 2:
            raise ValueError(
                f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for "
                "batched input"
            )
        batch: Any = array_shape.shape(boxes)
        batch = batch[:-2]
        numbers, valid = _chosen(
            boxes,
            scores,
            max_output_size,
            iou_threshold,
            score_threshold,
            sorted_input,
            canonicalized_coordinates,
            tile_size,
        )
        valid = array_shape.reshape(valid, batch)
        if not pad_to_max_output_size:
            return NonMaxSuppressionV4(numbers[0, :valid], valid)
        sizes = array_concat.concat([batch, array_shape.expand_dims(max_output_size, 0)], 0)
        return NonMaxSuppressionV4(array_shape.reshape(numbers, sizes), valid)


def _chosen(
    boxes: Any,
    scores: Any,
    limit: Any,
    most: Any,
    least: Any,
    is_sorted: bool,
    is_canonical: bool,
    tile: int,
) -> tuple[Any, Any]:
    """Numbers (images, limit), and how many of them are valid."""
    sizes: Any = array_shape.shape(boxes)
    count = sizes[-2]
    boxes = array_shape.reshape(boxes, [-1, count, 4])
    scores = array_shape.reshape(scores, [-1, count])
    images = _size(boxes, 0)
    if isinstance(least, (int, float)) and least == float("-inf"):
        pass
    else:
        good = cast(scores > least, scores.dtype)
        scores *= good
        boxes *= array_shape.expand_dims(cast(good, boxes.dtype), 2)
    if not is_canonical:
        boxes = _canonical(boxes)
    order: Any = None
    if not is_sorted:
        order = array_sorting.argsort(scores, axis=1, direction="DESCENDING")
        boxes = array_gather.gather(boxes, order, axis=1, batch_dims=1)
    most_boxes = cast(math_binary.maximum(count, limit), dtypes.float32)
    tiles = math_rounding.ceil(most_boxes / cast(tile, dtypes.float32))
    padding = cast(tiles, dtypes.int32) * tile - count
    boxes = array_pad.pad(cast(boxes, dtypes.float32), [[0, 0], [0, padding], [0, 0]])
    total = count + padding
    left = _suppressed(boxes, most, limit, total // tile, images, tile)
    is_left = cast(reductions.reduce_any(left[0] > 0, [2]), dtypes.int32)
    backwards = array_shape.expand_dims(basic_range.range(total, 0, -1), 0)
    first: Any = nn_topk.top_k(is_left * backwards, limit)[0]
    numbers: Any = math_binary.minimum(total - cast(first, dtypes.int32), count - 1)
    if order is not None:
        offsets = array_shape.expand_dims(basic_range.range(images) * count, 1)
        places = array_shape.reshape(numbers + offsets, [-1])
        flat = array_shape.reshape(order, [-1])
        numbers = array_shape.reshape(array_gather.gather(flat, places), [images, -1])
    valid: Any = math_binary.minimum(left[1], limit)
    places = array_shape.expand_dims(basic_range.range(limit), 0)
    is_valid: Any = places < array_shape.expand_dims(valid, 1)
    none = array_fill.zeros([images, limit], dtype=dtypes.int32)
    return array_select.where(is_valid, numbers, none), valid


def _size(x: Any, axis: int) -> Any:
    sizes: Any = array_shape.shape(x)
    return sizes[axis]


def _canonical(boxes: Any) -> Any:
    """The boxes with the smaller coordinates first, if it is the first box that has them last."""
    y1, x1, y2, x2 = array_split.split(value=boxes, num_or_size_splits=4, axis=2)
    is_y1 = reductions.reduce_all(math_compare.less_equal(y1[0, 0, 0], y2[0, 0, 0]))
    low_y, high_y = cond(is_y1, lambda: (y1, y2), lambda: (y2, y1))
    is_x1 = reductions.reduce_all(math_compare.less_equal(x1[0, 0, 0], x2[0, 0, 0]))
    low_x, high_x = cond(is_x1, lambda: (x1, x2), lambda: (x2, x1))
    return array_concat.concat([low_y, low_x, high_y, high_x], axis=2)


def _shared(first: Any, second: Any) -> Any:
    """Which part of the union of each box of the one and each of the other is in both."""
    y1, x1, y2, x2 = array_split.split(value=first, num_or_size_splits=4, axis=2)
    turned = array_transpose.transpose(second, [0, 2, 1])
    v1, u1, v2, u2 = array_split.split(value=turned, num_or_size_splits=4, axis=1)
    width: Any = math_binary.minimum(x2, u2) - math_binary.maximum(x1, u1)
    height: Any = math_binary.minimum(y2, v2) - math_binary.maximum(y1, v1)
    both = math_binary.maximum(width, 0) * math_binary.maximum(height, 0)
    union = (y2 - y1) * (x2 - x1) + (v2 - v1) * (u2 - u1) - both + _EPSILON
    return both / union


def _suppressed(
    boxes: Any, most: Any, limit: Any, tiles: Any, images: Any, tile: int
) -> tuple[Any, Any]:
    """Boxes, zeros where they were suppressed, and how many are left of each image."""

    def goes_on(_: Any, found: Any, number: Any) -> Any:
        return math_compare.logical_and(
            reductions.reduce_min(found) < limit, math_compare.less(number, tiles)
        )

    def step(boxes: Any, found: Any, number: Any) -> Any:
        part = array_slice.slice(boxes, [0, number * tile, 0], [images, tile, 4])
        part = _without_those_before(boxes, part, most, number, images, tile)
        part = _without_each_other(part, most, tile)
        is_here: Any = math_compare.equal(basic_range.range(tiles), number)
        mask = array_shape.reshape(cast(is_here, boxes.dtype), [1, -1, 1, 1])
        several = array_broadcast.tile(array_shape.expand_dims(part, [1]), [1, tiles, 1, 1])
        parted: Any = array_shape.reshape(boxes, [images, tiles, tile, 4])
        boxes = array_shape.reshape(several * mask + parted * (1 - mask), [images, -1, 4])
        left = cast(reductions.reduce_any(part > 0, [2]), dtypes.int32)
        return boxes, found + reductions.reduce_sum(left, [1]), number + 1

    start = [boxes, array_fill.zeros([images], dtypes.int32), constant(0)]
    shapes = [TensorShape([None, None, 4]), TensorShape([None]), TensorShape([])]
    left, found, _ = while_loop(goes_on, step, start, shape_invariants=shapes)
    return left, found


def _without_those_before(
    boxes: Any, part: Any, most: Any, number: Any, images: Any, tile: int
) -> Any:
    """The boxes of a tile, zeros where they overlap one of an earlier tile."""

    def step(part: Any, earlier: Any) -> Any:
        before = array_slice.slice(boxes, [0, earlier * tile, 0], [images, tile, 4])
        is_free = reductions.reduce_all(_shared(before, part) < most, [1])
        return array_shape.expand_dims(cast(is_free, part.dtype), 2) * part, earlier + 1

    shapes = [TensorShape([None, None, 4]), TensorShape([])]
    found, _ = while_loop(
        lambda _, earlier: earlier < number, step, [part, constant(0)], shape_invariants=shapes
    )
    return found


def _without_each_other(part: Any, most: Any, tile: int) -> Any:
    """The boxes of a tile, zeros where they overlap a better one that is not suppressed itself."""
    images = _size(part, 0)
    shared = _shared(part, part)
    numbers = basic_range.range(tile)
    is_later: Any = array_shape.reshape(numbers, [1, -1]) > array_shape.reshape(numbers, [-1, 1])
    counts = math_compare.logical_and(array_shape.expand_dims(is_later, 0), shared >= most)
    shared *= cast(counts, shared.dtype)

    def step(shared: Any, _: Any, total: Any) -> Any:
        is_free = reductions.reduce_max(shared, 1) < most
        free: Any = array_shape.reshape(cast(is_free, shared.dtype), [images, -1, 1])
        stays = reductions.reduce_max(free * shared, 1) < most
        stays = array_shape.reshape(cast(stays, shared.dtype), [images, -1, 1])
        shared = stays * shared
        new_total: Any = reductions.reduce_sum(shared, [1, 2])
        return shared, reductions.reduce_any(total - new_total > most), new_total

    start = [shared, constant(True), reductions.reduce_sum(shared, [1, 2])]
    shapes = [TensorShape([None, None, None]), TensorShape([]), TensorShape([None])]
    found, _, _ = while_loop(lambda _, more, __: more, step, start, shape_invariants=shapes)
    is_suppressed: Any = reductions.reduce_sum(found, 1) > 0
    return part * array_shape.expand_dims(1.0 - cast(is_suppressed, part.dtype), 2)

"""Boxes on images: the best of those that overlap."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import scalar_size, with_size
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    NOT_DIFFERENTIABLE,
    Gradient,
    InferenceContext,
    define_op,
)
from dataflow.schema.shape_functions import merge_dim, with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_T = "T: {half, float32} = float32"
_THRESHOLD = "T_threshold: {half, float32} = float32"
_PADDED = "pad_to_max_output_size: bool = false"
_CHOSEN = TensorShape.of((None,))


def _check_boxes(c: InferenceContext) -> None:
    """Boxes and their scores, and then scalars."""
    boxes, four = with_rank(c.input(0), 2).dims_tuple or (None, None)
    scores = with_rank(c.input(1), 1).dims_tuple or (None,)
    for index in range(2, c.num_inputs):
        with_rank(c.input(index), 0)
    merge_dim(boxes, scores[0])
    with_size(four, 4)


def _chosen_shape(c: InferenceContext) -> TensorShape:
    _check_boxes(c)
    return _CHOSEN


def _padded_shapes(c: InferenceContext) -> list[TensorShape]:
    _check_boxes(c)
    size = scalar_size(c, 2) if c.attr("pad_to_max_output_size") else None
    chosen = TensorShape.of((size,))
    return [*([chosen] * (c.num_outputs - 1)), TensorShape.of(())]


def _overlaps_shape(c: InferenceContext) -> TensorShape:
    rows, columns = with_rank(c.input(0), 2).dims_tuple or (None, None)
    scores = with_rank(c.input(1), 1).dims_tuple or (None,)
    for index in (2, 3, 4):
        with_rank(c.input(index), 0)
    merge_dim(rows, scores[0])
    merge_dim(rows, columns)
    return _CHOSEN


def _define(name: str, more: str, attrs: Any, gradient: Gradient, doc: str) -> None:
    kind = "T" if _T in attrs else "float32"
    several = _PADDED in attrs
    scored = ", selected_scores: T" if name.endswith("V5") else ""
    define_op(
        name,
        inputs=f"boxes: {kind}, scores: {kind}, max_output_size: int32{more}",
        outputs=f"selected_indices: int32{scored}" + (", valid_outputs: int32" if several else ""),
        attrs=attrs,
        shape=_padded_shapes if several else _chosen_shape,
        gradient=gradient,
        doc=doc,
    )


_DOC = "The best boxes, without those that overlap a better one."
_define("NonMaxSuppression", "", ("iou_threshold: float = 0.5",), NOT_DIFFERENTIABLE, _DOC)
_define(
    "NonMaxSuppressionV2",
    ", iou_threshold: T_threshold",
    (_T, _THRESHOLD),
    NOT_DIFFERENTIABLE,
    _DOC,
)
for _name, _attrs in (
    ("NonMaxSuppressionV3", (_T, _THRESHOLD)),
    ("NonMaxSuppressionV4", (_T, _THRESHOLD, _PADDED)),
):
    _define(
        _name,
        ", iou_threshold: T_threshold, score_threshold: T_threshold",
        _attrs,
        MISSING_GRADIENT,
        _DOC,
    )
_define(
    "NonMaxSuppressionV5",
    ", iou_threshold: T, score_threshold: T, soft_nms_sigma: T",
    (_T, _PADDED),
    MISSING_GRADIENT,
    "The best boxes; those that overlap a better one count less.",
)
define_op(
    "NonMaxSuppressionWithOverlaps",
    inputs=(
        "overlaps: float32, scores: float32, max_output_size: int32, overlap_threshold: float32,"
        " score_threshold: float32"
    ),
    outputs="selected_indices: int32",
    shape=_overlaps_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The best of things of which is known how much they overlap.",
)


def _combined_shapes(c: InferenceContext) -> list[TensorShape]:
    boxes = with_rank(c.input(0), 4).dims_tuple or (None,) * 4
    scores = with_rank(c.input(1), 3).dims_tuple or (None,) * 3
    for index in (2, 3, 4, 5):
        with_rank(c.input(index), 0)
    merge_dim(boxes[0], scores[0])
    merge_dim(boxes[1], scores[1])
    with_size(boxes[3], 4)
    if boxes[2] is not None and scores[2] is not None and boxes[2] not in (1, scores[2]):
        raise ValueError(
            "third dimension of boxes must be either 1 or equal to the third dimension of scores"
        )
    total = c.constant(3)
    if total is None:
        return [
            TensorShape.of((boxes[0], None, 4)),
            TensorShape.of((boxes[0], None)),
            TensorShape.of((boxes[0], None)),
            TensorShape.of((boxes[0],)),
        ]
    size: int | None = int(total)
    if int(total) <= 0:
        raise ValueError("max_total_size should be > 0 ")
    if c.attr("pad_per_class"):
        each = c.constant(2)
        if each is None or scores[2] is None:
            size = None
        elif int(each) * scores[2] < int(total):
            size = int(each) * scores[2]
    return [
        TensorShape.of((boxes[0], size, 4)),
        TensorShape.of((boxes[0], size)),
        TensorShape.of((boxes[0], size)),
        TensorShape.of((boxes[0],)),
    ]


define_op(
    "CombinedNonMaxSuppression",
    inputs=(
        "boxes: float32, scores: float32, max_output_size_per_class: int32,"
        " max_total_size: int32, iou_threshold: float32, score_threshold: float32"
    ),
    outputs=(
        "nmsed_boxes: float32, nmsed_scores: float32, nmsed_classes: float32,"
        " valid_detections: int32"
    ),
    attrs=["pad_per_class: bool = false", "clip_boxes: bool = true"],
    shape=_combined_shapes,
    gradient=MISSING_GRADIENT,
    doc="The best boxes of all classes, without those that overlap a better one of their class.",
)


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The numbers of the best boxes, without those that overlap a better one.

    Args:
      boxes: `[boxes, 4]`: two opposite corners, y1, x1, y2, x2.
      scores: How good each box is.
      max_output_size: The most boxes that are chosen, a scalar.
      iou_threshold: Up to which part of their union two chosen boxes may share.
      score_threshold: How good a box is at least.
      name: Name scope of the operations.

    Returns:
      int32, the best one first.
    """
    with name_scope(name, "non_max_suppression"):
        iou = convert_to_tensor(iou_threshold, name="iou_threshold")
        least = convert_to_tensor(score_threshold, name="score_threshold")
        return single("NonMaxSuppressionV3", boxes, scores, max_output_size, iou, least)


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The numbers of the best boxes, and their scores, lowered by boxes that they overlap.

    See Bodla, Singh, Chellappa and Davis, Soft-NMS (2017).

    Args:
      boxes: `[boxes, 4]`: two opposite corners, y1, x1, y2, x2.
      scores: How good each box is.
      max_output_size: The most boxes that are chosen, a scalar.
      iou_threshold: Up to which part of their union two chosen boxes may share.
      score_threshold: How good a box is at least.
      soft_nms_sigma: How slowly scores fall with what boxes share; 0 leaves them.
      name: Name scope of the operations.
    """
    with name_scope(name, "non_max_suppression_with_scores"):
        iou = convert_to_tensor(iou_threshold, name="iou_threshold")
        least = convert_to_tensor(score_threshold, name="score_threshold")
        sigma = convert_to_tensor(soft_nms_sigma, name="soft_nms_sigma")
        chosen, found, _ = apply_op(
            "NonMaxSuppressionV5",
            boxes,
            scores,
            max_output_size,
            iou,
            least,
            sigma,
            pad_to_max_output_size=False,
        )
        return chosen, found


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The numbers of the best of things of which is known how much they overlap.

    Args:
      overlaps: A matrix: how much each thing overlaps each.
      scores: How good each one is.
      max_output_size: The most that are chosen, a scalar.
      overlap_threshold: Up to which overlap two chosen ones may have.
      score_threshold: How good one is at least.
      name: Name scope of the operations.

    Returns:
      int32, the best one first.
    """
    with name_scope(name, "non_max_suppression_overlaps"):
        most = convert_to_tensor(overlap_threshold, name="overlap_threshold")
        return single(
            "NonMaxSuppressionWithOverlaps",
            overlaps,
            scores,
            max_output_size,
            most,
            score_threshold,
        )


def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> Any:
    """The best boxes of all classes, without those that overlap a better one of their class.

    Args:
      boxes: `[batch, boxes, classes or 1, 4]`.
      scores: `[batch, boxes, classes]`.
      max_output_size_per_class: The most boxes that are chosen of a class, a scalar.
      max_total_size: The most that are chosen of all.
      iou_threshold: Up to which part of their union two chosen boxes may share.
      score_threshold: How good a box is at least.
      pad_per_class: Results have room for so many boxes of each class, if that is less.
      clip_boxes: Boxes are cut off at 0 and 1.
      name: Name scope of the operations.

    Returns:
      Boxes, scores, classes, and how many of them there are for each image.
    """
    with name_scope(name, "combined_non_max_suppression"):
        iou = convert_to_tensor(iou_threshold, dtype=dtypes.float32, name="iou_threshold")
        least = convert_to_tensor(score_threshold, dtype=dtypes.float32, name="score_threshold")
        total = convert_to_tensor(max_total_size)
        return apply_op(
            "CombinedNonMaxSuppression",
            boxes,
            scores,
            max_output_size_per_class,
            total,
            iou,
            least,
            pad_per_class=pad_per_class,
            clip_boxes=clip_boxes,
        )

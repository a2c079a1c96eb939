"""Kernels that choose the best of boxes that overlap, on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.images.suppression import Boxes, best, best_boxes, best_softly
from dataflow.kernels.ops.image.checks import check_bytes
from dataflow.kernels.threads.stopping import look

_SELECTED = ("selected_indices",)
_BOXES = ("boxes", "scores", "max_output_size")


@kernel("NonMaxSuppression", host_inputs=_BOXES, host_outputs=_SELECTED)
def suppress(node: KernelNode, xp: Any) -> Callable[..., Any]:
    most = np.float32(node.attr("iou_threshold"))
    _check_part(most)
    return lambda boxes, scores, limit: _chosen(boxes, scores, limit, most, -np.inf)


@kernel("NonMaxSuppressionV2", host_inputs=(*_BOXES, "iou_threshold"), host_outputs=_SELECTED)
def suppress_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(boxes: Any, scores: Any, limit: Any, most: Any) -> Any:
        _check_scalars(max_output_size=limit, iou_threshold=most)
        _check_part(most)
        return _chosen(boxes, scores, limit, most, -np.inf)

    return run


@kernel(
    "NonMaxSuppressionV3",
    host_inputs=(*_BOXES, "iou_threshold", "score_threshold"),
    host_outputs=_SELECTED,
)
def suppress_v3(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(boxes: Any, scores: Any, limit: Any, most: Any, least: Any) -> Any:
        _check_scalars(max_output_size=limit, iou_threshold=most, score_threshold=least)
        _check_part(most)
        return _chosen(boxes, scores, limit, most, least)

    return run


@kernel(
    "NonMaxSuppressionV4",
    host_inputs=(*_BOXES, "iou_threshold", "score_threshold"),
    host_outputs=(*_SELECTED, "valid_outputs"),
)
def suppress_v4(node: KernelNode, xp: Any) -> Callable[..., Any]:
    pads = bool(node.attr("pad_to_max_output_size"))

    def run(boxes: Any, scores: Any, limit: Any, most: Any, least: Any) -> Any:
        _check_scalars(max_output_size=limit, iou_threshold=most, score_threshold=least)
        _check_part(most)
        chosen = _chosen(boxes, scores, limit, most, least)
        size = int(limit) if pads else len(chosen)
        return _padded(chosen, size), np.int32(len(chosen))

    return run


@kernel(
    "NonMaxSuppressionV5",
    host_inputs=(*_BOXES, "iou_threshold", "score_threshold", "soft_nms_sigma"),
    host_outputs=(*_SELECTED, "selected_scores", "valid_outputs"),
)
def suppress_v5(node: KernelNode, xp: Any) -> Callable[..., Any]:
    pads = bool(node.attr("pad_to_max_output_size"))

    def run(boxes: Any, scores: Any, limit: Any, most: Any, least: Any, sigma: Any) -> Any:
        _check_scalars(
            max_output_size=limit,
            iou_threshold=most,
            score_threshold=least,
            soft_nms_sigma=sigma,
        )
        _check_part(most)
        if sigma < 0:
            raise invalid("soft_nms_sigma_val must be >= 0")
        if sigma > 0:
            _check_boxes(boxes, scores, limit)
            shared = Boxes(boxes, often=True).shared
            chosen, found = best_softly(scores, int(limit), sigma, least, shared)
        else:
            chosen = _chosen(boxes, scores, limit, most, least)
            found = scores[chosen]
        size = int(limit) if pads else len(chosen)
        return _padded(chosen, size), _padded(found, size), np.int32(len(chosen))

    return run


def _chosen(boxes: Any, scores: Any, limit: Any, most: Any, least: Any) -> Any:
    _check_scalars(max_output_size=limit)
    _check_boxes(boxes, scores, limit)
    return best_boxes(boxes, scores, int(limit), most, least)


def _padded(values: Any, size: int) -> Any:
    if size == len(values):
        return values
    check_bytes((size,), 4)
    result = np.zeros(size, values.dtype)
    result[: len(values)] = values
    return result


def _check_scalars(**scalars: Any) -> None:
    for name, value in scalars.items():
        if np.ndim(value):
            raise invalid(f"{name} must be 0-D, got shape {shape_text(np.shape(value))}")


def _check_part(most: Any) -> None:
    if not 0 <= most <= 1:
        raise invalid("iou_threshold must be in [0, 1]")


def _check_scores(scores: Any, count: int, limit: Any) -> None:
    if scores.ndim != 1:
        raise invalid(
            f"scores must be 1-D{shape_text(scores.shape)} (Shape must be rank 1 but is rank "
            f"{scores.ndim})"
        )
    if len(scores) != count:
        raise invalid(
            "scores has incompatible shape (Dimensions must be equal, but are "
            f"{count} and {len(scores)})"
        )
    if limit < 0:
        raise invalid("output size must be non-negative")


def _check_boxes(boxes: Any, scores: Any, limit: Any) -> None:
    if limit < 0:
        raise invalid("output size must be non-negative")
    if boxes.ndim != 2:
        raise invalid(
            f"boxes must be 2-D{shape_text(boxes.shape)} (Shape must be rank 2 but is rank "
            f"{boxes.ndim})"
        )
    if boxes.shape[1] != 4:
        raise invalid(f"boxes must have 4 columns (Dimension must be 4 but is {boxes.shape[1]})")
    _check_scores(scores, len(boxes), limit)


@kernel(
    "NonMaxSuppressionWithOverlaps",
    host_inputs=("overlaps", "scores", "max_output_size", "overlap_threshold", "score_threshold"),
    host_outputs=_SELECTED,
)
def suppress_with_overlaps(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(overlaps: Any, scores: Any, limit: Any, most: Any, least: Any) -> Any:
        _check_scalars(max_output_size=limit)
        if overlaps.ndim != 2:
            raise invalid(f"overlaps must be 2-D{shape_text(overlaps.shape)}")
        if overlaps.shape[0] != overlaps.shape[1]:
            raise invalid(f"overlaps must be square{shape_text(overlaps.shape)}")
        _check_scores(scores, len(overlaps), limit)
        _check_scalars(overlap_threshold=most, score_threshold=least)
        return best(
            scores, int(limit), most, least, lambda boxes, others: overlaps[np.ix_(boxes, others)]
        )

    return run


@kernel(
    "CombinedNonMaxSuppression",
    host_inputs=(
        "boxes",
        "scores",
        "max_output_size_per_class",
        "max_total_size",
        "iou_threshold",
        "score_threshold",
    ),
    host_outputs=("nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"),
)
def suppress_combined(node: KernelNode, xp: Any) -> Callable[..., Any]:
    pads, clips = bool(node.attr("pad_per_class")), bool(node.attr("clip_boxes"))

    def run(boxes: Any, scores: Any, each: Any, total: Any, most: Any, least: Any) -> Any:
        _check_combined(boxes, scores, each, total, most, least)
        count, _, classes = scores.shape
        size = min(int(total), int(each) * classes) if pads else int(total)
        check_bytes((count, size, 4), 4)
        found = np.zeros((count, size, 6), np.float32)
        valid = np.zeros(count, np.int32)
        for image in range(count):
            rows = _best_of_classes(boxes[image], scores[image], int(each), most, least)[:size]
            found[image, : len(rows)] = rows
            valid[image] = len(rows)
        corners = np.ascontiguousarray(found[..., :4])
        if clips:
            corners = np.clip(corners, np.float32(0), np.float32(1))
        return corners, found[..., 4].copy(), found[..., 5].copy(), valid

    return run


def _best_of_classes(boxes: Any, scores: Any, limit: int, most: Any, least: Any) -> Any:
    """Rows of a box, its score and its class: the best ones of each class, the best one first."""
    rows = [np.zeros((0, 6), np.float32)]
    for number in range(scores.shape[1]):
        look()
        own = number if boxes.shape[1] > 1 else 0
        chosen = best_boxes(boxes[:, own], scores[:, number], limit, most, least)
        row = np.empty((len(chosen), 6), np.float32)
        row[:, :4], row[:, 4], row[:, 5] = boxes[chosen, own], scores[chosen, number], number
        rows.append(row)
    together = np.concatenate(rows)
    return together[np.argsort(-together[:, 4], kind="stable")]


def _check_combined(boxes: Any, scores: Any, each: Any, total: Any, most: Any, least: Any) -> None:
    if boxes.shape[:1] != scores.shape[:1]:
        raise invalid("boxes and scores must have same batch size")
    if boxes.ndim != 4:
        raise invalid(f"boxes must be 4-D{shape_text(boxes.shape)}")
    if scores.ndim != 3:
        raise invalid(f"scores must be 3-D{shape_text(scores.shape)}")
    _check_scalars(max_size_per_class=each)
    if each <= 0:
        raise invalid("max_size_per_class must be positive")
    _check_scalars(max_total_size=total)
    if total <= 0:
        raise invalid("max_total_size must be > 0")
    _check_scalars(iou_threshold=most, score_threshold=least)
    _check_part(most)
    if boxes.shape[1] != scores.shape[1]:
        raise invalid("scores has incompatible shape")
    if boxes.shape[2] not in (1, scores.shape[2]):
        raise invalid("third dimension of boxes must be either 1 or num classes")
    if boxes.shape[3] != 4:
        raise invalid("boxes must have 4 columns")

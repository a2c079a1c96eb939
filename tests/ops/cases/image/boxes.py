"""Rows for the suppression of boxes that overlap better ones, and for boxes drawn on images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values

_RANDOM = np.random.default_rng(3)
_LOW = _RANDOM.uniform(0, 0.7, (40, 2))
_BOXES = np.concatenate((_LOW, _LOW + _RANDOM.uniform(-0.1, 0.4, (40, 2))), 1).astype(np.float32)
_SCORES = (np.round(_RANDOM.uniform(0, 1, 40) * 20) / 20).astype(np.float32)
"""Some are equal."""


_HALVES = np.array([[0, 0, 1, 1], [0, 0, 1, 0.5]], np.float32)


def _number(value: float) -> Any:
    return np.array(value, np.float32)


def _limit(value: int) -> Any:
    return np.array(value, np.int32)


def _args(*more: Any, limit: int = 12) -> Any:
    return lambda v: [_BOXES.astype(v.dtype), _SCORES.astype(v.dtype), _limit(limit), *more]


def _of_type(*more: float, limit: int = 12) -> Any:
    """Also the last inputs have the type under test."""
    return lambda v: [*_args(limit=limit)(v), *(np.array(each, v.dtype) for each in more)]


def _many(v: Values) -> list[Any]:
    """Boxes that share so much that even those far down are lowered before others are chosen."""
    random = np.random.default_rng(4)
    corner = random.random((900, 2)) * 0.2
    boxes = np.hstack((corner, corner + 0.5)).astype(v.dtype)
    scores = (0.9 + random.random(900) * 0.1).astype(v.dtype)
    return [boxes, scores, _limit(40), *(np.array(each, v.dtype) for each in (0.5, -1, 0.3))]


def _bad(more: Sequence[Any]) -> tuple[Bad, ...]:
    def made(boxes: Any, scores: Any, limit: Any) -> Any:
        return lambda v: [boxes, scores, limit, *more]

    return (
        Bad(made(_BOXES[0], _SCORES, _limit(2)), "boxes must be 2-D", when="run"),
        Bad(made(_BOXES[:, :3], _SCORES, _limit(2)), "boxes must have 4 columns", when="run"),
        Bad(made(_BOXES, _SCORES[:3], _limit(2)), "scores has incompatible shape", when="run"),
        Bad(made(_BOXES, _SCORES[None], _limit(2)), "scores must be 1-D", when="run"),
        Bad(made(_BOXES, _SCORES, _limit(2)[None]), "max_output_size must be 0-D", when="run"),
        Bad(made(_BOXES, _SCORES[:3], _limit(2)), "must be equal, but are 40 and 3", when="build"),
        Bad(made(_BOXES, _SCORES, _limit(-1)), "output size must be non-negative", when="run"),
    )


_FLOAT = ("float32",)
_SUPPRESSIONS = [
    Case(
        "NonMaxSuppression",
        _args(),
        _FLOAT,
        attrs={"iou_threshold": 0.3},
        bad=(
            *_bad(()),
            Bad(_args(), r"iou_threshold must be in \[0, 1\]", {"iou_threshold": 1.5}),
        ),
    ),
    Case("NonMaxSuppressionV2", _args(_number(0.4)), _FLOAT, bad=_bad((_number(0.5),))),
    Case(
        "NonMaxSuppressionV3",
        _args(_number(0.4), _number(0.3)),
        _FLOAT,
        bad=(
            *_bad((_number(0.5), _number(0))),
            Bad(_args(_number(2), _number(0)), r"iou_threshold must be in \[0, 1\]"),
            Bad(_args(_number(0), _number(0)[None]), "score_threshold must be 0-D", when="run"),
        ),
    ),
    Case(
        "NonMaxSuppressionV3",
        lambda v: [_HALVES, _SCORES[:2], _limit(2), _number(0.5), _number(-1)],
        _FLOAT,
        label="as much as may be shared",
    ),
    Case("NonMaxSuppressionV3", _args(_number(1), _number(-9), limit=60), _FLOAT, label="all"),
    Case("NonMaxSuppressionV3", _args(_number(0), _number(9)), _FLOAT, label="none"),
    Case(
        "NonMaxSuppressionV3",
        lambda v: [_BOXES, np.ones(40, v.dtype), _limit(2), _number(0), _number(0.5)],
        _FLOAT,
        label="all equally good",
    ),
    Case(
        "NonMaxSuppressionV3",
        lambda v: [v.any(0, 4), v.any(0), _limit(3), _number(0.5), _number(0)],
        _FLOAT,
        label="empty",
    ),
    *(
        Case(
            "NonMaxSuppressionV4",
            _args(_number(0.2), _number(0.5), limit=limit),
            _FLOAT,
            attrs={"pad_to_max_output_size": pads},
            static=(2,),
            bad=_bad((_number(0.5), _number(0))),
            label=f"{pads} {limit}",
        )
        for pads in (True, False)
        for limit in (3, 30)
    ),
    *(
        Case(
            "NonMaxSuppressionV5",
            _of_type(0.3, 0.1, sigma, limit=30),
            _FLOAT,
            attrs={"pad_to_max_output_size": pads},
            bad=(
                *_bad((_number(0.5), _number(0), _number(0))),
                Bad(_of_type(0.3, 0.1, -1), "soft_nms_sigma_val must be >= 0"),
            ),
            label=f"{sigma} {pads}",
        )
        for sigma in (0.0, 0.5)
        for pads in (True, False)
    ),
    Case("NonMaxSuppressionV5", _many, _FLOAT, label="more than are lowered at first"),
]


def _overlaps(v: Values) -> list[Any]:
    return [v.between(0, 1, 40, 40), _SCORES, _limit(12), _number(0.7), _number(0.1)]


def _of_many(limit: int, most: float) -> Any:
    """More boxes than are compared with each other at once; some are equally good."""

    def make(v: Values) -> list[Any]:
        scores = np.round(v.between(0, 1, 200), 2)
        return [v.between(0, 1, 200, 200), scores, _limit(limit), _number(most), _number(0.1)]

    return make


def _combined(classes: int) -> Any:
    def make(v: Values) -> list[Any]:
        boxes = np.stack([_BOXES, _BOXES * 1.3])[:, :, None] + np.zeros((1, 1, classes, 1))
        scores = v.distinct(2, 40, 3) / 50
        return [boxes.astype(v.dtype), scores, _limit(4), _limit(9), _number(0.3), _number(0)]

    return make


def _spoiled(place: int, value: Any) -> Any:
    def make(v: Values) -> list[Any]:
        args: list[Any] = _combined(1)(v)
        args[place] = value
        return args

    return make


_OTHERS = [
    *(
        Case("NonMaxSuppressionWithOverlaps", _of_many(*many), _FLOAT, label=f"many {many}")
        for many in ((90, 0.98), (20, 0.85), (12, 0.97), (1, 0.5), (0, 0.5))
    ),
    Case(
        "NonMaxSuppressionWithOverlaps",
        _overlaps,
        _FLOAT,
        bad=(
            Bad(lambda v: [v.any(3, 4), v.any(3), *_overlaps(v)[2:]], "must be square", when="run"),
            Bad(lambda v: [v.any(3), v.any(3), *_overlaps(v)[2:]], "must be 2-D", when="run"),
        ),
    ),
    *(
        Case(
            "CombinedNonMaxSuppression",
            _combined(classes),
            _FLOAT,
            attrs={"pad_per_class": pads, "clip_boxes": clips},
            static=(2, 3),
            label=f"{classes} {pads} {clips}",
        )
        for classes, pads, clips in ((1, True, True), (3, False, False), (1, False, True))
    ),
    Case(
        "CombinedNonMaxSuppression",
        _combined(1),
        _FLOAT,
        label="fed",
        bad=(
            Bad(_spoiled(0, _BOXES), "must have same batch size", when="run"),
            Bad(_spoiled(0, _BOXES[:2]), "boxes must be 4-D", when="run"),
            Bad(_spoiled(2, _limit(0)), "max_size_per_class must be positive", when="run"),
            Bad(_spoiled(3, _limit(0)), "max_total_size must be > 0", when="run"),
            Bad(_spoiled(4, _number(2)), r"iou_threshold must be in \[0, 1\]"),
        ),
    ),
]


def _drawn(channels: int, *more: Any) -> Any:
    boxes = np.stack([_BOXES[:13], _BOXES[13:26] * 1.6 - 0.3])
    boxes[0, 0] = 0, 0, 1, 1
    return lambda v: [v.between(0, 1, 2, 13, 17, channels), boxes, *more]


def _empty(images: tuple[int, ...], boxes: tuple[int, ...], *more: Any) -> Any:
    return lambda v: [np.ones(images, v.dtype), np.ones(boxes, np.float32), *more]


_TOO_FEW: dict[str, Any] = {"DrawBoundingBoxes": "build", "DrawBoundingBoxesV2": "run"}
"""When a box of three numbers is refused."""
_DRAWINGS = [
    Case(
        op,
        _drawn(channels, *more),
        _FLOAT,
        label=str(channels),
        bad=(
            Bad(_empty((2, 3, 4, 2), (2, 1, 4), *more), "either 1"),
            Bad(_empty((3, 4, 3), (2, 1, 4), *more), "should be 4", when="run"),
            Bad(_empty((2, 3, 4, 3), (2, 4), *more), "should be 3", when="run"),
            Bad(_empty((2, 3, 4, 3), (1, 1, 4), *more), "be the same"),
            Bad(_empty((2, 3, 4, 3), (2, 1, 3), *more), "must be 4", when=_TOO_FEW[op]),
        )
        if channels == 3
        else (),
    )
    for op, more in (
        ("DrawBoundingBoxes", ()),
        ("DrawBoundingBoxesV2", (np.array([[0.1, 0.2, 0.3, 0.4], [1, 1, 1, 1]], np.float32),)),
    )
    for channels in (1, 3, 4)
]
CASES = [*_SUPPRESSIONS, *_OTHERS, *_DRAWINGS]

"""The best of boxes that overlap are those of a loop over pairs, by machine code and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.images import suppression
from dataflow.kernels.images.greedy_choice import _TOGETHER, _width
from dataflow.kernels.images.suppression import best_boxes

_LANES = _width()


def _share(one: np.ndarray, other: np.ndarray) -> np.float32:
    low = np.maximum(np.minimum(one[:2], one[2:]), np.minimum(other[:2], other[2:]))
    high = np.minimum(np.maximum(one[:2], one[2:]), np.maximum(other[:2], other[2:]))
    tall, wide = np.maximum(high - low, np.float32(0))
    sizes = [abs((box[2] - box[0]) * (box[3] - box[1])) for box in (one, other)]
    if not (sizes[0] > 0 and sizes[1] > 0):
        return np.float32(0)
    return np.float32(tall * wide / (sizes[0] + sizes[1] - tall * wide))


def _by_pairs(
    boxes: np.ndarray, scores: np.ndarray, limit: int, most: Any, least: Any
) -> list[int]:
    chosen: list[int] = []
    for box in np.argsort(-scores, kind="stable").tolist():
        is_left = scores[box] > least and len(chosen) < limit
        if is_left and not any(_share(boxes[box], boxes[one]) > most for one in chosen):
            chosen.append(box)
    return chosen


def _some(count: int, seed: int, part: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.random.RandomState(seed)
    boxes = numbers.rand(count, 4).astype(np.float32)
    boxes[:, 2:] = boxes[:, :2] + part * boxes[:, 2:]
    swapped = numbers.rand(count) < 0.5
    boxes[swapped] = boxes[swapped][:, [2, 3, 0, 1]]
    # Equal scores: of these the first comes first.
    return boxes, np.round(numbers.rand(count), 2).astype(np.float32)


@pytest.mark.parametrize("has_code", [True, False])
@pytest.mark.parametrize("limit", [0, 1, _LANES - 1, _LANES, _LANES + 1, 10**12])
@pytest.mark.parametrize("count", [0, 1, 2, _LANES, 90])
def test_boxes_are_those_of_a_loop_over_pairs(
    count: int, limit: int, has_code: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suppression, "is_there", lambda: has_code)
    boxes, scores = _some(count, count)
    if count > 9:
        boxes[5] = boxes[4]
        boxes[6, 2:] = boxes[6, :2]  # Without size.
        boxes[7] = np.nan
    for most, least in ((0.0, -np.inf), (0.3, 0.1), (1.0, 0.5)):
        wanted = _by_pairs(boxes, scores, limit, np.float32(most), least)
        found = best_boxes(boxes, scores, limit, np.float32(most), least)
        assert found.dtype == np.int32
        assert found.tolist() == wanted


@pytest.mark.parametrize("count", [_TOGETHER - 1, _TOGETHER, _TOGETHER + 3])
def test_more_boxes_than_are_looked_at_at_once(count: int) -> None:
    boxes, scores = _some(count, 3, 0.9)
    # The worst ones overlap no others: none may be left out.
    for place in range(8):
        boxes[place], scores[place] = (place + 5, 5, place + 6, 6), 0.009 - 0.001 * place
    wanted = _by_pairs(boxes, scores, count, np.float32(0.05), 0)
    assert best_boxes(boxes, scores, count, np.float32(0.05), 0).tolist() == wanted
    assert wanted[-8:] == list(range(8))


def test_boxes_of_one_class_lie_apart_in_memory() -> None:
    boxes, scores = _some(60, 4)
    apart = np.stack([boxes[::-1], boxes], 1)[:, 1]
    wanted = _by_pairs(boxes, scores, 20, np.float32(0.2), 0)
    assert best_boxes(apart, scores, 20, np.float32(0.2), 0).tolist() == wanted

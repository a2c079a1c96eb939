"""The best of boxes that overlap."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.threads.stopping import look

_OFTEN: Final = 64
"""Boxes after whose choice is looked whether the step was stopped."""
Array = np.ndarray[Any, Any]
Overlaps = Callable[[int, Array], Array]
"""How much the boxes of some numbers overlap one box."""


class Boxes:
    """Boxes by their corners, and how much of their union two of them share."""

    def __init__(self, boxes: Array) -> None:
        """Takes pairs of opposite corners, (boxes, 4)."""
        self._low = np.minimum(boxes[:, :2], boxes[:, 2:])
        self._high = np.maximum(boxes[:, :2], boxes[:, 2:])
        size = self._high - self._low
        self._areas = size[:, 0] * size[:, 1]

    def shared(self, box: int, others: Array) -> Array:
        """Which part of the union of a box and each of some others is in both."""
        low = np.maximum(self._low[others], self._low[box])
        high = np.minimum(self._high[others], self._high[box])
        size = np.maximum(high - low, 0)
        both = size[:, 0] * size[:, 1]
        area, areas = self._areas[box], self._areas[others]
        with np.errstate(divide="ignore", invalid="ignore"):
            part: Array = both / (areas + area - both)
        part[~((areas > 0) & (area > 0))] = 0
        return part


def best(scores: Array, limit: int, most: Any, least: Any, overlaps: Overlaps) -> Array:
    """The numbers of the best boxes, the best one first; of equal ones the first.

    Args:
      scores: How good each box is.
      limit: The most boxes that are chosen.
      most: How much two chosen boxes may overlap.
      least: Boxes must be better than that.
      overlaps: How much boxes overlap.
    """
    left = np.flatnonzero(scores > least)
    left = left[np.argsort(-scores[left], kind="stable")]
    chosen: list[int] = []
    while left.size and len(chosen) < limit:
        if not len(chosen) % _OFTEN:
            look()
        box = int(left[0])
        chosen.append(box)
        left = left[1:]
        left = left[~(overlaps(box, left) > most)]
    return np.array(chosen, np.int32)


def best_softly(
    scores: Array, limit: int, sigma: Any, least: Any, overlaps: Overlaps
) -> tuple[Array, Array]:
    """The numbers of the best boxes and their scores, lowered by better ones that they overlap.

    Args:
      scores: How good each box is.
      limit: The most boxes that are chosen.
      sigma: How slowly scores fall with what is shared, above 0.
      least: Boxes must be better than that.
      overlaps: How much boxes overlap.
    """
    dtype = scores.dtype.type
    scale = dtype(-0.5) / dtype(sigma)
    queue = [(-scores[box], int(box), 0) for box in np.flatnonzero(scores > least)]
    heapq.heapify(queue)
    chosen: list[int] = []
    found: list[Any] = []
    while queue and len(chosen) < limit:
        negative, box, seen = heapq.heappop(queue)
        look()
        score = original = -negative
        others = np.array(chosen[seen:][::-1], np.intp)
        if others.size:
            # A box is lowered once by each that was chosen before it, the last one first.
            part = overlaps(box, others)
            for weight in np.exp(scale * part * part):
                score = dtype(score * weight)
                if score <= least:
                    break
        if score == original:
            chosen.append(box)
            found.append(score)
        elif score > least:
            heapq.heappush(queue, (-score, box, len(chosen)))
    return np.array(chosen, np.int32), np.array(found, scores.dtype)

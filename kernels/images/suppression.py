"""The best of boxes that overlap."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.threads.stopping import look

_TOGETHER: Final = 64
"""Boxes that are compared with each other at once."""
Array = np.ndarray[Any, Any]
Overlaps = Callable[[Array, Array], Array]
"""How much each box of some numbers overlaps each of others, as a matrix."""


class Boxes:
    """Boxes by their corners, and how much of their union two of them share."""

    def __init__(self, boxes: Array) -> None:
        """Takes pairs of opposite corners, (boxes, 4)."""
        low = np.minimum(boxes[:, :2], boxes[:, 2:])
        high = np.maximum(boxes[:, :2], boxes[:, 2:])
        size = high - low
        self._areas = size[:, 0] * size[:, 1]
        # Each axis alone: numpy is slow where the last dimension has two elements.
        self._sides = [
            (np.ascontiguousarray(low[:, axis]), np.ascontiguousarray(high[:, axis]))
            for axis in range(2)
        ]

    def shared(self, boxes: Array, others: Array) -> Array:
        """Which part of the union of each box and each of some others is in both."""
        across, along = (self._overlap(side, boxes, others) for side in self._sides)
        across *= along
        area, areas = self._areas[boxes][:, None], self._areas[others]
        whole = np.add(area, areas, out=along)
        whole -= across
        with np.errstate(divide="ignore", invalid="ignore"):
            across /= whole
        if not (area.min(initial=1) > 0 and areas.min(initial=1) > 0):
            across[~((areas > 0) & (area > 0))] = 0
        return across

    def _overlap(self, side: tuple[Array, Array], boxes: Array, others: Array) -> Array:
        low, high = side
        found: Array = np.minimum(high[boxes][:, None], high[others])
        found -= np.maximum(low[boxes][:, None], low[others])
        return np.maximum(found, 0, out=found)


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
    chosen = np.zeros(0, np.intp)
    for start in range(0, left.size, _TOGETHER):
        if len(chosen) >= limit:
            break
        look()
        some = left[start : start + _TOGETHER]
        if chosen.size:
            some = some[~(overlaps(some, chosen) > most).any(1)]
        stays = _stays(overlaps(some, some) > most)
        chosen = np.concatenate((chosen, some[stays]))
    return chosen[:limit].astype(np.int32)


def _stays(conflicts: Array) -> list[int]:
    """Which boxes stay where one that stays takes away those whose rows say so in its column."""
    # Each column as the bits of a number: numpy would take a microsecond for every box.
    columns = np.packbits(conflicts.T, axis=1, bitorder="little")
    gone, stays = 0, []
    for place in range(len(columns)):
        if not gone >> place & 1:
            stays.append(place)
            gone |= int.from_bytes(columns[place], "little")
    return stays


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
            part = overlaps(np.array([box]), others)[0]
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

"""The best of boxes that overlap."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from dataflow.kernels.images.greedy_choice import Choice
from dataflow.kernels.native.compiled import is_there
from dataflow.kernels.threads.stopping import look

_TOGETHER: Final = 64
"""Boxes that are compared with each other at once, at most."""
_SOFTLY: Final = 256
"""Boxes of which it is known at first how much others lower them,"""
_MORE: Final = 2
"""and how many times as many as matter afterwards."""
_WAVE: Final = 4
"""Boxes that are sorted at once, for each that is wanted."""
Array = np.ndarray[Any, Any]
Overlaps = Callable[[Array, Array], Array]
"""How much each box of some numbers overlaps each of others, as a matrix."""


class Boxes:
    """Boxes by their corners, and how much of their union two of them share."""

    def __init__(self, boxes: Array, often: bool = False) -> None:
        """Takes pairs of opposite corners, (boxes, 4), of which few may ever be compared.

        Args:
          boxes: The corners.
          often: Whether most of them are compared, a few at a time.
        """
        self._boxes = boxes
        self._all = _sides(boxes) if often else None

    def shared(self, boxes: Array, others: Array) -> Array:
        """Which part of the union of each box and each of some others is in both."""
        some = self._some(boxes)
        rest = some if others is boxes else self._some(others)
        low, high, area = some[:2, :, None], some[2:4, :, None], some[4, :, None]
        lows, highs, areas = rest[:2, None], rest[2:4, None], rest[4]
        part: Array = np.minimum(high, highs)
        part -= np.maximum(low, lows)
        np.maximum(part, 0, out=part)
        across: Array = part[0]
        along = part[1]
        across *= along
        whole = np.add(area, areas, out=along)
        whole -= across
        with np.errstate(divide="ignore", invalid="ignore"):
            across /= whole
        if not (area.min(initial=1) > 0 and areas.min(initial=1) > 0):
            across[~((areas > 0) & (area > 0))] = 0
        return across

    def _some(self, boxes: Array) -> Array:
        return _sides(self._boxes.take(boxes, 0)) if self._all is None else self._all.take(boxes, 1)


def _sides(boxes: Array) -> Array:
    """The lower corners of boxes, the upper ones, and how large they are, (5, boxes)."""
    # The numbers of a kind side by side: numpy is slow where the last dimension is small.
    corners = boxes.T
    sides = np.empty((5, len(boxes)), boxes.dtype)
    np.minimum(corners[:2], corners[2:], out=sides[:2])
    np.maximum(corners[:2], corners[2:], out=sides[2:4])
    tall, wide = sides[2:4] - sides[:2]
    np.multiply(tall, wide, out=sides[4])
    return sides


def best_boxes(boxes: Array, scores: Array, limit: int, most: Any, least: Any) -> Array:
    """The numbers of the best boxes, the best one first; of equal ones the first.

    Args:
      boxes: Pairs of opposite corners, (boxes, 4).
      scores: How good each box is.
      limit: The most boxes that are chosen.
      most: Which part of their union two chosen boxes may share.
      least: Boxes must be better than that.
    """
    limit = min(limit, len(boxes))
    if boxes.dtype != np.float32 or not is_there():
        return best(scores, limit, most, least, Boxes(boxes).shared)
    choice = Choice(limit, most)
    for left in _from_the_best(scores, np.flatnonzero(scores > least), _WAVE * limit):
        if not choice.take(left, _sides(boxes.take(left, 0))):
            break
    return choice.boxes()


def best(scores: Array, limit: int, most: Any, least: Any, overlaps: Overlaps) -> Array:
    """The numbers of the best boxes, the best one first; of equal ones the first.

    Args:
      scores: How good each box is.
      limit: The most boxes that are chosen.
      most: How much two chosen boxes may overlap.
      least: Boxes must be better than that.
      overlaps: How much boxes overlap.
    """
    together = min(_TOGETHER, 2 * limit)
    chosen = np.zeros(0, np.intp)
    for left in _from_the_best(scores, np.flatnonzero(scores > least), _WAVE * limit):
        for start in range(0, left.size, max(1, together)):
            if len(chosen) >= limit:
                return chosen[:limit].astype(np.int32)
            look()
            some = left[start : start + together]
            if chosen.size:
                some = some[~(overlaps(some, chosen) > most).any(1)]
            stays = _stays(overlaps(some, some) > most, limit - len(chosen))
            chosen = np.concatenate((chosen, some[stays]))
    return chosen[:limit].astype(np.int32)


def _from_the_best(scores: Array, left: Array, count: int) -> Iterator[Array]:
    """Boxes in the order of their scores, at least so many at once, for few of them are wanted."""
    while left.size:
        known = scores[left]
        if left.size > 2 * count > 0:
            bound = -np.partition(-known, count)[count]
            is_now = known >= bound
            now, left, known = left[is_now], left[~is_now], known[is_now]
        else:
            now, left = left, left[:0]
        yield now[np.argsort(-known, kind="stable")]


def _stays(conflicts: Array, limit: int) -> list[int]:
    """Which boxes stay where one that stays takes away those whose rows say so in its column.

    No more than so many.
    """
    # Each column as the bits of a number: numpy would take a microsecond for every box.
    columns = np.packbits(conflicts.T, axis=1, bitorder="little")
    size = columns.shape[1]
    bits = columns.tobytes()
    gone, stays = 0, []
    for place in range(len(columns)):
        if not gone >> place & 1:
            stays.append(place)
            if len(stays) == limit:
                break
            gone |= int.from_bytes(bits[place * size : (place + 1) * size], "little")
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
    order = np.flatnonzero(scores > least)
    order = order[np.argsort(-scores[order], kind="stable")]
    # How much each chosen one lowers others: of the best ones only, until more of them matter.
    known = 0
    lowered: list[Array] = []
    queue = [(-scores[box], box, place, 0) for place, box in enumerate(order.tolist())]
    chosen: list[int] = []
    found: list[Any] = []

    def lower(boxes: Array, others: Array) -> Array:
        part = overlaps(boxes, others)
        weights: Array = np.exp(scale * part * part)
        return weights

    while queue and len(chosen) < limit:
        negative, box, place, seen = heapq.heappop(queue)
        look()
        score = original = -negative
        if place >= known:
            first, known = known, min(len(order), max(_SOFTLY, _MORE * place))
            more = lower(order[chosen], order[first:known])
            lowered = [*map(np.concatenate, zip(lowered, more, strict=True))]
        # A box is lowered once by each that was chosen before it, the last one first.
        for weights in reversed(lowered[seen:]):
            score = dtype(score * weights[place])
            if score <= least:
                break
        if score == original:
            chosen.append(place)
            found.append(score)
            lowered.append(lower(order[place : place + 1], order[:known])[0])
        elif score > least:
            heapq.heappush(queue, (-score, box, place, len(chosen)))
    return order[chosen].astype(np.int32), np.array(found, scores.dtype)

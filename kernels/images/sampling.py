"""A random part of an image that holds enough of an object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

_EPSILON: Final = np.float32(1e-7)
_ONE: Final = np.float32(1)
Word = Callable[[], int]
"""The next 32 random bits."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box of whole pixels."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self) -> np.float32:
        """Pixels in it; 0 if it is turned round."""
        if self.right < self.left or self.bottom < self.top:
            return np.float32(0)
        return np.float32((self.right - self.left) * (self.bottom - self.top))

    def meet(self, other: Box) -> Box:
        """What is in both."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Box(0, 0, 0, 0) if left > right or top > bottom else Box(left, top, right, bottom)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a part."""

    covered: Any
    """How much of some object it holds at least."""
    proportions: Sequence[Any]
    """Least and largest width for the height."""
    areas: Sequence[Any]
    """Least and largest part of the image."""
    attempts: int


def draw(width: int, height: int, objects: Sequence[Box], wanted: Wanted, word: Word) -> Box:
    """A part as it is wanted, or the whole image if no attempt finds one."""
    least, most = (np.float32(value) for value in wanted.proportions)
    for _ in range(wanted.attempts):
        proportion = np.float32(_unit(word()) * np.float32(most - least) + least)
        part = _attempt(width, height, proportion, wanted.areas, word)
        if part is not None and _holds(part, objects, wanted.covered):
            return part
    return Box(0, 0, width, height)


def _unit(bits: int) -> np.float32:
    """A number in [0, 1) of 23 bits."""
    return np.uint32(0x3F800000 | bits & 0x7FFFFF).view(np.float32) - _ONE


def _below(limit: int, word: Word) -> int:
    """An integer below a limit, each with the same chance."""
    if limit & (limit - 1) == 0:
        return word() & (limit - 1)
    bound = (0xFFFFFFFF % limit) + 1
    while (bits := word()) < bound:
        pass
    return bits % limit


def _rounded(value: Any) -> int:
    return int(np.rint(np.float32(value)))


def _attempt(
    width: int, height: int, proportion: np.float32, areas: Sequence[Any], word: Word
) -> Box | None:
    """A part of random height and place, or None if it does not fit."""
    least, most = np.float32(areas[0]), np.float32(areas[1])
    if most <= 0 or proportion <= 0 or width <= 0 or height <= 0 or least > most:
        return None
    wide, high = np.float32(width), np.float32(height)
    least_area, most_area = least * wide * high, most * wide * high
    tall = _rounded(np.sqrt(least_area / proportion))
    tallest = _rounded(np.sqrt(most_area / proportion))
    if _rounded(np.float32(tallest) * proportion) > width:
        tallest = int((wide + np.float32(0.5) - _EPSILON) / proportion)
        if _rounded(np.float32(tallest) * proportion) > width:
            tallest -= 1
    tallest = min(tallest, height)
    tall = min(tall, tallest)
    if tall < tallest:
        tall += _below(tallest - tall + 1, word)
    across = _rounded(np.float32(tall) * proportion)
    # What is too small or too large by rounding only is made one row larger or smaller.
    if np.float32(across * tall) < least_area:
        tall += 1
        across = _rounded(np.float32(tall) * proportion)
    if np.float32(across * tall) > most_area:
        tall -= 1
        across = _rounded(np.float32(tall) * proportion)
    area = np.float32(across * tall)
    if area < least_area or area > most_area:
        return None
    if not (0 < across <= width and 0 < tall <= height):
        return None
    y = _below(height - tall, word) if tall < height else 0
    x = _below(width - across, word) if across < width else 0
    return Box(x, y, x + across, y + tall)


def _holds(part: Box, objects: Sequence[Box], covered: Any) -> bool:
    if part.area < 1:
        return False
    return any(
        part.meet(each).area / each.area >= np.float32(covered)
        for each in objects
        if each.area >= 1
    )

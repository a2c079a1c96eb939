"""Sizes of axes on both sides of the thresholds that kernels have, axes of 1 and 0 among them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping

import numpy as np

import dataflow.kernels.load

_LEAST, _MOST = 3, 1 << 20
"""Numbers between which a constant of a module may be a threshold."""
_SMALL = (1, 1, 1, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65)
_NOTHING = 0.12
"""Share of the trials in which an axis is 0."""


@functools.cache
def thresholds() -> tuple[int, ...]:
    """All whole numbers among the constants of kernels, and of what fuses them."""
    dataflow.kernels.load.load_generic()
    rooms = ("dataflow.kernels.", "dataflow.actors.fusion.")
    found = {
        value
        for name, module in list(sys.modules.items())
        if name.startswith(rooms)
        for constant, value in vars(module).items()
        if constant.isupper() and type(value) is int and _LEAST <= value <= _MOST
    }
    return tuple(sorted(found))


def draw(
    letters: str, most: Mapping[str, int], limit: int, random: np.random.Generator
) -> dict[str, int]:
    """A size for each axis: their product, or one of them, is near a threshold.

    Args:
      letters: The axes.
      most: The largest sizes of axes that have one.
      limit: Of the product.
      random: Draws.
    """
    near = [threshold for threshold in thresholds() if threshold <= limit]
    target = int(random.choice(near))
    free = [letter for letter in letters if letter not in most]
    long = str(random.choice(free)) if free else ""
    sizes: dict[str, int] = {}
    left = target
    if random.random() < 0.5:
        # The axis alone is near the threshold, others are what there is room for.
        left = max(1, limit // target)
    for letter in random.permutation(list(letters)):
        if letter == long:
            continue
        size = int(random.choice(_SMALL))
        if random.random() < 0.3:
            size = int(np.exp(random.uniform(0, np.log(max(2, left)))))
        size = max(1, min(size, left, most.get(letter, left)))
        sizes[str(letter)] = size
        left //= size
    if long:
        others = int(np.prod(list(sizes.values()), dtype=np.int64))
        whole = target if target * others <= limit and random.random() < 0.5 else target // others
        sizes[long] = max(1, whole + int(random.choice([-1, 0, 1])))
    if letters and random.random() < _NOTHING:
        sizes[str(random.choice(list(letters)))] = 0
    return sizes

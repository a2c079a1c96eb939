"""Orders that words of a stream put rows into."""

from __future__ import annotations

import numpy as np


def shuffled(words: np.ndarray) -> list[int]:
    """The order of one row more than there are words: Fisher and Yates, from the front."""
    size = len(words) + 1
    order = list(range(size))
    for index, word in enumerate(words.tolist()):
        other = index + word % (size - index)
        order[index], order[other] = order[other], order[index]
    return order

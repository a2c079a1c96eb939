"""The numbers of steps and of what outlives them, no two of which are given out twice."""

from __future__ import annotations

import random
from typing import Final

STEP_BITS: Final = 40
"""A step id is the number of its session, shifted by this, plus a count within the session."""


def new_range() -> int:
    """The first of a range of numbers that no other process counts in, but for a rare accident.

    Programs seed their generator, several processes with one seed: it is not drawn from.
    """
    return random.SystemRandom().getrandbits(40) << 20

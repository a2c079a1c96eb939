"""How many calls of functions a step may be in at a time: recursion without end must end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dataflow.errors import ResourceExhaustedError

if TYPE_CHECKING:
    from dataflow.actors.step.step import Step

MOST: Final = 1 << 14
"""Calls that have not returned, those that wait for the calls they have made themselves among them.
Each takes some thousand bytes besides its values."""
_LOOK: Final = 256
"""Calls between two looks at what memory is left."""
RESERVE: Final = 1 / 16
"""Part of the machine's memory that calls must leave free."""
_MEMINFO: Final = Path("/proc/meminfo")


def check_limits(step: Step, function: str) -> None:
    """Looks whether a step may be in one more call.

    Raises:
      ResourceExhaustedError: It is in too many already, or they have left too little memory; names
        the function.
    """
    calls = step.calls
    if calls >= MOST:
        raise ResourceExhaustedError(
            None,
            None,
            f"Function '{function}' was called while {calls} calls of the step had not returned, "
            "which is the limit. Does a recursion lack its end?",
        )
    if calls % _LOOK == _LOOK - 1 and is_short(free_part()):
        raise ResourceExhaustedError(
            None,
            None,
            f"Function '{function}' was called while {calls} calls of the step had not returned, "
            "and their values have left too little memory for another one.",
        )


def is_short(free: float) -> bool:
    """Whether so small a part of the memory is free that calls must not go on."""
    return free < RESERVE


def free_part() -> float:
    """The part of the machine's memory that is free; all of it where the system does not tell."""
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:
        return 1.0
    available = next((line for line in lines if line.startswith("MemAvailable:")), None)
    if available is None:
        return 1.0
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(available.split()[1]) * 1024 / total

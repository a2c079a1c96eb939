"""The processes of our actors on this machine: which there are, and what they have used."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_TICK: Final = 1.0 / os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Actor:
    """A living actor."""

    name: str
    """With the cluster in front: "<cluster>/job:worker/replica:0/task:0/device:CPU:0"."""
    pid: int

    @property
    def is_device(self) -> bool:
        """Whether it is a device."""
        return "/device:" in self.name

    @property
    def is_master(self) -> bool:
        """Whether it is a master."""
        return self.name.endswith("/master")


def living_actors() -> list[Actor]:
    """The actors of this library that Ray counts as not dead."""
    from ray._private import state

    found = state.actors().values()
    return [
        Actor(actor["Name"], actor["Pid"])
        for actor in found
        if "/job:" in actor["Name"] and actor["State"] != "DEAD"
    ]


def processor_seconds(pid: int) -> float:
    """What a process has used of processors, in steps of a tick (10 ms, mostly).

    Raises:
      OSError: There is no such process.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK


def resident_megabytes(pid: int) -> float:
    """Memory of a process that is its own: resident, and not of a file or shared memory.

    Raises:
      OSError: There is no such process.
    """
    _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    return (int(resident) - int(shared)) * _PAGE / 2**20


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, theirs, and so on."""
    by_parent: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            # It has ended meanwhile.
            continue
        by_parent.setdefault(int(fields[1]), []).append(int(status.parent.name))
    found, ahead = [], list(by_parent.get(pid, ()))
    while ahead:
        found.append(ahead.pop())
        ahead += by_parent.get(found[-1], ())
    return found


def is_running(pid: int) -> bool:
    """Whether a process exists and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

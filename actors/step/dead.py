"""The value of a dead tensor: one on a branch that was not taken."""

from __future__ import annotations

from typing import Final


class Dead:
    """Stands where a tensor's value would be; there is one instance, `DEAD`, in a process."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "DEAD"

    def __reduce__(self) -> str:
        return "DEAD"


DEAD: Final = Dead()

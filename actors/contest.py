"""Which of two layouts of a plan is faster: they run in turns, and their times decide.

What overlapping segments save is estimated from the costs of their nodes. What they lose is not
known beforehand: they wait for Python's lock, share the caches and the memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dataflow.actors.layout import Layout

_TURNS: Final = 6
"""Runs of each layout; its first one warms up."""
_SHARE: Final = 0.95
"""The layout with several segments takes at most so much of the other's time, or it is not worth
the cores."""


class Contest:
    """The runs of a layout with several segments and of one with a single one."""

    def __init__(self, apart: Layout, together: Layout) -> None:
        """Begins with neither having run.

        Args:
          apart: The layout with several segments.
          together: The one with a single segment.
        """
        self._apart = apart
        self._together = together
        self._times: dict[Layout, list[float]] = {apart: [], together: []}
        self.next = apart
        """The layout whose turn it is."""

    def note(self, layout: Layout, seconds: float) -> Layout | None:
        """Takes note of a run.

        Args:
          layout: The layout that has run. Others than the two do not count.
          seconds: How long.

        Returns:
          The better one, once that is known.
        """
        if layout not in self._times:
            return None
        self._times[layout].append(seconds)
        apart, together = self._times[self._apart], self._times[self._together]
        self.next = self._apart if len(apart) <= len(together) else self._together
        if min(len(apart), len(together)) < _TURNS:
            return None
        is_worth = min(apart[1:]) < _SHARE * min(together[1:])
        return self._apart if is_worth else self._together

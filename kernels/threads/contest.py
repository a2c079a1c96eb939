"""Which of two ways to compute the same is faster: they run in turns, and their times decide.

Costs alone do not tell: threads wait for each other and for Python's lock, and share the caches and
the memory; how much of that there is depends on the processor.
"""

from __future__ import annotations

from typing import Final, Generic, TypeVar

Way = TypeVar("Way")
_TURNS: Final = 6
"""Runs of each way; its first one warms up."""


class Contest(Generic[Way]):
    """The runs of two ways."""

    def __init__(self, challenger: Way, champion: Way, share: float) -> None:
        """Begins with neither having run.

        Args:
          challenger: It must be worth it.
          champion: The way that is taken if in doubt.
          share: How much of the champion's time the challenger takes, at most, if it wins.
        """
        self._challenger = challenger
        self._champion = champion
        self._share = share
        self._times: dict[Way, list[float]] = {challenger: [], champion: []}
        self.next = challenger
        """The way whose turn it is."""

    def note(self, way: Way, seconds: float) -> Way | None:
        """Takes note of a run.

        Args:
          way: What has run. Others than the two do not count.
          seconds: How long.

        Returns:
          The better one, once that is known.
        """
        if way not in self._times:
            return None
        self._times[way].append(seconds)
        challenger, champion = self._times[self._challenger], self._times[self._champion]
        is_ahead = len(challenger) > len(champion)
        self.next = self._champion if is_ahead else self._challenger
        if min(len(challenger), len(champion)) < _TURNS:
            return None
        is_worth = min(challenger[1:]) < self._share * min(champion[1:])
        return self._challenger if is_worth else self._champion

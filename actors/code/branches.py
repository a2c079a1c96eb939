"""The conditions around the lines of a generated function: which `if` is open, what follows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from dataflow.actors.nodes.plan_node import Condition, PlanNode

_DEEPEST: Final = 60
"""Indentation from which on one `if` tests all the rest of a guard: Python allows 100 levels."""


class Line(NamedTuple):
    """A line of code."""

    depth: int
    text: str
    node: PlanNode | None
    """Whom an error in it belongs to."""


class Branches:
    """Opens and closes branches so that each line stands under its guard."""

    def __init__(self, depth: int, place: Callable[[int], str]) -> None:
        """Starts outside of all branches.

        Args:
          depth: Indentation there.
          place: Gives the text for a slot.
        """
        self._base = depth
        self._place = place
        self._open: list[tuple[Condition, ...]] = []
        self._closed: tuple[int, int, set[int]] | None = None
        """Of the `if` closed last: its level, the slot it tests, and the branches that it and
        those chained to it have."""
        self._dropped: dict[int, list[int]] = {}
        """Slots to drop where the branches of a level are over, by level."""
        self._taken: list[set[int]] = []
        """For each open branch, which branches of its predicate its chain has by now."""

    @property
    def depth(self) -> int:
        """Indentation of the next line."""
        return self._base + len(self._open)

    def enter(self, guard: Sequence[Condition]) -> Iterator[Line]:
        """The lines that come before one under this guard."""
        level, covered = self._common(guard)
        if level < len(self._open):
            if len(self._open[level]) == 1:
                self._closed = level, self._open[level][0].slot, self._taken[level]
            else:
                self._closed = None
            del self._open[level:], self._taken[level:]
        rest = tuple(guard[covered:])
        chained = self._chained(level, rest)
        if not chained:
            self._closed = None
            yield from self._drops(level)
        while rest:
            bundle = rest if self.depth >= _DEEPEST else rest[:1]
            keyword = "if"
            if chained:
                assert self._closed is not None
                taken = self._closed[2]
                keyword = "else" if len(taken) == bundle[0].ways - 1 else "elif"
                self._closed, chained = None, False
            else:
                taken = set()
            taken.add(bundle[0].branch)
            condition = "" if keyword == "else" else f" {' and '.join(map(self._text, bundle))}"
            yield Line(self.depth, f"{keyword}{condition}:", bundle[-1].switch)
            self._open.append(bundle)
            self._taken.append(taken)
            rest = rest[len(bundle) :]

    def drop_later(self, slot: int, guard: Sequence[Condition]) -> None:
        """Has a slot that was filled under a guard dropped also where this branch is not taken."""
        level, _ = self._common(guard)
        if level < len(self._open):
            self._dropped.setdefault(level, []).append(slot)

    def finish(self) -> Iterator[Line]:
        """The lines at the end."""
        self._open, self._closed = [], None
        yield from self._drops(0)

    def _common(self, guard: Sequence[Condition]) -> tuple[int, int]:
        """How many open branches are parts of a guard, and how many of its tests they cover."""
        covered = 0
        for level, bundle in enumerate(self._open):
            if tuple(guard[covered : covered + len(bundle)]) != bundle:
                return level, covered
            covered += len(bundle)
        return len(self._open), covered

    def _chained(self, level: int, rest: tuple[Condition, ...]) -> bool:
        """True if the rest of a guard begins with another side of the branch that was closed."""
        if self._closed is None or not rest or self.depth >= _DEEPEST:
            return False
        closed, slot, taken = self._closed
        return closed == level and slot == rest[0].slot and rest[0].branch not in taken

    def _drops(self, level: int) -> Iterator[Line]:
        for inner in sorted((i for i in self._dropped if i >= level), reverse=True):
            slots = self._dropped.pop(inner)
            text = " = ".join(map(self._place, dict.fromkeys(slots)))
            yield Line(self._base + level, f"{text} = None", None)

    def _text(self, test: Condition) -> str:
        value = self._place(test.slot)
        if test.is_number:
            return f"{value} == {test.branch}"
        return f"{'' if test.branch else 'not '}({value} is T or truth({value}))"

"""Rows in fewer element types: what an op's earlier rows have tried, later ones try in one type.

The type of a later row changes from row to row, so that layouts and types still meet; in all types
they run by command.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from tests.ops.case import Case
from tests.ops.program import Program

Row = TypeVar("Row", Case, Program)


def shortened_cases(cases: Iterable[Case]) -> list[Case]:
    """Rows of one call; later ones keep the first type too where gradients or refusals need it."""
    return _shortened(cases, lambda case: (case.op, case.gradients), _needs_its_first)


def shortened_programs(programs: Iterable[Program]) -> list[Program]:
    """Rows of several steps."""
    return _shortened(programs, lambda row: (row.ops, row.gradients), lambda row: row.gradients)


def left_out(rows: Sequence[Row], kept: Sequence[Row]) -> dict[str, list[Row]]:
    """By op, the rows that have lost a type."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row, short in zip(rows, kept, strict=True):
        if row.dtypes != short.dtypes:
            found[row.id.split("-")[0]].append(row)
    return dict(found)


def _needs_its_first(case: Case) -> bool:
    return bool(case.gradients or case.bad)


def _shortened(
    rows: Iterable[Row], kind: Callable[[Row], Hashable], needs_its_first: Callable[[Row], bool]
) -> list[Row]:
    tried: dict[Hashable, set[str]] = defaultdict(set)
    turns: dict[Hashable, int] = defaultdict(int)
    found: list[Row] = []
    for row in rows:
        of_kind = kind(row)
        turn = row.dtypes[turns[of_kind] % len(row.dtypes)] if row.dtypes else ""
        turns[of_kind] += 1
        wanted = {turn, row.dtypes[0]} if row.dtypes and needs_its_first(row) else {turn}
        kept = tuple(d for d in row.dtypes if d in wanted or d not in tried[of_kind])
        tried[of_kind].update(row.dtypes)
        changes: dict[str, Any] = {"dtypes": kept}
        found.append(row if kept == row.dtypes else replace(row, **changes))
    return found

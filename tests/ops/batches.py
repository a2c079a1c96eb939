"""Rows worked out together with their neighbours: a session costs more than an op does."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias, TypeVar

from tests.ops.case import Case

Result = TypeVar("Result")
Work: TypeAlias = Callable[..., Sequence[Result]]
"""`work(rows, *args)` gives a result for each row."""

_LENGTH = 8

_batches: dict[Case, tuple[Case, ...]] = {}


def let_join(rows: Sequence[Case]) -> None:
    """From now on, what one of these rows is asked is worked out for those beside it as well.

    Rows that are tried one after the other should stand so here.
    """
    for start in range(0, len(rows), _LENGTH):
        batch = tuple(rows[start : start + _LENGTH])
        _batches.update(dict.fromkeys(batch, batch))


def of_row(work: Work[Result], row: Case, *args: Hashable) -> Result:
    """The row's result of `work`; where that fails for its batch, the row has it done alone.

    So a fault is that of one row, and is told as such.
    """
    batch = _batches.get(row, (row,))
    if len(batch) > 1:
        found = _of_batch(work, batch, args)
        if found is not None:
            return found[row]
    return _alone(work, row, args)


# What one batch is asked several times comes before what the next one is.
@functools.lru_cache(maxsize=12)
def _of_batch(
    work: Work[Any], batch: tuple[Case, ...], args: tuple[Hashable, ...]
) -> dict[Case, Any] | None:
    try:
        return dict(zip(batch, work(batch, *args), strict=True))
    except Exception:
        return None


@functools.lru_cache(maxsize=12)
def _alone(work: Work[Any], row: Case, args: tuple[Hashable, ...]) -> Any:
    (result,) = work((row,), *args)
    return result

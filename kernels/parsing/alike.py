"""Examples of one form: what says where features stand is the same in all of them.

Writers put features in one order and number them alike, so most messages of a batch that are of
one length differ in their values only. One of them is read, the others are compared with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.parsing.columns import Column
from dataflow.kernels.parsing.wire import MalformedError

_FEWEST: Final = 8
"""Messages of one length that are worth a comparison."""
_LONGEST: Final = 1 << 14
"""Bytes of a message: of longer ones reading where features stand is little of the work."""
_FORMS: Final = 4
"""How many forms messages of one length are tried with."""

Place = tuple[int, int, int]
"""Where the payload of a feature begins and ends, and how many elements it has."""
Scan = Callable[[bytes, Any], dict[bytes, tuple[int, int]]]


class _Every(dict[bytes, bool]):
    """Asks for all keys."""

    def get(self, key: bytes, default: Any = None) -> Any:
        return True


@dataclass(frozen=True, slots=True)
class Alike:
    """Messages of one form."""

    rows: list[int]
    """Their places in the batch."""
    places: list[Place | None]
    """For each feature; None if the messages lack it and need not have it."""


def alike(
    serialized: Sequence[bytes], columns: Sequence[Column], scan: Scan
) -> tuple[list[Alike], list[int]]:
    """Messages by their forms, and the places of the others, which are to be read one by one.

    Args:
      serialized: The messages.
      columns: The features that are wanted; nothing is taken.
      scan: Tells where the features of a message stand.
    """
    if len(serialized) < _FEWEST:
        return [], list(range(len(serialized)))
    by_length: dict[int, list[int]] = {}
    sizes = list(map(len, serialized))
    if sizes.count(sizes[0]) == len(sizes):
        by_length[sizes[0]] = list(range(len(sizes)))
    else:
        for row, size in enumerate(sizes):
            by_length.setdefault(size, []).append(row)
    found: list[Alike] = []
    others: list[int] = []
    for size, rows in by_length.items():
        for _ in range(_FORMS):
            if len(rows) < _FEWEST or size > _LONGEST:
                break
            rows = _one_form(serialized, rows, size, columns, scan, found)
        others += rows
    others.sort()
    return found, others


def _one_form(
    serialized: Sequence[bytes],
    rows: list[int],
    size: int,
    columns: Sequence[Column],
    scan: Scan,
    found: list[Alike],
) -> list[int]:
    """Takes out the messages of the form that the first one has; gives the others."""
    first = serialized[rows[0]]
    try:
        spans = scan(first, _Every())
    except (MalformedError, IndexError):
        return rows
    places: list[Place | None] = []
    is_value = np.zeros(size, bool)
    for start, finish in spans.values():
        is_value[start:finish] = True
    for column in columns:
        span = spans.get(column.key)
        place = None
        if span is None or span[0] == span[1]:
            if not column.may_lack():
                return rows
        else:
            place = column.place(first, *span)
            if place is None:
                return rows
            is_value[span[0] : place[0]] = False
        places.append(place)
    bytes_of = np.frombuffer(b"".join([serialized[row] for row in rows]), np.uint8)
    table = bytes_of.reshape(len(rows), size)
    form = np.flatnonzero(~is_value)
    fits = (table[:, form] == table[0, form]).all(1)
    for column, place in zip(columns, places, strict=True):
        if place is not None and column.is_int:
            held = table[:, place[0] : place[1]]
            fits &= (held < 0x80).sum(1) == place[2]
            fits &= held[:, -1] < 0x80
    if fits.all():
        found.append(Alike(rows, places))
        return []
    taken = np.flatnonzero(fits).tolist()
    if not taken:
        return rows
    found.append(Alike([rows[place] for place in taken], places))
    return [rows[place] for place in np.flatnonzero(~fits).tolist()]

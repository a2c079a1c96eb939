"""How messages of one form are built, and where their payloads stand in many of them at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.parsing.columns import Column
from dataflow.kernels.parsing.lists import varint_of
from dataflow.kernels.parsing.stretches import Spans, Text
from dataflow.kernels.parsing.wire import DELIMITED_1, DELIMITED_2, MalformedError

_SHORT: Final = 0x80
"""Below this a length is one byte."""
_NARROW: Final = 32
"""Bytes of a payload of one size up to which it is taken along with what is around it."""
_FLOATS: Final = np.dtype("<f4")
_WORD: Final = 8
"""Bytes that are compared at once."""

Array = np.ndarray[Any, Any]
Scan = Callable[[bytes, Any], dict[bytes, tuple[int, int]]]


class _Every(dict[bytes, bool]):
    """Asks for all keys."""

    def get(self, key: bytes, default: Any = None) -> Any:
        return True


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Which messages are of a form, and what they hold, by the features' numbers."""

    fits: Array
    spans: dict[int, Spans]
    """Where payloads stand."""
    floats: dict[int, Array]
    """A row of each message, of payloads that were read."""


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """A feature as messages of one form have it."""

    header: bytes
    """What stands before its payload; the last byte is a length."""
    lengths: tuple[int, ...]
    """Other bytes of the header that grow with the last one."""
    size: int | None
    """Of its payload, if no length grows."""
    column: int | None
    """The feature that it is read for,"""
    is_float: bool
    """and whether that is of floats, always as many."""


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """Features behind each other, of which only the last one may have any size."""

    name: str
    """Its part of what is compared,"""
    start: int
    """where that begins,"""
    width: int
    """and how many bytes it has."""
    inside: list[tuple[int, _Entry]]
    """Features whose payloads begin at these places of it."""
    last: _Entry
    """The one whose payload stands behind it."""


class Form:
    """Features in one order, whose headers differ in the lengths of payloads only."""

    def __init__(self, entries: Sequence[_Entry], head: int) -> None:
        """Takes the features, and how many bytes stand before the first one."""
        self._head = head
        self._stretches: list[_Stretch] = []
        there, counted = bytearray(), bytearray()
        grown: list[tuple[int, int]] = []
        limits: list[int] = []
        lasts: list[int] = []
        inside: list[tuple[int, _Entry]] = []
        start = 0
        for number, entry in enumerate(entries, 1):
            begin = len(there)
            there += entry.header
            counted += b"\xff" * len(entry.header)
            if entry.size is not None and entry.size <= _NARROW and number < len(entries):
                inside.append((len(there) - start, entry))
                there += bytes(entry.size)
                counted += bytes(entry.size)
                continue
            width = len(there) - start
            if entry.size is None:
                last = len(there) - 1
                lasts.append(last)
                # The last length is the smallest, the first one counts all that is behind it.
                limits.append(_SHORT + 2 - len(entry.header))
                grown += [(begin + place, last) for place in entry.lengths]
                for place in (last, *(at for at, _ in grown)):
                    counted[place] = 0
            self._stretches.append(_Stretch(f"s{start}", start, width, inside, entry))
            inside, start = [], len(there)
        filled = bytes(-len(there) % _WORD)
        there += filled
        counted += filled
        self._row = np.dtype(
            {
                "names": [each.name for each in self._stretches],
                "formats": [f"V{each.width}" for each in self._stretches],
                "offsets": [each.start for each in self._stretches],
                "itemsize": len(there),
            }
        )
        self._there = np.frombuffer(bytes(there), np.uint64)
        self._counted = np.frombuffer(bytes(counted), np.uint64)
        self._lasts = np.array(lasts, np.intp)
        self._limits = np.array(limits, np.uint8)
        self._grown, self._by = np.array(grown, np.intp).reshape(-1, 2).T
        shown = self._there.view(np.uint8)
        self._apart = shown[self._grown] - shown[self._by]

    def find(self, text: Text, messages: Spans) -> Found:
        """What messages hold that are of this form."""
        starts, lengths = messages
        count, size = starts.size, self._row.itemsize
        spans: dict[int, Spans] = {}
        floats: dict[int, Array] = {}
        shown = np.empty((count, size), np.uint8)
        parts = shown.view(self._row)[:, 0]
        places = starts + self._head
        # What does not fit may lead anywhere; what fits ends where its message does.
        for stretch in self._stretches:
            parts[stretch.name] = text.pieces(places, stretch.width)
            for begin, entry in stretch.inside:
                if entry.column is None or entry.size is None:
                    continue
                if entry.is_float:
                    floats[entry.column] = np.ndarray(
                        (count, entry.size // 4), _FLOATS, shown, stretch.start + begin, (size, 4)
                    )
                else:
                    spans[entry.column] = places + begin, np.full(count, entry.size)
            places = places + stretch.width
            last = stretch.last
            sizes: Any = last.size
            if sizes is None:
                sizes = shown[:, stretch.start + stretch.width - 1].astype(np.intp)
            if last.column is not None and last.is_float:
                read = text.pieces(places, sizes).view(_FLOATS)
                floats[last.column] = read.reshape(count, -1)
            elif last.column is not None:
                spans[last.column] = places, _each(sizes, count)
            places = places + sizes
        fits = (places == starts + lengths) & self._has_head(text, starts, lengths)
        off = shown.view(np.uint64) ^ self._there
        off &= self._counted
        if off.any():
            fits &= ~off.any(1)
        if self._lasts.size:
            apart = shown.take(self._grown, 1) - shown.take(self._by, 1) == self._apart
            if not apart.all():
                fits &= apart.all(1)
            fits &= (shown.take(self._lasts, 1) < self._limits).all(1)
        return Found(fits, spans, floats)

    def _has_head(self, text: Text, starts: Array, lengths: Array) -> Array:
        head = text.windows(starts, self._head)
        inside = lengths - self._head
        fits: Array = head[:, 0] == DELIMITED_1
        if self._head == 2:
            fits &= head[:, 1] == inside
        else:
            fits &= (head[:, 1] == (inside & 0x7F | 0x80)) & (head[:, 2] == inside >> 7)
        return fits


def _each(sizes: int | Array, count: int) -> Array:
    return np.full(count, sizes) if isinstance(sizes, int) else sizes


def form_of(first: bytes, columns: Sequence[Column], scan: Scan) -> Form | None:
    """The form of a message; None if it is not the usual one, or is not what was asked for.

    Args:
      first: The message.
      columns: The features that are wanted.
      scan: Tells where the features of a message stand.
    """
    try:
        spans = scan(first, _Every())
    except (MalformedError, IndexError):
        return None
    numbers = {column.key: number for number, column in enumerate(columns)}
    if any(column.key not in spans and not column.may_lack() for column in columns):
        return None
    head = 2 if len(first) < _SHORT + 2 else 3
    found, pos = [], head
    for key, (start, finish) in sorted(spans.items(), key=lambda item: item[1]):
        total = _length(first, pos, key, start, finish)
        if not total:
            return None
        number, begin, lengths = numbers.get(key), start, [1, start - 1 - pos]
        has_one_size = False
        if number is not None and start == finish:
            if not columns[number].may_lack():
                return None
            number, total = None, _SHORT
        elif number is not None:
            payload = columns[number].begin(first, start, finish)
            has_one_size = columns[number].has_one_size
            if payload is None or (has_one_size and columns[number].size != finish - payload):
                return None
            begin = payload
            lengths += [start + 1 - pos, begin - 1 - pos]
        size = finish - begin if total >= _SHORT or has_one_size else None
        others = tuple(sorted(set(lengths) - {begin - 1 - pos}))
        found.append(_Entry(first[pos:begin], others, size, number, has_one_size))
        pos = finish
    return Form(found, head) if pos == len(first) else None


def _length(data: bytes, pos: int, key: bytes, start: int, finish: int) -> int:
    """The length of the entry at a place, if it is built as usual up to its value; else 0."""
    value = bytes([DELIMITED_2]) + varint_of(finish - start)
    named = bytes([DELIMITED_1]) + varint_of(len(key)) + key + value
    size = len(named) + finish - start
    usual = bytes([DELIMITED_1]) + varint_of(size) + named
    return size if data[pos:start] == usual else 0

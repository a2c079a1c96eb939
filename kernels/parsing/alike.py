"""Examples of one form: the same features in the same order, which are read together.

Writers put features in one order, so the messages of a batch mostly differ in values and their
sizes. One of them is read; whether the others are built like it is seen feature by feature, for
all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.parsing import varints
from dataflow.kernels.parsing.columns import Column
from dataflow.kernels.parsing.lists import varint_of
from dataflow.kernels.parsing.stretches import Spans, Text
from dataflow.kernels.parsing.wire import DELIMITED_1, DELIMITED_2, MalformedError

_FEWEST: Final = 8
"""Messages that are worth a comparison."""
_LEAST: Final = 3
_LONGEST: Final = 1 << 14
"""Bytes of a message: of longer ones reading where features stand is little of the work, and their
sizes take more than two bytes."""
_FORMS: Final = 4
"""How many forms are tried."""
_SHORT: Final = 0x80
"""Below this a length is one byte."""
_NARROW: Final = 32
"""Bytes of a payload up to which it is compared, for nothing, along with what is around it."""

Array = np.ndarray[Any, Any]
Scan = Callable[[bytes, Any], dict[bytes, tuple[int, int]]]


class _Every(dict[bytes, bool]):
    """Asks for all keys."""

    def get(self, key: bytes, default: Any = None) -> Any:
        return True


@dataclass(frozen=True, slots=True)
class Alike:
    """Messages of one form."""

    rows: Array
    """Their places in the batch."""
    spans: list[Spans | None]
    """For each feature where the payloads stand; None if the messages lack it."""
    numbers: dict[int, Array]
    """For features of one integer each what these are."""


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """A feature as messages of one form have it."""

    header: bytes
    """What stands before its payload; the last byte is a length."""
    moves: Array | None
    """Ones where bytes of the header are lengths that grow with the last one, else zeros."""
    size: int
    """Of its payload, if no length moves."""
    column: int | None
    """The feature that it is read for."""


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """Features behind each other, of which only the last one may have any size."""

    entries: list[tuple[int, _Entry]]
    """With the places where their payloads begin; the last one's ends the stretch."""
    bytes: Array
    """What is there in a message of the form."""
    counts: Array | None
    """All ones where it has to be there, zeros in payloads; None if it has to everywhere."""
    moves: Array | None
    """As the last feature's header has it."""


def alike(
    serialized: Sequence[bytes], columns: Sequence[Column], known: list[Any], scan: Scan
) -> tuple[Text, list[Alike], list[int]]:
    """Messages by their forms, and the places of the others, which are to be read one by one.

    Args:
      serialized: The messages.
      columns: The features that are wanted; nothing is taken.
      known: Forms of messages that were read before for the same features; becomes these ones'.
      scan: Tells where the features of a message stand.

    Returns:
      What the forms' places mean, the forms, and the places of other messages.
    """
    sizes = np.fromiter(map(len, serialized), np.intp, len(serialized))
    rows = np.flatnonzero((sizes >= _LEAST) & (sizes <= _LONGEST))
    if rows.size < _FEWEST or len({column.key for column in columns}) < len(columns):
        return Text(b""), [], list(range(len(serialized)))
    whole = rows.size == len(serialized)
    text = Text(b"".join(serialized if whole else [serialized[row] for row in rows.tolist()]))
    sizes = sizes[rows]
    messages = np.cumsum(sizes) - sizes, sizes
    found: list[Alike] = []
    remembered, used = list(known), []
    for _ in range(_FORMS + len(remembered)):
        if rows.size < _FEWEST:
            break
        stretches = (
            remembered.pop(0) if remembered else _form(serialized[int(rows[0])], columns, scan)
        )
        if stretches is None:
            rows, messages = rows[1:], (messages[0][1:], messages[1][1:])
            continue
        taken, fits = _walk(text, messages, stretches)
        taken = _some(taken, fits)
        holds = _holds(text, int(np.count_nonzero(fits)), taken, columns)
        fits[fits] = holds
        if not fits.any():
            continue
        used.append(stretches)
        taken = _some(taken, holds)
        spans = [taken.get(number) for number in range(len(columns))]
        found.append(Alike(rows[fits], spans, _numbers(text, taken, columns)))
        rest = ~fits
        rows, messages = rows[rest], (messages[0][rest], messages[1][rest])
    known[:] = used[:_FORMS]
    others = np.ones(len(serialized), bool)
    for form in found:
        others[form.rows] = False
    return text, found, np.flatnonzero(others).tolist()


def _holds(text: Text, count: int, spans: dict[int, Spans], columns: Sequence[Column]) -> Array:
    """Which of so many messages have payloads of as many elements as are wanted."""
    found = np.ones(count, bool)
    single = _single(spans, columns)
    short = {n: s for n, s in single.items() if s[1].max(initial=0) <= varints.WORD}
    if short:
        found &= varints.are_whole(text, *_behind(short)).reshape(len(short), count).all(0)
    for number, span in spans.items():
        if number not in short:
            found &= columns[number].fits(text, span)
    return found


def _numbers(text: Text, spans: dict[int, Spans], columns: Sequence[Column]) -> dict[int, Array]:
    """The integers of features that have one each."""
    single = _single(spans, columns)
    if not single:
        return {}
    found = varints.numbers(text, *_behind(single)).reshape(len(single), -1)
    return dict(zip(single, found, strict=True))


def _single(spans: dict[int, Spans], columns: Sequence[Column]) -> dict[int, Spans]:
    return {number: span for number, span in spans.items() if columns[number].is_integer}


def _behind(spans: dict[int, Spans]) -> Spans:
    """The stretches of several features as those of one."""
    if len(spans) == 1:
        return next(iter(spans.values()))
    begins, sizes = zip(*spans.values(), strict=True)
    return np.concatenate(begins), np.concatenate(sizes)


def _some(spans: dict[int, Spans], which: Array) -> dict[int, Spans]:
    """Where the payloads of features stand, in some of the messages."""
    if which.all():
        return spans
    return {number: (begins[which], sizes[which]) for number, (begins, sizes) in spans.items()}


def _form(first: bytes, columns: Sequence[Column], scan: Scan) -> list[_Stretch] | None:
    """The form of a message; None if it is not the usual one, or is not what was asked for."""
    try:
        spans = scan(first, _Every())
    except (MalformedError, IndexError):
        return None
    numbers = {column.key: number for number, column in enumerate(columns)}
    if any(column.key not in spans and not column.may_lack() for column in columns):
        return None
    found, pos = [], _head(len(first))
    for key, (start, finish) in sorted(spans.items(), key=lambda item: item[1]):
        total = _length(first, pos, key, start, finish)
        if not total:
            return None
        number, begin, lengths = numbers.get(key), start, [1, start - 1 - pos]
        if number is not None and start == finish:
            if not columns[number].may_lack():
                return None
            number, total = None, _SHORT
        elif number is not None:
            payload = columns[number].begin(first, start, finish)
            if payload is None:
                return None
            begin = payload
            lengths += [start + 1 - pos, begin - 1 - pos]
        moves = None
        if total < _SHORT and not (number is not None and columns[number].has_one_size):
            moves = np.zeros(begin - pos, np.uint8)
            moves[lengths] = 1
        found.append(_Entry(first[pos:begin], moves, finish - begin, number))
        pos = finish
    return _joined(found) if pos == len(first) else None


def _joined(entries: Sequence[_Entry]) -> list[_Stretch]:
    """Entries in as few stretches as may be."""
    found = []
    held, counted = bytearray(), bytearray()
    inside: list[tuple[int, _Entry]] = []
    for number, entry in enumerate(entries, 1):
        held += entry.header
        counted += b"\xff" * len(entry.header)
        inside.append((len(held), entry))
        if entry.moves is None and entry.size <= _NARROW and number < len(entries):
            held += bytes(entry.size)
            counted += bytes(entry.size)
            continue
        moves = entry.moves
        if moves is not None:
            moves = np.concatenate((np.zeros(len(held) - moves.size, np.uint8), moves))
        there, counts = (np.frombuffer(bytes(each), np.uint8) for each in (held, counted))
        found.append(_Stretch(inside, there, None if counts.all() else counts, moves))
        held, counted, inside = bytearray(), bytearray(), []
    return found


def _length(data: bytes, pos: int, key: bytes, start: int, finish: int) -> int:
    """The length of the entry at a place, if it is built as usual up to its value; else 0."""
    value = bytes([DELIMITED_2]) + varint_of(finish - start)
    named = bytes([DELIMITED_1]) + varint_of(len(key)) + key + value
    size = len(named) + finish - start
    usual = bytes([DELIMITED_1]) + varint_of(size) + named
    return size if data[pos:start] == usual else 0


def _head(size: int) -> int:
    """How many bytes of a message of that size stand before its first feature: a tag, a length."""
    return 2 if size < _SHORT + 2 else 3


def _walk(
    text: Text, messages: Spans, stretches: Sequence[_Stretch]
) -> tuple[dict[int, Spans], Array]:
    """Where the payloads of features stand in messages, and which messages are of the form."""
    starts, lengths = messages
    found: dict[int, Spans] = {}
    width = _head(int(lengths[0]))
    head = text.windows(starts, width)
    inside = lengths - width
    fits = head[:, 0] == DELIMITED_1
    if width == 2:
        fits &= head[:, 1] == inside
    else:
        fits &= (head[:, 1] == (inside & 0x7F | 0x80)) & (head[:, 2] == inside >> 7)
    places = starts + width
    # What does not fit may lead anywhere; what fits ends where its message does.
    for stretch in stretches:
        there = text.windows(places, stretch.bytes.size)
        off = there - stretch.bytes
        if stretch.counts is not None:
            off &= stretch.counts
        for begin, entry in stretch.entries:
            if entry.moves is not None:
                sizes = there[:, -1].astype(np.intp)
                off -= stretch.moves * off[:, -1:]
                # The last length is the smallest, the first one counts all that is behind it.
                fits &= sizes < _SHORT + 2 - len(entry.header)
            else:
                sizes = np.full(starts.size, entry.size)
            if entry.column is not None:
                found[entry.column] = places + begin, sizes
        if off.any():
            fits &= ~off.any(1)
        places = places + (stretch.bytes.size + sizes)
    fits &= places == starts + lengths
    return found, fits

"""Examples of one form: the same features in the same order, which are read together.

Writers put features in one order, so the messages of a batch mostly differ in values and their
sizes. One of them is read; whether the others are built like it is seen feature by feature, for
all of them at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.parsing import varints
from dataflow.kernels.parsing.columns import Column
from dataflow.kernels.parsing.forms import Form, Found, Scan, form_of
from dataflow.kernels.parsing.stretches import Spans, Text

_FEWEST: Final = 8
"""Messages that are worth a comparison."""
_LEAST: Final = 3
_LONGEST: Final = 1 << 14
"""Bytes of a message: of longer ones reading where features stand is little of the work, and their
sizes take more than two bytes."""
_FORMS: Final = 4
"""How many forms are tried."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Alike:
    """Messages of one form."""

    rows: Array
    """Their places in the batch."""
    spans: list[Spans | None]
    """For each feature where the payloads stand; None if the messages lack it."""
    values: dict[int, Array]
    """Elements of features that have been read."""


def alike(
    serialized: Sequence[bytes], columns: Sequence[Column], known: list[Form], scan: Scan
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
    remembered = list(known)
    used: list[Form] = []
    for _ in range(_FORMS + len(remembered)):
        if rows.size < _FEWEST:
            break
        form = remembered.pop(0) if remembered else form_of(serialized[int(rows[0])], columns, scan)
        if form is None:
            rows, messages = rows[1:], (messages[0][1:], messages[1][1:])
            continue
        fits, spans, values = _read(text, form.find(text, messages), columns)
        if not fits.any():
            continue
        used.append(form)
        listed = [spans.get(number) for number in range(len(columns))]
        found.append(Alike(rows[fits], listed, values))
        if found[-1].rows.size == len(serialized):
            known[:] = used
            return text, found, []
        rest = ~fits
        rows, messages = rows[rest], (messages[0][rest], messages[1][rest])
    known[:] = used[:_FORMS]
    others = np.ones(len(serialized), bool)
    for alike_ones in found:
        others[alike_ones.rows] = False
    return text, found, np.flatnonzero(others).tolist()


def _read(
    text: Text, found: Found, columns: Sequence[Column]
) -> tuple[Array, dict[int, Spans], dict[int, Array]]:
    """What messages of a form hold, of those that have as many elements as are wanted.

    Returns:
      Which of all messages these are; where payloads stand in them; elements that were read.
    """
    fits, spans, floats = found.fits, found.spans, found.floats
    if not fits.all():
        spans = _some(spans, fits)
        floats = {number: rows[fits] for number, rows in floats.items()}
    single = [number for number in spans if columns[number].is_integer]
    holds = np.ones(int(np.count_nonzero(fits)), bool)
    values = {
        number: rows.astype(np.float32, copy=False).ravel() for number, rows in floats.items()
    }
    if single:
        begins, sizes = _behind([spans[number] for number in single])
        if sizes.max(initial=0) <= varints.WORD:
            whole, integers = varints.read(text, begins, sizes)
            holds &= whole.reshape(len(single), -1).all(0)
        else:
            integers = varints.numbers(text, begins, sizes)
            for number in single:
                holds &= columns[number].fits(text, spans[number])
        values.update(zip(single, integers.reshape(len(single), -1), strict=True))
    strings = [number for number in spans if columns[number].is_string]
    if strings:
        read = text.strings(_behind([spans[number] for number in strings]))
        values.update(zip(strings, read.reshape(len(strings), -1), strict=True))
    for number, span in spans.items():
        if number not in values:
            holds &= columns[number].fits(text, span)
    if not holds.all():
        fits[fits] = holds
        spans = _some(spans, holds)
        values = {
            number: each.reshape(holds.size, -1)[holds].ravel() for number, each in values.items()
        }
    return fits, spans, values


def _behind(spans: Sequence[Spans]) -> Spans:
    """The stretches of several features as those of one."""
    if len(spans) == 1:
        return spans[0]
    begins, sizes = zip(*spans, strict=True)
    return np.concatenate(begins), np.concatenate(sizes)


def _some(spans: dict[int, Spans], which: Array) -> dict[int, Spans]:
    """Where the payloads of features stand, in some of the messages."""
    return {number: (begins[which], sizes[which]) for number, (begins, sizes) in spans.items()}

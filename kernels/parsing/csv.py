"""Records of comma-separated values: cut into fields, and fields to numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.values import dtypes

_QUOTE, _LINE_ENDS = 0x22, (0x0A, 0x0D)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How fields stand in a record."""

    delimiter: bytes
    """One byte."""
    quotes: bool
    """Whether a field may stand in double quotes."""
    columns: tuple[int, ...]
    """Which fields count, in order; all if empty."""


def fields(record: bytes, dialect: Dialect) -> list[bytes]:
    """The fields of a record that count; there may be fewer than asked for.

    Raises:
      InvalidArgumentError: Quotes or line ends stand where they may not.
    """
    special = b"\n" in record or b"\r" in record or (dialect.quotes and b'"' in record)
    if special:
        return _scanned(record, dialect)
    found = record.split(dialect.delimiter) if record else []
    if dialect.columns:
        return [found[place] for place in dialect.columns if place < len(found)]
    return found


def _scanned(record: bytes, dialect: Dialect) -> list[bytes]:
    found: list[bytes] = []
    columns = dialect.columns
    pos = number = 0
    while pos < len(record):
        if record[pos] in _LINE_ENDS:
            pos += 1
            continue
        if dialect.quotes and record[pos] == _QUOTE:
            field, pos = _quoted(record, pos + 1, dialect.delimiter)
        else:
            stop = record.find(dialect.delimiter, pos)
            field = record[pos:] if stop < 0 else record[pos:stop]
            if b"\n" in field or b"\r" in field or (dialect.quotes and b'"' in field):
                raise invalid("Unquoted fields cannot have quotes/CRLFs inside")
            pos += len(field) + 1
        if not columns or columns[len(found)] == number:
            found.append(field)
            if len(found) == len(columns):
                return found
        number += 1
    counts = not columns or columns[len(found)] == number
    return [*found, b""] if counts and record.endswith(dialect.delimiter) else found


def _quoted(record: bytes, pos: int, delimiter: bytes) -> tuple[bytes, int]:
    """A field behind its opening quote, and where the next one begins."""
    start, last = pos, len(record) - 1
    while True:
        pos = record.find(b'"', pos)
        if pos < 0:
            raise invalid("Quoted field has to end with quote followed by delim or end")
        if pos == last or record[pos + 1 : pos + 2] == delimiter:
            return record[start:pos].replace(b'""', b'"'), pos + 2
        if record[pos + 1] != _QUOTE:
            raise invalid("Quote inside a string has to be escaped by another quote")
        if pos + 2 > last:
            raise invalid("Quoted field has to end with quote followed by delim or end")
        pos += 2


def integer(low: int, high: int) -> Callable[[bytes], int]:
    """A function that reads integers between two numbers; it raises ValueError for others."""

    def read(field: bytes) -> int:
        number = int(field)
        if b"_" in field or not low <= number <= high:
            raise ValueError(field)
        return number

    return read


def real(field: bytes) -> float:
    """The number that a field stands for.

    Raises:
      ValueError: It stands for none.
    """
    if b"_" in field:
        raise ValueError(field)
    try:
        return float(field)
    except ValueError:
        text = field.decode("ascii").strip()
        if not text.lstrip("+-").lower().startswith("0x"):
            raise
        return float.fromhex(text)


def whole_columns(
    records: Sequence[bytes],
    dialect: Dialect,
    missing: Collection[bytes],
    types: Sequence[dtypes.DType],
) -> list[Any] | None:
    """The columns of records as arrays, if all are plain: no quotes, and every field is there.

    None if a record needs to be looked at more closely.
    """
    width = len(types)
    if dialect.columns or not records or b"" in records:
        return None
    between = dialect.delimiter
    if any(record.count(between) != width - 1 for record in records):
        return None
    text = between.join(records)
    if any(sign in text for sign in (b"\n", b"\r", b"_", *((b'"',) if dialect.quotes else ()))):
        return None
    found = text.split(between)
    columns: list[Any] = []
    for place, dtype in enumerate(types):
        column = found[place::width]
        if any(text in column for text in missing):
            return None
        try:
            columns.append(_column(column, dtype))
        except (ValueError, OverflowError):
            return None
    return columns


def _column(column: Sequence[bytes], dtype: dtypes.DType) -> Any:
    if dtype is dtypes.string:
        made = np.empty(len(column), object)
        made[:] = column
        return made
    if dtype.is_integer:
        return np.array(list(map(int, column)), dtype.as_numpy_dtype)
    with np.errstate(over="ignore"):
        return np.array(list(map(float, column)), np.float64).astype(dtype.as_numpy_dtype)

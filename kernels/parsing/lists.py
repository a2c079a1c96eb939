"""The list in a `Feature`, and many of them at once: floats, integers or byte strings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.parsing import varints
from dataflow.kernels.parsing.wire import (
    DELIMITED_1,
    DELIMITED_2,
    DELIMITED_3,
    FIXED32_1,
    VARINT_1,
    MalformedError,
    length,
    limited,
    varint,
)
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

TYPES: Final = {DELIMITED_1: dtypes.string, DELIMITED_2: dtypes.float32, DELIMITED_3: dtypes.int64}
"""The kind of a feature's list, by the tag that its bytes begin with."""
WORDS: Final = {dtypes.string: "bytes", dtypes.float32: "float", dtypes.int64: "int64"}
"""What lists of a type are called."""

_FLOATS: Final = np.dtype("<f4")
LONGEST: Final = 10
"""Bytes of a varint."""
_HIGH: Final = bytes(range(0x80, 0x100))
_TOO_LONG: Final = re.compile(rb"[\x80-\xff]{10}")
_UINT64: Final = 2**64 - 1


def payload(data: bytes, start: int, end: int, dtype: DType) -> Any:
    """What a list holds: the bytes of its packed numbers, or a Python list of byte strings.

    What stands behind its first packed numbers is none of it.

    Args:
      data: The message.
      start: Where the list's length stands, behind its tag.
      end: Where the feature ends.
      dtype: Which list it is.

    Raises:
      MalformedError: It is not such a list.
    """
    return read_list(data, start, end, dtype)[0]


def read_list(
    data: bytes, start: int, end: int, dtype: DType, clips: bool = False
) -> tuple[Any, int]:
    """The payload of a list, and the place behind it.

    Args:
      data: The message.
      start: Where the list's length stands, behind its tag.
      end: Where the feature ends.
      dtype: Which list it is.
      clips: Whether packed floats may be fewer than their length says; then they must be whole.

    Raises:
      MalformedError: It is not such a list.
    """
    size = data[start] if start < end else 0x80
    # The usual form: both lengths in a byte each, and nothing behind the packed numbers.
    if (
        2 <= size < 0x80
        and start + 1 + size == end
        and data[start + 1] == DELIMITED_1
        and data[start + 2] == size - 2
    ):
        if dtype is dtypes.string:
            return [data[start + 3 : end]], end
        if dtype is dtypes.int64 or not (size - 2) % 4:
            return data[start + 3 : end], end
    pos, stop = limited(data, start, end)
    if dtype is dtypes.string:
        return _strings(data, pos, stop), stop
    if pos == stop:
        return b"", stop
    tag = data[pos]
    if tag == DELIMITED_1:
        if dtype is dtypes.int64:
            pos, stop = limited(data, pos + 1, stop)
            return data[pos:stop], stop
        size, pos = length(data, pos + 1, stop)
        if clips:
            size = min(size, stop - pos)
            if size % 4:
                raise MalformedError
        size -= size % 4
        if pos + size > stop:
            raise MalformedError
        return data[pos : pos + size], pos + size
    if dtype is dtypes.float32 and tag == FIXED32_1:
        return _fixed(data, pos, stop), stop
    if dtype is dtypes.int64 and tag == VARINT_1:
        return _varints(data, pos, stop), stop
    raise MalformedError


def _strings(data: bytes, pos: int, stop: int) -> list[bytes]:
    found = []
    while pos < stop:
        if data[pos] != DELIMITED_1:
            raise MalformedError
        size, pos = length(data, pos + 1, stop)
        if pos + size > stop:
            raise MalformedError
        found.append(data[pos : pos + size])
        pos += size
    return found


def _fixed(data: bytes, pos: int, stop: int) -> bytes:
    """The packed form of floats that have a tag each."""
    count, rest = divmod(stop - pos, 5)
    fields = np.frombuffer(data, np.uint8, count * 5, pos).reshape(count, 5)
    if rest or (fields[:, 0] != FIXED32_1).any():
        raise MalformedError
    return fields[:, 1:].tobytes()


def _varints(data: bytes, pos: int, stop: int) -> bytes:
    """The packed form of integers that have a tag each."""
    pieces = []
    while pos < stop:
        if data[pos] != VARINT_1:
            raise MalformedError
        _, after = varint(data, pos + 1, stop)
        pieces.append(data[pos + 1 : after])
        pos = after
    return b"".join(pieces)


def count_of(held: Any, dtype: DType) -> int:
    """How many elements a payload has.

    Raises:
      MalformedError: It holds integers, of which the last one does not end or one is too long.
    """
    if dtype is dtypes.float32:
        return len(held) // 4
    if dtype is dtypes.string or not held:
        return len(held)
    count = len(held.translate(None, _HIGH))
    if held[-1] >= 0x80 or (len(held) - count >= LONGEST and _TOO_LONG.search(held)):
        raise MalformedError
    return count


def values(held: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """The elements of a payload whose elements were counted, as a vector."""
    if dtype is dtypes.float32:
        return np.frombuffer(held, _FLOATS).astype(np.float32)
    if dtype is dtypes.int64:
        return varints.in_row(held)
    made = np.empty(len(held), object)
    made[:] = held
    return made


def joined(payloads: Sequence[Any], dtype: DType) -> np.ndarray[Any, Any]:
    """The elements of several payloads, whose elements were counted, behind each other."""
    if dtype is not dtypes.string:
        return values(b"".join(payloads), dtype)
    return values([item for held in payloads for item in held], dtype)


def packed(array: Any, dtype: DType) -> Any:
    """The payload that holds the elements of an array."""
    flat = np.asarray(array).ravel()
    if dtype is dtypes.float32:
        return flat.astype(_FLOATS).tobytes()
    if dtype is dtypes.string:
        return np.asarray(array, object).ravel().tolist()
    return b"".join(varint_of(number & _UINT64) for number in flat.tolist())


def varint_of(number: int) -> bytes:
    """A number that is not negative, as a varint."""
    made = bytearray()
    while number >= 0x80:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    made.append(number)
    return bytes(made)

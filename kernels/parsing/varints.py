"""Varints that stand in a text, many at once."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.kernels.parsing.stretches import Text

_UINT64: Final = np.dtype("<u8")
WORD: Final = 8
"""Bytes that are read at once."""
_CONTINUED: Final = np.array([int.from_bytes(b"\x80" * n, "little") for n in range(9)], np.uint64)
"""For each size the bits that all bytes but the last one of a varint have, and that lacks."""
_HELD: Final = np.array([int.from_bytes(b"\x7f" * n, "little") for n in range(9)], np.uint64)
"""The bits of the number itself."""
_STEPS: Final = tuple(
    (np.uint64(shift), np.uint64(low), np.uint64(high))
    for shift, low, high in (
        (1, 0x007F007F007F007F, 0x7F007F007F007F00),
        (2, 0x00003FFF00003FFF, 0x3FFF00003FFF0000),
        (4, 0x000000000FFFFFFF, 0x0FFFFFFF00000000),
    )
)
"""How far groups of seven, 14 and 28 bits move to the ones below, and where both stand."""
_BYTE: Final = np.uint64(8)
_FEW: Final = 256
"""Bytes up to which numbers are read one by one: for more numpy is faster."""
_ALL: Final = 2**64 - 1
Array = np.ndarray[Any, Any]


def read(text: Text, begins: Array, sizes: Array) -> tuple[Array, Array]:
    """Which stretches of eight bytes at most are one varint each, and these numbers."""
    words = text.pieces(begins, WORD).view(_UINT64)
    ends = _CONTINUED[sizes]
    whole = (words & ends) == ends >> _BYTE
    whole &= sizes > 0
    return whole, _together(words & _HELD[sizes])


def numbers(text: Text, begins: Array, sizes: Array) -> Array:
    """The numbers of stretches that are one varint each, of ten bytes at most."""
    words = text.pieces(begins, WORD).view(_UINT64)
    words = _together(words & _HELD[np.minimum(sizes, WORD)])
    longer = np.flatnonzero(sizes > WORD)
    if longer.size:
        more = text.windows(begins[longer] + WORD, 2).astype(np.uint64)
        more[sizes[longer] == WORD + 1, 1] = 0
        high = (more[:, 0] & _HELD[1]) << np.uint64(56) | more[:, 1] << np.uint64(63)
        words[longer] |= high.view(np.int64)
    return words


def _together(words: Array) -> Array:
    """The numbers in groups of seven bits."""
    for shift, low, high in _STEPS:
        words = words & low | (words & high) >> shift
    return words.view(np.int64)


def in_row(held: Any) -> Array:
    """The numbers of whole varints, whose bytes or array of bytes stand behind each other."""
    if type(held) is bytes and len(held) <= _FEW and not held.isascii():
        return _one_by_one(held)
    raw = np.frombuffer(held, np.uint8)
    if type(held) is bytes and held.isascii():
        return raw.astype(np.int64)
    ends = np.flatnonzero(raw < 0x80)
    if ends.size == raw.size:
        return raw.astype(np.int64)
    sizes = np.diff(ends, prepend=-1)
    return numbers(Text(raw.tobytes()), ends - sizes + 1, sizes)


def _one_by_one(held: bytes) -> Array:
    numbers = []
    number = shift = 0
    for byte in held:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number & _ALL)
            number = shift = 0
    return np.array(numbers, np.uint64).view(np.int64)

"""Do msgpack bytes hold as many elements as they claim? Asked before memory is taken for them."""

from __future__ import annotations

from typing import Final

from dataflow.errors import DataLossError

_FEW: Final = 64
"""Bytes that may begin a long array; that few claim less than reading takes anyway."""
_ARRAY16: Final = 0xDC
_ARRAY32: Final = 0xDD
_SIZES: Final = {
    **dict.fromkeys((0xC0, 0xC2, 0xC3), 0),
    **dict.fromkeys((0xCC, 0xD0), 1),
    **dict.fromkeys((0xCD, 0xD1), 2),
    **dict.fromkeys((0xCA, 0xCE, 0xD2), 4),
    **dict.fromkeys((0xCB, 0xCF, 0xD3), 8),
    **{0xD4 + power: 1 + (1 << power) for power in range(5)},
}
"""Bytes behind the first one of values of a fixed size."""
_LENGTHS: Final = {
    **{0xC4 + power: (1 << power, 0) for power in range(3)},
    **{0xC7 + power: (1 << power, 1) for power in range(3)},
    **{0xD9 + power: (1 << power, 0) for power in range(3)},
}
"""Strings and extensions: bytes of their length, and what follows it besides."""
_COUNTS: Final = {_ARRAY16: (2, 1), _ARRAY32: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}
"""Arrays and maps: bytes of their count, and values for each."""


def check_counts(data: bytes | bytearray | memoryview) -> None:
    """Refuses arrays that claim more elements than there are bytes: each takes one at least.

    Raises:
      DataLossError: They do.
    """
    if type(data) is bytes and data.count(_ARRAY16) + data.count(_ARRAY32) <= _FEW:
        return
    place, claimed, end = 0, 0, len(data)
    while place < end:
        first = data[place]
        place += 1
        if first < 0x80 or first >= 0xE0:
            continue
        if first < 0x90:
            claimed += 2 * (first & 15)
        elif first < 0xA0:
            claimed += first & 15
        elif first < 0xC0:
            place += first & 31
        elif first in _SIZES:
            place += _SIZES[first]
        elif first in _LENGTHS:
            width, more = _LENGTHS[first]
            place += width + more + int.from_bytes(data[place : place + width], "big")
        elif first in _COUNTS:
            width, each = _COUNTS[first]
            claimed += each * int.from_bytes(data[place : place + width], "big")
            place += width
        else:
            raise damaged(f"a value that begins with {first}")
        if claimed > end:
            raise damaged(f"{claimed} values in {end} bytes")


def damaged(what: str) -> DataLossError:
    """The error of bytes that are no message."""
    return DataLossError(None, None, f"Malformed message: {what}.")

"""Fields of serialized messages as lists of values, and back, as their descriptors say."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dataflow.kernels.parsing.descriptors import Field
from dataflow.kernels.parsing.lists import varint_of
from dataflow.kernels.parsing.wire import MalformedError, text, varint

_FIXED: Final[Mapping[str, tuple[int, struct.Struct]]] = {
    "double": (1, struct.Struct("<d")),
    "fixed64": (1, struct.Struct("<Q")),
    "sfixed64": (1, struct.Struct("<q")),
    "float": (5, struct.Struct("<f")),
    "fixed32": (5, struct.Struct("<I")),
    "sfixed32": (5, struct.Struct("<i")),
}
"""Kinds of fixed width: how tags call the width, and the form."""
_WIDTHS: Final = {1: 8, 5: 4}
_DELIMITED: Final = ("string", "bytes", "message")
_WORD: Final = (1 << 64) - 1


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _unfolded(value: int) -> int:
    return (value >> 1) ^ -(value & 1)


_FROM_VARINT: Final[Mapping[str, Callable[[int], Any]]] = {
    "int64": lambda value: _signed(value, 64),
    "uint64": lambda value: value & _WORD,
    "int32": lambda value: _signed(value, 32),
    "uint32": lambda value: value & 0xFFFFFFFF,
    "enum": lambda value: _signed(value, 32),
    "bool": bool,
    "sint32": lambda value: _unfolded(value & 0xFFFFFFFF),
    "sint64": lambda value: _unfolded(value & _WORD),
}


def values_of(data: bytes, kinds: Mapping[int, str]) -> dict[int, list[Any]]:
    """The values of fields, by their numbers, in order.

    Args:
      data: A serialized message.
      kinds: The types of the fields, by number.

    Raises:
      MalformedError: It is none.
    """
    found: dict[int, list[Any]] = {number: [] for number in kinds}
    pos, end = 0, len(data)
    groups: list[int] = []
    while pos < end:
        tag, pos = varint(data, pos, end)
        number, wire = tag >> 3, tag & 7
        if not number:
            raise MalformedError
        if wire == 3:
            groups.append(number)
        elif wire == 4:
            if not groups or groups.pop() != number:
                raise MalformedError
        else:
            # What stands in a group is none of the message's own.
            kind = "" if groups else kinds.get(number, "")
            pos = _read(data, pos, end, wire, kind, found.get(number, []))
    if groups:
        raise MalformedError
    return found


def _read(data: bytes, pos: int, end: int, wire: int, kind: str, into: list[Any]) -> int:
    """Adds what follows a tag to the values of a kind, "" for none; gives the place behind it."""
    if wire == 0:
        value, pos = varint(data, pos, end)
        if kind in _FROM_VARINT:
            into.append(_FROM_VARINT[kind](value))
        return pos
    if wire in _WIDTHS:
        stop = pos + _WIDTHS[wire]
        if stop > end:
            raise MalformedError
        if kind in _FIXED and _FIXED[kind][0] == wire:
            into.append(_FIXED[kind][1].unpack_from(data, pos)[0])
        return stop
    if wire != 2:
        raise MalformedError
    pos, stop = text(data, pos, end)
    if kind in _DELIMITED:
        into.append(data[pos:stop])
    elif kind:
        into += _packed(data, pos, stop, kind)
    return stop


def _packed(data: bytes, pos: int, stop: int, kind: str) -> list[Any]:
    if kind in _FIXED:
        form = _FIXED[kind][1]
        if (stop - pos) % form.size:
            raise MalformedError
        return [each for (each,) in form.iter_unpack(data[pos:stop])]
    found: list[Any] = []
    while pos < stop:
        value, pos = varint(data, pos, stop)
        found.append(_FROM_VARINT[kind](value))
    return found


def _payload(kind: str, value: Any) -> bytes:
    """A value without its tag."""
    if kind in _FIXED:
        return _FIXED[kind][1].pack(value)
    if kind in _DELIMITED:
        return varint_of(len(value)) + bytes(value)
    number = int(value)
    if kind in ("sint32", "sint64"):
        number = number << 1 if number >= 0 else ~(number << 1)
    return varint_of(number & _WORD)


def serialized(fields: Sequence[tuple[Field, Sequence[Any]]]) -> bytes:
    """A message with these values of its fields, which come in the order of their numbers."""
    made = bytearray()
    for field, values in sorted(fields, key=lambda each: each[0].number):
        kind = field.kind
        payloads = [_payload(kind, value) for value in values]
        if field.is_packed and payloads:
            body = b"".join(payloads)
            made += varint_of(field.number << 3 | 2) + varint_of(len(body)) + body
            continue
        wire = _FIXED[kind][0] if kind in _FIXED else 2 if kind in _DELIMITED else 0
        tag = varint_of(field.number << 3 | wire)
        for payload in payloads:
            made += tag + payload
    return bytes(made)

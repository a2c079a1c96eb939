"""Where bytes that should be a protobuf message stop being one: protobuf's own error says nothing.

Source of the format: https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

from typing import Any, Final

_VARINT, _FIXED64, _LENGTH, _GROUP_START, _GROUP_END, _FIXED32 = range(6)
_MAX_DEPTH: Final = 100
"""Nesting at which protobuf gives up."""
_TYPE_STRING: Final = 9
_TYPE_MESSAGE: Final = 11
_TYPE_BYTES: Final = 12
_TYPE_FIXED: Final = {
    1: _FIXED64,
    6: _FIXED64,
    16: _FIXED64,
    2: _FIXED32,
    7: _FIXED32,
    15: _FIXED32,
}


class _Fault(Exception):
    def __init__(self, offset: int, path: str, reason: str) -> None:
        super().__init__(f"at byte {offset}, in {path or 'the message'}: {reason}")


def find(data: bytes, descriptor: Any) -> str:
    """The first fault in a message: its offset, the field it is in, and what is wrong.

    Args:
      data: Bytes that protobuf refuses.
      descriptor: Descriptor of the message they should be.
    """
    try:
        _check(memoryview(data), 0, len(data), descriptor, "")
    except _Fault as fault:
        return str(fault)
    return f"{len(data)} bytes that protobuf cannot parse"


def _check(
    data: memoryview, start: int, end: int, descriptor: Any, path: str, group: int = 0
) -> int:
    """Checks fields up to `end`, or to the end mark of the group they are in; returns the place."""
    if path.count(".") >= _MAX_DEPTH:
        raise _Fault(start, path[:80], f"nested more than {_MAX_DEPTH} deep")
    seen: dict[str, int] = {}
    while start < end:
        tag, after = _varint(data, start, end, path)
        number, kind = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise _Fault(start, path, f"{number} is no field number")
        field = descriptor.fields_by_number.get(number) if descriptor is not None else None
        inner = _path(path, field, number, seen)
        if kind == _VARINT:
            _, start = _varint(data, after, end, inner)
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
            if end - after < size:
                raise _Fault(after, inner, f"{size} bytes are needed, {end - after} are left")
            start = after + size
        elif kind == _LENGTH:
            start = _check_block(data, after, end, field, inner)
        elif kind == _GROUP_START:
            start = _check(data, after, end, None, inner, group=number)
        elif kind == _GROUP_END and number == group:
            return after
        else:
            raise _Fault(start, inner, f"wire type {kind} has no place here")
    if group:
        raise _Fault(start, path, "the bytes end inside a group")
    return start


def _check_block(data: memoryview, start: int, end: int, field: Any, path: str) -> int:
    size, start = _varint(data, start, end, path)
    if size > end - start:
        raise _Fault(start, path, f"{size} bytes are announced, {end - start} are left")
    stop = start + size
    if field is None:
        return stop
    if field.type == _TYPE_MESSAGE:
        _check(data, start, stop, field.message_type, path)
    elif field.type == _TYPE_STRING:
        try:
            str(data[start:stop], "utf-8")
        except UnicodeDecodeError as error:
            raise _Fault(start + error.start, path, "text that is not UTF-8") from None
    elif field.is_repeated and field.type != _TYPE_BYTES:
        _check_packed(data, start, stop, field, path)
    return stop


def _check_packed(data: memoryview, start: int, end: int, field: Any, path: str) -> None:
    kind = _TYPE_FIXED.get(field.type)
    if kind is not None:
        size = 8 if kind == _FIXED64 else 4
        if (end - start) % size:
            raise _Fault(start, path, f"{end - start} bytes do not hold numbers of {size} bytes")
        return
    while start < end:
        _, start = _varint(data, start, end, path)


def _varint(data: memoryview, start: int, end: int, path: str) -> tuple[int, int]:
    value = 0
    for index in range(10):
        if start + index >= end:
            raise _Fault(start, path, "the bytes end inside a number")
        byte = data[start + index]
        value |= (byte & 127) << (7 * index)
        if byte < 128:
            return value, start + index + 1
    raise _Fault(start, path, "a number of more than 10 bytes")


def _path(path: str, field: Any, number: int, seen: dict[str, int]) -> str:
    name = str(number) if field is None else field.name
    if field is not None and field.is_repeated:
        index = seen.get(name, 0)
        seen[name] = index + 1
        name = f"{name}[{index}]"
    return f"{path}.{name}" if path else name

"""Text of LLVM's language: lines, names for values, types by letter."""

from __future__ import annotations

import struct
from typing import Final

_TYPES: Final = {"b": "i1", "i": "i32", "l": "i64", "f": "float", "d": "double"}
SIZES: Final = {"b": 1, "i": 4, "l": 8, "f": 4, "d": 8}
"""Bytes of an element in memory."""


class Text:
    """Lines of a function, as they are written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def name(self, prefix: str = "v") -> str:
        """A name that nothing has yet, without its sign."""
        self._count += 1
        return f"{prefix}{self._count}"

    def put(self, line: str) -> None:
        """Writes a line."""
        self.lines.append("  " + line)

    def value(self, expression: str) -> str:
        """Writes what makes a value, and gives its name."""
        name = "%" + self.name()
        self.put(f"{name} = {expression}")
        return name

    def label(self, name: str) -> None:
        """Begins a block."""
        self.lines.append(f"{name}:")

    def load(self, kind: str, pointer: str, offset: int = 0) -> str:
        """What stands at so many bytes behind a pointer."""
        return self.value(f"load {kind}, ptr {self.at(pointer, offset)}, align 1")

    def at(self, pointer: str, offset: int | str) -> str:
        """A pointer so many bytes further."""
        if offset == 0:
            return pointer
        return self.value(f"getelementptr i8, ptr {pointer}, i64 {offset}")


def register_type(letter: str, width: int) -> str:
    """The type of values of a letter, so many at a time."""
    return repeated(_TYPES[letter], width)


def memory_type(letter: str, width: int) -> str:
    """The same as it lies in memory."""
    return repeated("i8" if letter == "b" else _TYPES[letter], width)


def repeated(kind: str, width: int) -> str:
    """A vector of so many, or one."""
    return kind if width == 1 else f"<{width} x {kind}>"


def literal(letter: str, value: float, width: int) -> str:
    """A number as often as a vector has elements."""
    kind, text = _TYPES[letter], str(value)
    if letter in "fd":
        text = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    elif letter == "b":
        text = "true" if value else "false"
    return text if width == 1 else f"<{', '.join([f'{kind} {text}'] * width)}>"

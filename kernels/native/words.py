"""Words of 64 bits in machine code, written with Python's operators."""

from __future__ import annotations

from typing import Any, Final

from dataflow.kernels.native.text import Text

_SIGN: Final = 1 << 63


class Word:
    """A value of a function that is being written. Sums and products keep the lower 64 bits."""

    __slots__ = ("name", "text")
    __array_ufunc__ = None
    """Numbers of numpy leave operators to this class."""

    def __init__(self, text: Text, name: str) -> None:
        self.text, self.name = text, name

    def _with(self, operation: str, other: Any, is_turned: bool = False) -> Word:
        name = other.name if isinstance(other, Word) else _literal(other)
        names = (name, self.name) if is_turned else (self.name, name)
        return Word(self.text, self.text.value(f"{operation} i64 {', '.join(names)}"))

    def __add__(self, other: Any) -> Word:
        return self._with("add", other)

    def __sub__(self, other: Any) -> Word:
        return self._with("sub", other)

    def __mul__(self, other: Any) -> Word:
        return self._with("mul", other)

    def __xor__(self, other: Any) -> Word:
        return self._with("xor", other)

    def __and__(self, other: Any) -> Word:
        return self._with("and", other)

    def __or__(self, other: Any) -> Word:
        return self._with("or", other)

    def __lshift__(self, other: Any) -> Word:
        return self._with("shl", other)

    def __rshift__(self, other: Any) -> Word:
        return self._with("lshr", other)

    def __rsub__(self, other: Any) -> Word:
        return self._with("sub", other, is_turned=True)

    def __rlshift__(self, other: Any) -> Word:
        return self._with("shl", other, is_turned=True)

    __radd__, __rmul__, __rxor__ = __add__, __mul__, __xor__


def _literal(number: Any) -> str:
    value = int(number) % (2 * _SIGN)
    return str(value - 2 * _SIGN if value >= _SIGN else value)

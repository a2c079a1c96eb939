"""How functions of numpy's are written in LLVM's language, each with numpy's bits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from dataflow.kernels.native.text import Text, literal, memory_type, register_type, repeated

_FLOATS: Final = frozenset("fd")
_INTEGERS: Final = frozenset("il")
_NUMBERS: Final = _FLOATS | _INTEGERS
_ALL: Final = _NUMBERS | {"b"}
_WIDER: Final = "bilfd"
"""Letters from which to which a cast loses nothing that cannot be had from the processor."""


class Lanes:
    """Writes functions of so many numbers at a time."""

    def __init__(self, text: Text, width: int) -> None:
        self.text, self.width = text, width

    def apply(self, function: str, operands: Sequence[tuple[str, str]], dtype: str) -> str:
        """Writes a function.

        Args:
          function: One that `can_write` is true of.
          operands: Letter and name of each.
          dtype: What it makes.

        Returns:
          The name of what it makes.
        """
        if function == "cast":
            return self.cast(*operands[0], dtype)
        if function == "zeros":
            return self.number(dtype, 0)
        if function == "where":
            condition, chosen, other = (name for _, name in operands)
            kind = register_type(dtype, self.width)
            test = register_type("b", self.width)
            return self.text.value(f"select {test} {condition}, {kind} {chosen}, {kind} {other}")
        shared = max((letter for letter, _ in operands), key=_WIDER.index)
        names = [self.cast(letter, name, shared) for letter, name in operands]
        return _FUNCTIONS[function].write(self, shared, names)

    def operation(self, name: str, letter: str, *operands: str) -> str:
        """An instruction of values of a letter."""
        return self.text.value(f"{name} {register_type(letter, self.width)} {', '.join(operands)}")

    def intrinsic(self, name: str, letter: str, *operands: str) -> str:
        """A call of what LLVM knows."""
        kind = register_type(letter, self.width)
        suffix = {"f": "f32", "d": "f64", "i": "i32", "l": "i64"}[letter]
        full = f"llvm.{name}.{suffix}" if self.width == 1 else f"llvm.{name}.v{self.width}{suffix}"
        arguments = ", ".join(o if o.startswith("i1 ") else f"{kind} {o}" for o in operands)
        return self.text.value(f"call {kind} @{full}({arguments})")

    def choose(self, test: str, letter: str, chosen: str, other: str) -> str:
        """One of two values where a test holds, the other one elsewhere."""
        kind = register_type(letter, self.width)
        truth = register_type("b", self.width)
        return self.text.value(f"select {truth} {test}, {kind} {chosen}, {kind} {other}")

    def number(self, letter: str, value: int) -> str:
        """A number as a value."""
        return literal(letter, value, self.width)

    def compare(self, letter: str, of_floats: str, of_integers: str, x: str, y: str) -> str:
        """A truth value."""
        name = f"fcmp {of_floats}" if letter in _FLOATS else f"icmp {of_integers}"
        return self.operation(name, letter, x, y)

    def cast(self, source: str, name: str, target: str) -> str:
        """A value of a letter as one of another."""
        if source == target:
            return name
        if source == "b":
            how = "uitofp" if target in _FLOATS else "zext"
        elif source in _INTEGERS:
            how = "sitofp" if target in _FLOATS else "sext" if target == "l" else "trunc"
        else:
            how = "fpext" if target == "d" else "fptrunc"
        kinds = register_type(source, self.width), register_type(target, self.width)
        return self.text.value(f"{how} {kinds[0]} {name} to {kinds[1]}")

    def load(self, letter: str, pointer: str) -> str:
        """The values from a place in memory on."""
        found = self.text.load(memory_type(letter, self.width), pointer)
        if letter != "b":
            return found
        zeros = "0" if self.width == 1 else "zeroinitializer"
        return self.text.value(f"icmp ne {memory_type('b', self.width)} {found}, {zeros}")

    def store(self, letter: str, value: str, pointer: str) -> None:
        """Writes values from a place in memory on."""
        kind = memory_type(letter, self.width)
        if letter == "b":
            value = self.text.value(f"zext {register_type('b', self.width)} {value} to {kind}")
        self.text.put(f"store {kind} {value}, ptr {pointer}, align 1")

    def everywhere(self, letter: str, value: str) -> str:
        """A value as often as a vector has elements."""
        if self.width == 1:
            return value
        kind, one = register_type(letter, self.width), register_type(letter, 1)
        first = self.text.value(f"insertelement {kind} poison, {one} {value}, i64 0")
        places = repeated("i32", self.width)
        return self.text.value(
            f"shufflevector {kind} {first}, {kind} poison, {places} zeroinitializer"
        )


class _Function(NamedTuple):
    """A function, and of what it can be written."""

    types: frozenset[str]
    write: Callable[..., str]
    is_truth: bool = False


def can_write(function: str, operands: Sequence[str], dtype: str) -> bool:
    """Whether a function of such types, by letter, that makes such a type can be written."""
    if function == "cast":
        source = operands[0]
        return source == dtype or (source + dtype in _CASTS)
    if function == "zeros":
        return list(operands) == [dtype]
    if function == "where":
        return operands[0] == "b" and operands[1] == operands[2] == dtype
    known = _FUNCTIONS.get(function)
    if known is None:
        return False
    shared = max(operands, key=_WIDER.index)
    # Only a truth value may meet a number: of two numbers of different types numpy knows more.
    if any(letter not in (shared, "b") for letter in operands) or shared not in known.types:
        return False
    if function != "multiply" and any(letter != shared for letter in operands):
        return False
    return dtype == ("b" if known.is_truth else shared)


_CASTS: Final = frozenset({"bi", "bl", "bf", "bd", "il", "if", "id", "lf", "ld", "fd", "df"})


def _both(of_floats: str, of_integers: str) -> Callable[..., str]:
    def write(lanes: Lanes, letter: str, names: Sequence[str]) -> str:
        return lanes.operation(of_floats if letter in _FLOATS else of_integers, letter, *names)

    return write


def _comparison(of_floats: str, of_integers: str) -> Callable[..., str]:
    return lambda lanes, letter, names: lanes.compare(letter, of_floats, of_integers, *names)


def _extreme(of_floats: str, of_integers: str) -> Callable[..., str]:
    """NaN if one is NaN, and the second of two zeros."""

    def write(lanes: Lanes, letter: str, names: Sequence[str]) -> str:
        x, y = names
        takes_first = lanes.compare(letter, of_floats, of_integers, x, y)
        if letter in _FLOATS:
            is_nan = lanes.operation("fcmp uno", letter, x, x)
            takes_first = lanes.operation("or", "b", takes_first, is_nan)
        return lanes.choose(takes_first, letter, x, y)

    return write


def _known(name: str) -> Callable[..., str]:
    return lambda lanes, letter, names: lanes.intrinsic(name, letter, *names)


def _negative(lanes: Lanes, letter: str, names: Sequence[str]) -> str:
    if letter in _FLOATS:
        return lanes.operation("fneg", letter, *names)
    return lanes.operation("sub", letter, lanes.number(letter, 0), *names)


def _absolute(lanes: Lanes, letter: str, names: Sequence[str]) -> str:
    if letter in _FLOATS:
        return lanes.intrinsic("fabs", letter, *names)
    return lanes.intrinsic("abs", letter, *names, "i1 false")


def _square(lanes: Lanes, letter: str, names: Sequence[str]) -> str:
    return lanes.operation("fmul" if letter in _FLOATS else "mul", letter, names[0], names[0])


def _reciprocal(lanes: Lanes, letter: str, names: Sequence[str]) -> str:
    return lanes.operation("fdiv", letter, lanes.number(letter, 1), names[0])


def _sign(lanes: Lanes, letter: str, names: Sequence[str]) -> str:
    """1, -1, 0 for both zeros, or NaN."""
    x, zero = names[0], lanes.number(letter, 0)
    at_zero = lanes.choose(lanes.compare(letter, "oeq", "eq", x, zero), letter, zero, x)
    below = lanes.compare(letter, "olt", "slt", x, zero)
    above = lanes.compare(letter, "ogt", "sgt", x, zero)
    found = lanes.choose(below, letter, lanes.number(letter, -1), at_zero)
    return lanes.choose(above, letter, lanes.number(letter, 1), found)


def _not(lanes: Lanes, letter: str, names: Sequence[str]) -> str:
    return lanes.operation("xor", letter, names[0], lanes.number("b", 1))


_BOOLS: Final = frozenset("b")
_FUNCTIONS: Final[Mapping[str, _Function]] = {
    "absolute": _Function(_NUMBERS, _absolute),
    "add": _Function(_NUMBERS, _both("fadd", "add")),
    "ceil": _Function(_FLOATS, _known("ceil")),
    "divide": _Function(_FLOATS, _both("fdiv", "")),
    "equal": _Function(_ALL, _comparison("oeq", "eq"), is_truth=True),
    "floor": _Function(_FLOATS, _known("floor")),
    "greater": _Function(_NUMBERS, _comparison("ogt", "sgt"), is_truth=True),
    "greater_equal": _Function(_NUMBERS, _comparison("oge", "sge"), is_truth=True),
    "less": _Function(_NUMBERS, _comparison("olt", "slt"), is_truth=True),
    "less_equal": _Function(_NUMBERS, _comparison("ole", "sle"), is_truth=True),
    "logical_and": _Function(_BOOLS, _both("", "and"), is_truth=True),
    "logical_not": _Function(_BOOLS, _not, is_truth=True),
    "logical_or": _Function(_BOOLS, _both("", "or"), is_truth=True),
    "maximum": _Function(_NUMBERS, _extreme("ogt", "sgt")),
    "minimum": _Function(_NUMBERS, _extreme("olt", "slt")),
    "multiply": _Function(_NUMBERS, _both("fmul", "mul")),
    "negative": _Function(_NUMBERS, _negative),
    "not_equal": _Function(_ALL, _comparison("une", "ne"), is_truth=True),
    "reciprocal": _Function(_FLOATS, _reciprocal),
    "rint": _Function(_FLOATS, _known("rint")),
    "sign": _Function(_NUMBERS, _sign),
    "sqrt": _Function(_FLOATS, _known("sqrt")),
    "square": _Function(_NUMBERS, _square),
    "subtract": _Function(_NUMBERS, _both("fsub", "sub")),
}

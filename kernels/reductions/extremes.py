"""The largest or the smallest number of each row of a matrix, as machine code.

numpy begins a loop for each row, and branches on every number of short ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from dataflow.kernels.native.arithmetic import Lanes
from dataflow.kernels.native.builtin import Builtin, compiler
from dataflow.kernels.native.compiled import is_there
from dataflow.kernels.native.guards import DATA
from dataflow.kernels.native.lock import let_others_run, return_alone
from dataflow.kernels.native.module import module_text
from dataflow.kernels.native.program import LETTERS
from dataflow.kernels.native.text import SIZES, Text, memory_type, register_type, repeated

_NAN: Final = "0x7FF8000000000000"
_TOGETHER: Final = 4
"""Vectors that are compared side by side in long rows."""
_LONG: Final = 1 << 16
"""Numbers from which on other threads may run meanwhile."""


def extremes_of_rows(name: str, rows: np.ndarray) -> np.ndarray | None:
    """The extreme of each row, NaN if one of its numbers is; of zeros one of either sign.

    Args:
      name: "maximum" or "minimum".
      rows: A matrix in C order of two columns at least.

    Returns:
      Array of shape [rows]; None if there is no code for numbers of that type.
    """
    letter = LETTERS.get(rows.dtype, "b")
    if letter == "b" or not is_there():
        return None
    count, length = rows.shape
    found = np.empty(count, rows.dtype)
    _function(letter, min(_widest(letter), 1 << length.bit_length() - 1), name)(
        found, rows, count, length
    )
    return found


@cache
def _widest(letter: str) -> int:
    """Numbers of a letter in the processor's vectors."""
    found = compiler()
    assert found is not None
    return found.width * SIZES["f"] // SIZES[letter]


@cache
def _function(letter: str, width: int, name: str) -> Builtin:
    found = compiler()
    assert found is not None
    return found.compile(_Writer(letter, width, name == "maximum").write()).function(b"")


class _Writer:
    """Writes a function of the result, the matrix, and how many rows of how many numbers it has.

    A row has as many numbers as a vector at least: what is left over at its end is compared with
    the numbers before as one vector more.
    """

    def __init__(self, letter: str, width: int, is_largest: bool) -> None:
        self._text = Text()
        self._lanes = Lanes(self._text, width)
        self._letter, self._width, self._is_largest = letter, width, is_largest
        self._is_float = letter in "fd"
        self._one, self._many = memory_type(letter, 1), register_type(letter, width)

    def write(self) -> str:
        """The text of a module."""
        text = self._text
        text.label("entry")
        objects = [text.load("ptr", "%arguments", 8 * place) for place in range(4)]
        result, rows = (text.load("ptr", one, DATA) for one in objects[:2])
        count, length = (
            text.value(f"call i64 @PyLong_AsSsize_t(ptr {one})") for one in objects[2:]
        )
        thread = let_others_run(text, text.value(f"mul i64 {count}, {length}"), _LONG)
        last = text.value(f"sub i64 {length}, {self._width}")
        text.put("br label %begin")
        text.label("begin")
        self._begin("row", "begin", "0", count)
        start = text.value(f"mul i64 %row.at, {length}")
        row = text.value(f"getelementptr {self._one}, ptr {rows}, i64 {start}")
        found = self._extreme_of(row, last)
        place = text.value(f"getelementptr {self._one}, ptr {result}, i64 %row.at")
        text.put(f"store {self._one} {found}, ptr {place}, align 1")
        self._end("row", 1)
        return_alone(text, thread)
        none = f"ptr inttoptr (i64 {id(None)} to ptr)"
        text.put(f"call void @Py_IncRef({none})")
        text.put(f"ret {none}")
        reduction = f"declare {self._one} {self._reduction()}({self._many})"
        return module_text(text.lines, [reduction])

    def _extreme_of(self, row: str, last: str) -> str:
        """The extreme of a row, whose last vector begins at a place."""
        text, step = self._text, _TOGETHER * self._width
        first = self._load(row, "0")
        until = text.value(f"sub i64 {last}, {step - self._width}")
        text.put("br label %whole")
        text.label("whole")
        self._begin("long", "whole", "0", until, [first] * _TOGETHER)
        made = [
            self._further(f"%long.{n}", self._load(row, "%long.at", n * self._width))
            for n in range(_TOGETHER)
        ]
        self._end("long", step, made)
        joined = "%long.0"
        for n in range(1, _TOGETHER):
            joined = self._further(joined, f"%long.{n}")
        text.put("br label %rest")
        text.label("rest")
        self._begin("short", "rest", "%long.at", last, [joined])
        made = [self._further("%short.0", self._load(row, "%short.at"))]
        self._end("short", self._width, made)
        return self._across(self._further("%short.0", self._load(row, last)))

    def _load(self, row: str, at: str, further: int = 0) -> str:
        place = self._text.value(f"getelementptr {self._one}, ptr {row}, i64 {at}")
        return self._text.load(self._many, place, further * SIZES[self._letter])

    def _further(self, extreme: str, values: str) -> str:
        """The extremes so far and of some more values; a NaN stays one."""
        text, lanes, letter = self._text, self._lanes, self._letter
        names = ("ogt", "sgt") if self._is_largest else ("olt", "slt")
        # The processor's instruction gives the second operand if one is a NaN.
        is_further = lanes.compare(letter, *names, values, extreme)
        chosen = lanes.choose(is_further, letter, values, extreme)
        if not self._is_float:
            return chosen
        bits = repeated(f"i{8 * SIZES[letter]}", self._width)
        is_nan = lanes.operation("fcmp uno", letter, values, values)
        mask = text.value(f"sext {register_type('b', self._width)} {is_nan} to {bits}")
        seen = text.value(f"bitcast {self._many} {chosen} to {bits}")
        seen = text.value(f"or {bits} {seen}, {mask}")
        return text.value(f"bitcast {bits} {seen} to {self._many}")

    def _reduction(self) -> str:
        kind = "max" if self._is_largest else "min"
        suffix = {"f": "f32", "d": "f64", "i": "i32", "l": "i64"}[self._letter]
        return f"@llvm.vector.reduce.{'f' if self._is_float else 's'}{kind}.v{self._width}{suffix}"

    def _across(self, extremes: str) -> str:
        """The extreme of a vector's numbers."""
        text = self._text
        flag = "nnan " if self._is_float else ""
        call = f"{flag}{self._one} {self._reduction()}({self._many} {extremes})"
        found = text.value(f"call {call}")
        if not self._is_float:
            return found
        is_nan = self._lanes.operation("fcmp uno", self._letter, extremes, extremes)
        bits = text.value(f"bitcast {register_type('b', self._width)} {is_nan} to i{self._width}")
        has_nan = text.value(f"icmp ne i{self._width} {bits}, 0")
        return text.value(f"select i1 {has_nan}, {self._one} {_NAN}, {self._one} {found}")

    def _begin(
        self, name: str, before: str, start: str, end: str, carried: Sequence[str] = ()
    ) -> None:
        """Begins a loop over places before `end`, which hands some vectors on."""
        text = self._text
        text.put(f"br label %{name}")
        text.label(name)
        text.put(f"%{name}.at = phi i64 [{start}, %{before}], [%{name}.next, %{name}.body]")
        for n, value in enumerate(carried):
            first, later = f"[{value}, %{before}]", f"[%{name}.new{n}, %{name}.body]"
            text.put(f"%{name}.{n} = phi {self._many} {first}, {later}")
        goes_on = text.value(f"icmp slt i64 %{name}.at, {end}")
        text.put(f"br i1 {goes_on}, label %{name}.inside, label %{name}.end")
        text.label(f"{name}.inside")

    def _end(self, name: str, step: int, made: Sequence[str] = ()) -> None:
        text = self._text
        text.put(f"br label %{name}.body")
        text.label(f"{name}.body")
        text.put(f"%{name}.next = add i64 %{name}.at, {step}")
        for n, value in enumerate(made):
            text.put(f"%{name}.new{n} = bitcast {self._many} {value} to {self._many}")
        text.put(f"br label %{name}")
        text.label(f"{name}.end")

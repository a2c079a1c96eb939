"""Writes what looks whether a function's arguments are what it was compiled for.

Arguments are objects: `PyObject`, of numpy's arrays and scalars the fields behind it, at the places
that the C interfaces of Python and numpy promise. `are_right` says whether they lie there.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels.native.arithmetic import Lanes
from dataflow.kernels.native.program import DTYPES, REPEATED, Check, Operand, Program
from dataflow.kernels.native.text import SIZES, Text

_HEADER: Final = object.__basicsize__
_TYPE: Final = _HEADER - 8
DATA, _RANK, _LENGTHS, _STRIDES, _DTYPE = (_HEADER + offset for offset in (0, 8, 16, 24, 40))
"""Of an array: where its elements are, its axes, their lengths and strides, its element type."""


class Given(NamedTuple):
    """What is known of an operand when its guard has been passed."""

    pointer: str
    """To its elements; of a scalar, to its value."""
    stride: str = ""
    """Bytes from row to row, if they are the same everywhere."""
    strides: tuple[tuple[int, str], ...] = ()
    """Otherwise bytes from one to the next along some of the axes that lead to rows."""


class Guard:
    """Writes the guard of a program's arguments: first the results, then the operands."""

    def __init__(self, text: Text, program: Program) -> None:
        self._text, self._program = text, program
        self._checks: list[str] = []
        self.leading = program.rank - 1 if program.is_even else program.leading
        """How many axes lead to rows."""
        self.lengths: dict[int, str] = {}
        """Of the result's axes."""
        self.given: list[Given] = []
        """Of each operand."""
        self.results: list[str] = []
        """Pointers to the elements of the results."""
        self.rows = self.length = ""
        """How many rows there are, and how long each is."""
        self.index = Given("")
        """Of the array that says which rows are meant, if there is one."""

    def write(self) -> None:
        """Writes it; what does not pass goes to the block `refused`."""
        text, program = self._text, self._program
        count = len(program.results)
        objects = [text.load("ptr", "%arguments", 8 * place) for place in range(program.arguments)]
        index = objects.pop() if program.row_index else ""
        operands = list(zip(program.operands, objects[count:], strict=False))
        checks = list(zip(program.checks, objects[count + len(operands) :], strict=True))
        for operand, found in operands:
            self._check_type(operand.dtype if not operand.is_array else "", found)
        for _, found in checks:
            self._check_type("", found)
        if index:
            self._check_type("", index)
        self._pass("typed")
        arrays = [(operand, found) for operand, found in operands if operand.is_array]
        for operand, found in arrays:
            self._equal("i32", text.load("i32", found, _RANK), str(len(operand.axes)))
            self._equal("i64", text.load("i64", found, _DTYPE), str(id(DTYPES[operand.dtype])))
        for check, found in checks:
            self._equal("i32", text.load("i32", found, _RANK), "1")
            self._equal("i64", text.load("i64", found, _DTYPE), str(id(DTYPES[check.dtype])))
        if index:
            self._equal("i32", text.load("i32", index, _RANK), "1")
            self._equal("i64", text.load("i64", index, _DTYPE), str(id(DTYPES[program.row_index])))
        self._pass("ranked")
        self._find_lengths(operands)
        for place, (operand, found) in enumerate(operands):
            self.given.append(self._given(operand, found, place in program.indexed))
        if index:
            self.index = self._given(Operand(program.row_index, (0,), True), index)
        for check, found in checks:
            length = text.load("i64", text.load("ptr", found, _LENGTHS))
            self._equal("i64", length, str(program.rank if check.is_shape else 0))
        self._pass("fitting")
        for check, found in checks:
            if check.is_shape:
                self._check_shape(check, found)
        self._pass("shaped")
        self.results = [text.load("ptr", found, DATA) for found in objects[:count]]
        self._join_rows()

    def _check_type(self, scalar: str, found: str) -> None:
        """It is an array, or a scalar of a letter."""
        kind: Any = DTYPES[scalar].type if scalar else np.ndarray
        self._equal("i64", self._text.load("i64", found, _TYPE), str(id(kind)))

    def _find_lengths(self, operands: Sequence[tuple[Operand, str]]) -> None:
        """The lengths of the result's axes, each of which some operand has."""
        text, indexed = self._text, self._program.indexed
        arrays = [
            (operand, found)
            for place, (operand, found) in enumerate(operands)
            if operand.is_array and place not in indexed
        ]
        for axis in range(self._program.rank):
            operand, found = next(one for one in arrays if axis in one[0].extent)
            lengths = text.load("ptr", found, _LENGTHS)
            self.lengths[axis] = text.load("i64", lengths, 8 * operand.axes.index(axis))
        self.rows = self._product(range(self.leading))
        self.length = self._product(range(self.leading, self._program.rank))

    def _product(self, axes: Sequence[int]) -> str:
        names = [self.lengths[axis] for axis in axes]
        product = names[0] if names else "1"
        for name in names[1:]:
            product = self._text.value(f"mul i64 {product}, {name}")
        return product

    def _given(self, operand: Operand, found: str, is_indexed: bool = False) -> Given:
        if not operand.is_array:
            return Given(self._text.at(found, _HEADER))
        text = self._text
        pointer = text.load("ptr", found, DATA)
        lengths, strides = (text.load("ptr", found, offset) for offset in (_LENGTHS, _STRIDES))
        size = SIZES[operand.dtype]
        begins = text.value(f"ptrtoint ptr {pointer} to i64")
        leads = [axis for axis in operand.axes if 0 <= axis < self.leading]
        has_all = len(leads) == self.leading
        apart: list[tuple[int, str]] = []
        expected = str(size)
        for own in range(len(operand.axes) - 1, -1, -1):
            axis = operand.axes[own]
            length = text.load("i64", lengths, 8 * own)
            if axis == REPEATED:
                self._equal("i64", length, "1")
                continue
            if not is_indexed or axis:
                self._equal("i64", length, self.lengths[axis])
            stride = text.load("i64", strides, 8 * own)
            if axis == self.leading - 1 or (axis < self.leading and not has_all):
                # The last of the axes of the rows may have any stride, the others follow it.
                # Of one that goes backwards numpy makes something that does so, too.
                apart.append((axis, stride))
                self._checks.append(text.value(f"icmp sge i64 {stride}, 0"))
                begins = text.value(f"or i64 {begins}, {stride}")
                expected = stride
            else:
                self._equal_or_one("i64", stride, expected, length)
            expected = text.value(f"mul i64 {expected}, {length}")
        # Loops of numpy's take numbers where such numbers may lie.
        self._equal("i64", text.value(f"and i64 {begins}, {size - 1}"), "0")
        if has_all and apart:
            return Given(pointer, stride=apart[0][1])
        return Given(pointer, strides=tuple(apart))

    def _check_shape(self, check: Check, found: str) -> None:
        """The lengths are those of the result, but for one that may be -1."""
        text = self._text
        pointer = text.load("ptr", found, DATA)
        step = text.load("i64", text.load("ptr", found, _STRIDES))
        open_ones = "0"
        for axis in range(self._program.rank):
            at = text.at(pointer, text.value(f"mul i64 {step}, {axis}"))
            length = Lanes(text, 1).cast(check.dtype, Lanes(text, 1).load(check.dtype, at), "l")
            is_equal = text.value(f"icmp eq i64 {length}, {self.lengths[axis]}")
            is_open = text.value(f"icmp eq i64 {length}, -1")
            self._checks.append(text.value(f"or i1 {is_equal}, {is_open}"))
            open_ones = text.value(
                f"add i64 {open_ones}, {text.value(f'zext i1 {is_open} to i64')}"
            )
        self._checks.append(text.value(f"icmp sle i64 {open_ones}, 1"))

    def _join_rows(self) -> None:
        """Takes all rows as one where operands have no rows or columns, and lie without gaps."""
        text, program = self._text, self._program
        if not self.leading or not program.is_even or program.row_index:
            return
        joined = "true"
        for operand, given in zip(program.operands, self.given, strict=True):
            if operand.extent:
                size = text.value(f"mul i64 {self.length}, {SIZES[operand.dtype]}")
                test = text.value(f"icmp eq i64 {given.stride}, {size}")
                joined = text.value(f"and i1 {joined}, {test}")
        all_of_them = text.value(f"mul i64 {self.rows}, {self.length}")
        self.rows = text.value(f"select i1 {joined}, i64 1, i64 {self.rows}")
        self.length = text.value(f"select i1 {joined}, i64 {all_of_them}, i64 {self.length}")

    def _equal(self, kind: str, found: str, wanted: str) -> None:
        self._checks.append(self._text.value(f"icmp eq {kind} {found}, {wanted}"))

    def _equal_or_one(self, kind: str, found: str, wanted: str, length: str) -> None:
        """The stride of an axis of length 0 or 1 says nothing."""
        is_equal = self._text.value(f"icmp eq {kind} {found}, {wanted}")
        is_short = self._text.value(f"icmp sle i64 {length}, 1")
        self._checks.append(self._text.value(f"or i1 {is_equal}, {is_short}"))

    def _pass(self, label: str) -> None:
        """Goes on if all checks since the last time hold."""
        text, passed = self._text, "true"
        for check in self._checks:
            passed = text.value(f"and i1 {passed}, {check}")
        self._checks.clear()
        text.put(f"br i1 {passed}, label %{label}, label %refused")
        text.label(label)


@functools.cache
def are_right() -> bool:
    """Whether arrays and scalars of numpy have their fields where guards read them."""
    if sys.implementation.name != "cpython":
        return False
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)[:, 1:]
    at = id(array)

    def pointer(place: int) -> int:
        return ctypes.c_void_p.from_address(place).value or 0

    def numbers(place: int) -> tuple[int, ...]:
        return tuple((ctypes.c_ssize_t * array.ndim).from_address(pointer(place)))

    is_right = (
        pointer(at + _TYPE) == id(np.ndarray)
        and pointer(at + DATA) == array.ctypes.data
        and ctypes.c_int.from_address(at + _RANK).value == array.ndim
        and numbers(at + _LENGTHS) == array.shape
        and numbers(at + _STRIDES) == array.strides
        and pointer(at + _DTYPE) == id(array.dtype)
    )
    scalars = [dtype.type(1) for dtype in DTYPES.values()]
    return is_right and all(
        ctypes.string_at(id(one) + _HEADER, one.itemsize) == one.tobytes() for one in scalars
    )

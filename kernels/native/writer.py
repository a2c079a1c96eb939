"""Writes a program in LLVM's language: rows, in these vectors, then the rest."""

from __future__ import annotations

from typing import Final, NamedTuple

from dataflow.kernels.native.arithmetic import Lanes
from dataflow.kernels.native.builtin import HELD
from dataflow.kernels.native.functions import apply, is_formula
from dataflow.kernels.native.guards import Guard
from dataflow.kernels.native.lock import let_others_run, return_alone
from dataflow.kernels.native.module import module_text
from dataflow.kernels.native.price import price_of
from dataflow.kernels.native.program import Held, Program
from dataflow.kernels.native.text import Text, memory_type

_LONG_ROW: Final = 24
_FORMULA: Final = 20
"""Instructions from which on several vectors go through them at a time, about how many a formula
is,"""
_REGISTERS: Final = 28
"""and how many vectors can wait for instructions."""
_LONG: Final = 20_000
"""Nanoseconds from which on other threads may run meanwhile."""
_NANOSECONDS: Final = 1 << 10
"""Parts of one, so that small prices are whole numbers."""


class _Part(NamedTuple):
    """The part of the work that a call does."""

    first_row: str
    last_row: str
    """The row behind the last one."""
    start: str
    """Where it begins in each row,"""
    length: str
    """and how many numbers it takes from there."""


class Writer:
    """Writes one program."""

    def __init__(self, program: Program, width: int) -> None:
        """Prepares to write it for vectors of so many numbers."""
        self._program, self._width = program, width
        self._text = Text()
        self._guard = Guard(self._text, program)
        self._scalars: dict[int, str] = {}
        """Numbers, and of columns the number of the row."""
        self._starts: dict[int, str] = {}
        """Pointers to the row's part of operands and results, by place."""

    def write(self) -> str:
        """The text of a module."""
        text, program = self._text, self._program
        text.label("entry")
        self._guard.write()
        for place, operand in enumerate(program.operands):
            if not operand.extent:
                pointer = self._guard.given[place].pointer
                self._scalars[place] = Lanes(text, 1).load(operand.dtype, pointer)
        part = self._part()
        thread = let_others_run(text, self._work(part), _LONG)
        row = self._begin_loop("row", part.last_row, part.first_row)
        self._write_row(row, part)
        self._end_loop("row", row, "1")
        return_alone(text, thread)
        self._return(True)
        text.label("refused")
        self._return(False)
        calls = sorted({call for line in text.lines if (call := _intrinsic(line))})
        return module_text(text.lines, calls)

    def _part(self) -> _Part:
        """What is to be done: all, or of so many parts those from one to another (arguments)."""
        text, guard = self._text, self._guard
        count = self._program.arguments
        text.put("br label %whole")
        text.label("whole")
        text.put(f"%is.part = icmp sgt i64 %given, {count}")
        text.put("br i1 %is.part, label %parted, label %found")
        text.label("parted")
        objects = [text.load("ptr", "%arguments", 8 * (count + place)) for place in range(3)]
        found = [text.value(f"call i64 @PyLong_AsSsize_t(ptr {one})") for one in objects]
        text.put("br label %found")
        text.label("found")
        number, after, parts = (
            text.value(f"phi i64 [{all_of_it}, %whole], [{one}, %parted]")
            for all_of_it, one in zip((0, 1, 1), found, strict=True)
        )
        has_rows = text.value(f"icmp sgt i64 {guard.rows}, 1")
        is_last = text.value(f"icmp eq i64 {after}, {parts}")
        rows = [self._share(guard.rows, n, parts) for n in (number, after)]
        ends = []
        for n in (number, after):
            share = self._share(guard.length, n, parts)
            ends.append(text.value(f"and i64 {share}, {-self._width}"))
        start = text.value(f"select i1 {has_rows}, i64 0, i64 {ends[0]}")
        end = text.value(f"select i1 {is_last}, i64 {guard.length}, i64 {ends[1]}")
        end = text.value(f"select i1 {has_rows}, i64 {guard.length}, i64 {end}")
        return _Part(
            text.value(f"select i1 {has_rows}, i64 {rows[0]}, i64 0"),
            text.value(f"select i1 {has_rows}, i64 {rows[1]}, i64 {guard.rows}"),
            start,
            text.value(f"sub i64 {end}, {start}"),
        )

    def _share(self, of: str, number: str, parts: str) -> str:
        product = self._text.value(f"mul i64 {of}, {number}")
        return self._text.value(f"udiv i64 {product}, {parts}")

    def _work(self, part: _Part) -> str:
        """About how many nanoseconds it takes."""
        text = self._text
        rows = text.value(f"sub i64 {part.last_row}, {part.first_row}")
        numbers = text.value(f"mul i64 {rows}, {part.length}")
        price = round(price_of(self._program).of(1) * 1e9 * _NANOSECONDS)
        return text.value(f"udiv i64 {text.value(f'mul i64 {numbers}, {price}')}, {_NANOSECONDS}")

    def _return(self, value: bool) -> None:
        text = self._text
        text.put(f"call void @Py_IncRef(ptr inttoptr (i64 {id(value)} to ptr))")
        text.put(f"ret ptr inttoptr (i64 {id(value)} to ptr)")

    def _write_row(self, row: str, part: _Part) -> None:
        text, program, guard = self._text, self._program, self._guard
        starts = self._starts
        indices = self._indices(row) if any(given.strides for given in guard.given) else {}
        named = self._named_row(row) if program.row_index else row
        for place, (operand, given) in enumerate(zip(program.operands, guard.given, strict=True)):
            if not operand.extent:
                continue
            pointer = given.pointer
            if given.stride:
                own = named if place in program.indexed else row
                pointer = text.at(pointer, text.value(f"mul i64 {own}, {given.stride}"))
            for axis, stride in given.strides:
                pointer = text.at(pointer, text.value(f"mul i64 {indices[axis]}, {stride}"))
            if program.rank - 1 not in operand.extent:
                self._scalars[place] = Lanes(text, 1).load(operand.dtype, pointer)
            else:
                starts[place] = self._element(pointer, operand.dtype, part.start)
        for place, pointer in zip(program.results, guard.results, strict=True):
            first = text.value(f"mul i64 {named}, {guard.length}")
            first = text.value(f"add i64 {first}, {part.start}")
            starts[place] = self._element(pointer, program.dtype_of(place), first)
        self._write_numbers(part.length)

    def _named_row(self, row: str) -> str:
        """What the index array has for a row."""
        text, given, letter = self._text, self._guard.index, self._program.row_index
        pointer = text.at(given.pointer, text.value(f"mul i64 {row}, {given.stride}"))
        lanes = Lanes(text, 1)
        return lanes.cast(letter, lanes.load(letter, pointer), "l")

    def _indices(self, row: str) -> dict[int, str]:
        """Where a row is along each of the axes that lead to rows."""
        text, guard = self._text, self._guard
        found = {}
        for axis in range(guard.leading - 1, 0, -1):
            found[axis] = text.value(f"urem i64 {row}, {guard.lengths[axis]}")
            row = text.value(f"udiv i64 {row}, {guard.lengths[axis]}")
        return {**found, 0: row}

    def _held(self, operand: Held) -> str:
        """Where a number lies that the function holds."""
        return self._text.at("%self", HELD + 8 * operand.place)

    def _write_numbers(self, count: str) -> None:
        """Vectors as long as there are enough numbers, at last one by one."""
        text, start = self._text, "0"
        read = {o for one in self._program.instructions for o in one.operands}
        numbers = [place for place in self._scalars if place in read]
        together = self._vectors_together() * self._width
        for width in sorted({together, self._width, 1}, reverse=True):
            name = f"{text.name('numbers')}.by{width}"
            lanes = Lanes(text, width)
            everywhere = {
                one: lanes.everywhere(self._program.dtype_of(one), self._scalars[one])
                for one in numbers
            }
            end = text.value(f"and i64 {count}, {-width}")
            at = self._begin_loop(name, end, start)
            self._write_vectors(lanes, at, everywhere)
            self._end_loop(name, at, str(width))
            start = end

    def _vectors_together(self) -> int:
        """How many vectors go through the instructions at a time.

        In a long row of instructions each waits for the one before, and the processor does not see
        far enough ahead to begin with the next vector.
        """
        program, first = self._program, len(self._program.operands)
        formulas = sum(is_formula(one.function, one.dtype) for one in program.instructions)
        if len(program.instructions) + (_FORMULA - 1) * formulas < _LONG_ROW:
            return 1
        last = {o: at for at, one in enumerate(program.instructions) for o in one.operands}
        alive: set[int | Held] = set()
        most = 0
        for at, one in enumerate(program.instructions):
            alive |= {o for o in one.operands if isinstance(o, int)} | {first + at}
            most = max(most, len(alive))
            alive -= {o for o in alive if last.get(o, -1) <= at}
        return 4 if most <= _REGISTERS // 4 else 2 if most <= _REGISTERS // 2 else 1

    def _write_vectors(self, lanes: Lanes, at: str, numbers: dict[int, str]) -> None:
        """What is done with the numbers from a place on."""
        program = self._program
        values: dict[int, str] = dict(numbers)
        results = set(program.results)
        for place, one in enumerate(program.instructions, len(program.operands)):
            operands = [
                (program.dtype_of(o), self._read(o, lanes, at, values)) for o in one.operands
            ]
            values[place] = apply(lanes, one.function, operands, one.dtype)
            if place in results:
                pointer = self._element(self._starts[place], one.dtype, at)
                lanes.store(one.dtype, values[place], pointer)

    def _read(self, operand: int | Held, lanes: Lanes, at: str, values: dict[int, str]) -> str:
        if isinstance(operand, Held):
            # Read each time: an instruction can do so, and there are more numbers than registers.
            number = Lanes(self._text, 1).load(operand.dtype, self._held(operand))
            return lanes.everywhere(operand.dtype, number)
        if operand not in values:
            dtype = self._program.dtype_of(operand)
            values[operand] = lanes.load(dtype, self._element(self._starts[operand], dtype, at))
        return values[operand]

    def _element(self, pointer: str, dtype: str, at: str) -> str:
        return self._text.value(f"getelementptr {memory_type(dtype, 1)}, ptr {pointer}, i64 {at}")

    def _begin_loop(self, name: str, end: str, start: str = "0") -> str:
        """Begins a loop of whole steps, or of what is left, and gives its counter."""
        text = self._text
        text.put(f"br label %{name}.before")
        text.label(f"{name}.before")
        text.put(f"br label %{name}")
        text.label(name)
        counter = f"%{name}.at"
        text.put(f"{counter} = phi i64 [{start}, %{name}.before], [{counter}.next, %{name}.next]")
        goes_on = text.value(f"icmp slt i64 {counter}, {end}")
        text.put(f"br i1 {goes_on}, label %{name}.body, label %{name}.end")
        text.label(f"{name}.body")
        return counter

    def _end_loop(self, name: str, counter: str, step: str) -> None:
        text = self._text
        text.put(f"br label %{name}.next")
        text.label(f"{name}.next")
        text.put(f"{counter}.next = add i64 {counter}, {step}")
        text.put(f"br label %{name}")
        text.label(f"{name}.end")


def _intrinsic(line: str) -> str:
    """The declaration of what a line calls, if LLVM knows it."""
    before, found, after = line.partition(" @llvm.")
    if not found:
        return ""
    kind = before.partition(" call ")[2]
    name, arguments = after.split("(", 1)
    of_kind = arguments.count(f"{kind} ")
    kinds = ", ".join([*[kind] * of_kind, *(["i1"] if "i1 " in arguments else [])])
    return f"declare {kind} @llvm.{name}({kinds})"

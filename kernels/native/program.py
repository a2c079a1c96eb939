"""What is to be compiled: elementwise functions of operands, told once, as a value."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

DTYPES: Final = {
    "b": np.dtype(np.bool_),
    "i": np.dtype(np.int32),
    "l": np.dtype(np.int64),
    "f": np.dtype(np.float32),
    "d": np.dtype(np.float64),
}
"""Element types by letter."""
LETTERS: Final = {dtype: letter for letter, dtype in DTYPES.items()}
REPEATED: Final = -1
"""Stands for the result's axis along which an operand of length 1 is repeated."""


class Operand(NamedTuple):
    """What a program is given."""

    dtype: str
    axes: tuple[int, ...]
    """For each of its axes that of the result, or `REPEATED`."""
    is_array: bool
    """False for one of numpy's scalars."""

    @property
    def extent(self) -> frozenset[int]:
        """The axes of the result along which it is not repeated."""
        return frozenset(self.axes) - {REPEATED}


class Check(NamedTuple):
    """What a program is given only to look whether a node does nothing but pass its input on."""

    dtype: str
    """The letter of an array of one axis."""
    is_shape: bool
    """It is the shape of the results, one length of which it may leave open; else it is empty."""


class Held(NamedTuple):
    """A number that a function of a program holds."""

    dtype: str
    place: int
    """Which of them."""


class Instruction(NamedTuple):
    """One function of what there is so far."""

    function: str
    """A name of numpy's; or `cast`, or `zeros`, as many as there are of the operand."""
    operands: tuple[int | Held, ...]
    """Places: of the operands, and after these of the results of the instructions before; or
    numbers that it holds."""
    dtype: str
    """What it makes."""


class Program(NamedTuple):
    """Elementwise functions whose results all have one shape."""

    rank: int
    """Axes of the results."""
    operands: tuple[Operand, ...]
    """Along each axis at least one of them extends."""
    instructions: tuple[Instruction, ...]
    results: tuple[int, ...]
    """Places of what is wanted, all made by instructions."""
    checks: tuple[Check, ...] = ()
    row_index: str = ""
    """If results are rows of larger arrays, the letter of an array that says which: it is given
    last, has one axis, and no number that there is no row for. Rows that it names twice are
    written one after the other."""
    indexed: tuple[int, ...] = ()
    """The operands whose rows it names, too; they have all axes."""

    @property
    def arguments(self) -> int:
        """How many arrays and numbers its function takes."""
        return len(self.results) + len(self.operands) + len(self.checks) + bool(self.row_index)

    @property
    def leading(self) -> int:
        """How many of the axes lead to rows: along those behind each operand extends or does not.

        There is one axis behind them at least.
        """
        last = self.rank - 1
        while last > 0 and all((last in o.extent) == (last - 1 in o.extent) for o in self.operands):
            last -= 1
        return last

    @property
    def is_even(self) -> bool:
        """Whether each operand extends along all axes or none, so that rows make no difference."""
        return all(len(operand.extent) in (0, self.rank) for operand in self.operands)

    def dtype_of(self, place: int | Held) -> str:
        """The letter of what stands at a place."""
        if isinstance(place, Held):
            return place.dtype
        count = len(self.operands)
        return (
            self.operands[place].dtype if place < count else self.instructions[place - count].dtype
        )

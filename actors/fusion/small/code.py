"""A small cluster as instructions that name their operands, before they are put into registers."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dataflow.actors.fusion.small.machine import DTYPES, TYPES, Machine

_MOST_CONSTANTS: Final = 256
"""The machine keeps each constant 1024 times over: further ones come as operands."""


class UnsupportedError(Exception):
    """The machine has no instruction for this."""


class Instruction(NamedTuple):
    """One step: what is done to which values."""

    name: str
    arguments: tuple[int, ...]


class Code:
    """Values of a cluster, numbered: operands, constants, and results of instructions."""

    __slots__ = ("_machine", "_made", "constants", "instructions", "types")

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.types: list[str] = []
        """For each value the letter of its type."""
        self.instructions: list[Instruction | None] = []
        """For each value what makes it; None for operands and constants."""
        self.constants: dict[int, np.generic] = {}
        """The values that are constants."""
        self._made: dict[tuple[str, bytes], int] = {}

    def operand(self, dtype: np.dtype) -> int:
        """A new value that comes from outside.

        Raises:
          UnsupportedError: The machine does not know the element type.
        """
        letter = TYPES.get(dtype)
        if letter is None:
            raise UnsupportedError
        return self._add(letter, None)

    @property
    def takes_constants(self) -> bool:
        """False if constants have to be operands."""
        return len(self.constants) < _MOST_CONSTANTS

    def constant(self, value: np.generic) -> int:
        """A constant; equal ones are one value."""
        letter = TYPES.get(value.dtype)
        if letter is None:
            raise UnsupportedError
        key = letter, value.tobytes()
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._add(letter, None)
            self.constants[found] = value
        return found

    def number(self, value: float, like: int) -> int:
        """A constant of the type of another value."""
        return self.constant(DTYPES[self.types[like]].type(value))

    def apply(self, base: str, *arguments: int, result: str = "") -> int:
        """The value that an instruction makes.

        Args:
          base: What it does, `add`.
          arguments: Its operands.
          result: The letter of the result's type; that of the last operand if not given.

        Raises:
          UnsupportedError: The machine has no such instruction.
        """
        types = [self.types[value] for value in arguments]
        name = f"{base}_{result or types[-1]}{''.join(types)}"
        if not self._machine.can(name):
            raise UnsupportedError
        return self._add(name.rpartition("_")[2][0], Instruction(name, arguments))

    def _add(self, letter: str, made_by: Instruction | None) -> int:
        self.types.append(letter)
        self.instructions.append(made_by)
        return len(self.types) - 1

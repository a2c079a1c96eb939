"""Update rules of float32 variables as one loop of machine code, over some threads.

A rule that numpy computes in twelve passes over memory, as Adam, takes one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.stand_ins import Array, NoFormula, Number
from dataflow.kernels.native.builtin import Builtin
from dataflow.kernels.native.compiled import can_run, compiled, is_there, run_in_parts
from dataflow.kernels.native.price import Price, price_of
from dataflow.kernels.native.program import LETTERS, Instruction, Operand, Program
from dataflow.kernels.optimizers.checks import GRADIENTS
from dataflow.kernels.optimizers.rule import Chosen, Rule
from dataflow.kernels.optimizers.update_formula import UpdateFormula

LEAST: Final = 1 << 9
"""Elements from which on calling it costs less than numpy's calls."""
_FEWEST: Final = 2
"""Operations from which on one loop is faster than a pass for each."""
_ARRAY: Final = Operand("f", (0,), True)
_ROWS: Final = Operand("f", (0, 1), True)
_NUMBER: Final = Operand("f", (), False)


class UpdateProgram:
    """A formula as a function that writes to the arrays that it reads."""

    def __init__(self, formula: UpdateFormula) -> None:
        """Makes a program of a formula.

        Raises:
          NoFormula: It has something that no program does, or so little that numpy is as fast; or
            there are no programs here.
        """
        self._numbers: Final[list[Number]] = []
        self._instructions: Final[list[Instruction]] = []
        arrays = [*formula.initial, formula.gradient]
        _collect([value for _, value, _ in formula.assignments], self._numbers)
        count = len(arrays) + len(self._numbers)
        self._places: Final[dict[Any, int]] = {
            one: place for place, one in enumerate((*arrays, *self._numbers))
        }
        last: dict[int, int] = {}
        for target, value, after in formula.assignments:
            last[target] = self._places[after] = self._place_of(value, count)
        if len(self._instructions) < _FEWEST or not is_there():
            raise NoFormula("A rule is as fast with numpy.")
        operands = (_ARRAY,) * len(arrays) + (_NUMBER,) * len(self._numbers)
        self._changed: Final = tuple(last)
        """Which targets it writes to."""
        self._of_rows: Final[dict[str, Builtin]] = {}
        """The functions of rows, by the letter of their index."""
        self.program: Final = Program(1, operands, tuple(self._instructions), tuple(last.values()))

    @functools.cached_property
    def _function(self) -> Builtin:
        return compiled(self.program, ())

    @functools.cached_property
    def _price(self) -> Price:
        return price_of(self.program)

    def run(self, targets: Sequence[Any], gradient: Any, arguments: Sequence[Any]) -> bool:
        """Changes the targets.

        Args:
          targets: float32 arrays of equal sizes, contiguous.
          gradient: One more.
          arguments: What the rule takes after the targets.

        Returns:
          False if nothing has been done, as the arrays are of other kinds.
        """
        flat = [target.reshape(-1) for target in targets]
        numbers = [np.float32(number.compute(arguments)) for number in self._numbers]
        given = [*[flat[place] for place in self._changed], *flat, gradient.reshape(-1), *numbers]
        return run_in_parts(self._function, self._price.of(gradient.size), *given)

    def _function_of_rows(self, index: str) -> Builtin:
        if index not in self._of_rows:
            self._of_rows[index] = compiled(self._program_of_rows(index), ())
        return self._of_rows[index]

    def _program_of_rows(self, index: str) -> Program:
        count = len(self.program.operands) - len(self._numbers)
        operands = (_ROWS,) * count + self.program.operands[count:]
        targets = tuple(range(count - 1))
        return self.program._replace(rank=2, operands=operands, row_index=index, indexed=targets)

    def run_rows(
        self, targets: Sequence[Any], gradient: Any, indices: Any, arguments: Sequence[Any]
    ) -> bool:
        """Changes rows of the targets, one after the other: any may come several times.

        Args:
          targets: float32 arrays of one shape, contiguous.
          gradient: One more, of a row for each index.
          indices: Which rows; int32 or int64, each the number of a row.
          arguments: What the rule takes after the targets.

        Returns:
          False if nothing has been done, as the arrays are of other kinds.
        """
        index = LETTERS.get(indices.dtype)
        if index not in ("i", "l"):
            return False
        flat = [target.reshape(len(target), -1) for target in targets]
        numbers = [np.float32(number.compute(arguments)) for number in self._numbers]
        changed = [flat[place] for place in self._changed]
        rows = gradient.reshape(len(indices), -1)
        return bool(self._function_of_rows(index)(*changed, *flat, rows, *numbers, indices))

    def _place_of(self, value: Array, before: int) -> int:
        """Where a value is, once the instructions that make it are written."""
        waiting = [value]
        while waiting:
            one = waiting[-1]
            missing = [o for o in one.operands if o not in self._places]
            waiting += [o for o in missing if isinstance(o, Array)]
            if missing:
                continue
            waiting.pop()
            if one not in self._places:
                if not can_run(one.operation, "f" * len(one.operands), "f"):
                    raise NoFormula(f"A rule calls {one.operation}.")
                operands = tuple([self._places[o] for o in one.operands])
                self._places[one] = before + len(self._instructions)
                self._instructions.append(Instruction(one.operation, operands, "f"))
        return self._places[value]


ProgramFor = Callable[[tuple[tuple[str, Any], ...]], "UpdateProgram | None"]
"""The program for names and values of attrs; None if there is none."""


def programs_of(rule: Rule, arguments: Sequence[str]) -> ProgramFor:
    """The programs of a rule.

    Args:
      rule: The rule.
      arguments: The names of what it takes after the variables, the gradient among them.
    """
    at = next(place for place, name in enumerate(arguments) if name in GRADIENTS)
    variables = len(rule.variables.split())

    @functools.cache
    def program_for(choices: tuple[tuple[str, Any], ...]) -> UpdateProgram | None:
        # By the values of the attrs alone: a node dies before the process.
        chosen = Chosen(dict(choices))
        try:
            formula = UpdateFormula(lambda xp: rule.bind(chosen, xp), variables, len(arguments), at)
            return UpdateProgram(formula)
        except NoFormula:
            return None

    return program_for


def _collect(values: Sequence[Array], numbers: list[Number]) -> None:
    """Adds the numbers that values are made of."""
    seen: set[Any] = set()
    waiting: list[Any] = list(values)
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if isinstance(one, Number):
            numbers.append(one)
        else:
            waiting += one.operands

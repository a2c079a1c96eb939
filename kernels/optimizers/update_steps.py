"""Update rules of float32 variables as a row of numpy's functions, which write where they may.

A rule as it is written takes a new array for each result, and looks at its hyperparameters anew
each time: with the few hundred elements of a bias that is most of the work.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.stand_ins import Array, NoFormula, Number
from dataflow.kernels.optimizers.update_formula import Formula, Numbers

_FUNCTIONS: Final = ("absolute", "add", "divide", "multiply", "sqrt", "square", "subtract")


class UpdateSteps:
    """A formula as a function that takes what its rule takes, and does the same."""

    def __init__(self, formula: Formula, grad: int) -> None:
        """Writes the function.

        Args:
          formula: The formula.
          grad: The place of the gradient among the arguments.

        Raises:
          NoFormula: It needs what it has overwritten.
        """
        steps = _Steps(formula)
        self._run: Final = _compiled("\n".join(steps.lines))
        self._numbers: Final = Numbers(steps.numbers)
        self._targets: Final = len(formula.initial)
        self._grad: Final = grad

    def __call__(self, *inputs: Any) -> None:
        """Changes the targets.

        Args:
          inputs: The targets, float32 arrays that have axes, and the arguments of the rule: the
            gradient, of the same shape, and numpy scalars.
        """
        targets, arguments = inputs[: self._targets], inputs[self._targets :]
        self._run(*targets, arguments[self._grad], *self._numbers.compute(arguments))


class _Steps:
    """Writes the lines of the function, made of names of our own only."""

    def __init__(self, formula: Formula) -> None:
        self.numbers: list[Number] = []
        self._names: dict[Array, str] = {formula.gradient: "g"}
        self._uses: dict[Array, int] = {}
        """How many uses of a value are still to come."""
        self._free: list[str] = []
        """Arrays whose values nobody needs any more."""
        self._made = 0
        self._target, self._held = "", formula.gradient
        """Where the value that is being computed is to be, and what is there now."""
        self._steps: list[str] = []
        content = list(formula.initial)
        self._names.update((array, f"v{place}") for place, array in enumerate(content))
        for place, value, after in formula.assignments:
            self._target, self._held = f"v{place}", content[place]
            name = self._write(value, is_last=True)
            if name != self._target:
                self._steps.append(f" {self._target}[...] = {name}")
            # Whoever still looks for what was there comes too late.
            del self._names[content[place]]
            content[place] = after
            self._names[after] = self._target
        given = (*(f"v{i}" for i in range(len(content))), "g")
        names = (*given, *(f"n{i}" for i in range(len(self.numbers))))
        self.lines = (f"def run({', '.join(names)}):", *self._steps)

    def _write(self, value: Array, is_last: bool = False) -> str:
        """Writes what computes a value, and returns the name of the array with it."""
        if value in self._names:
            return self._names[value]
        if not value.operation:
            raise NoFormula("A rule reads a value that it has overwritten.")
        operands = [
            self._write(operand) if isinstance(operand, Array) else self._number(operand)
            for operand in value.operands
        ]
        for operand in value.operands:
            if isinstance(operand, Array):
                self._note_use(operand)
        arguments = ", ".join(operands)
        out = self._place(value, is_last)
        if out:
            self._steps.append(f" {value.operation}({arguments}, {out})")
        else:
            out = f"t{self._made}"
            self._made += 1
            self._steps.append(f" {out} = {value.operation}({arguments})")
        self._names[value] = out
        return out

    def _place(self, value: Array, is_last: bool) -> str:
        """The name of an array to write a value to; "" if it needs a new one."""
        # What is used once is used for the target, and gone when that is written.
        if is_last or (value.uses == 1 and self._is_over(self._held)):
            self._held = value
            return self._target
        return self._free.pop() if self._free else ""

    def _note_use(self, array: Array) -> None:
        self._uses[array] = self._uses.get(array, array.uses) - 1
        name = self._names[array]
        if name.startswith("t") and self._is_over(array):
            self._free.append(name)

    def _is_over(self, array: Array) -> bool:
        return self._uses.get(array, array.uses) == 0

    def _number(self, number: Number) -> str:
        self.numbers.append(number)
        return f"n{len(self.numbers) - 1}"


@functools.lru_cache(maxsize=256)
def _compiled(source: str) -> Callable[..., None]:
    names: dict[str, Any] = {name: getattr(np, name) for name in _FUNCTIONS}
    exec(source, names)
    run: Callable[..., None] = names["run"]
    return run

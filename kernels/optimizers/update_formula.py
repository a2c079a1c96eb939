"""What an update rule computes, found by running it once on stand-ins for its arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.stand_ins import (
    FUNCTIONS,
    Arithmetic,
    Array,
    NoFormula,
    Number,
    operand_of,
)


class Target(Arithmetic):
    """Stands in for the variable or a slot, which the rule changes."""

    __slots__ = ("_formula", "changed", "current")

    dtype: Final = np.dtype(np.float32)

    def __init__(self, formula: UpdateFormula) -> None:
        self._formula = formula
        self.current = Array("")
        """What is in it."""
        self.changed: Array | None = None
        """What will be in it, once somebody looks."""

    def read(self) -> Array:
        """What is in it now."""
        if self.changed is not None:
            self._formula.assign(self)
        return self.current

    def _change(self, operation: str, other: Any) -> Target:
        operand = operand_of(other)
        before = self.current if self.changed is None else self.changed
        self.changed = Array(operation, (before, operand))
        return self

    def __iadd__(self, other: Any) -> Target:
        return self._change("add", other)

    def __isub__(self, other: Any) -> Target:
        return self._change("subtract", other)

    def __imul__(self, other: Any) -> Target:
        return self._change("multiply", other)


class UpdateFormula:
    """What an update rule for float32 arrays does, assignment by assignment."""

    def __init__(
        self, bind: Callable[[Any], Callable[..., None]], targets: int, arguments: int, grad: int
    ) -> None:
        """Runs a rule on stand-ins.

        Args:
          bind: Takes what stands in for numpy and returns the rule.
          targets: How many arrays it changes, its first inputs.
          arguments: How many more inputs it has.
          grad: Which of those is the gradient; the others are numbers.

        Raises:
          NoFormula: It is more than elementwise arithmetic.
        """
        self._targets = tuple(Target(self) for _ in range(targets))
        self.initial: Final = tuple(target.current for target in self._targets)
        """What is in the targets at first."""
        self.gradient: Final = Array("")
        self.assignments: Final[list[tuple[int, Array, Array]]] = []
        """Which target, what it gets, and what stands for that from then on."""
        numbers = [Number(operator.itemgetter(place)) for place in range(arguments)]
        inputs = [self.gradient if i == grad else number for i, number in enumerate(numbers)]
        try:
            bind(FUNCTIONS)(*self._targets, *inputs)
        except (AttributeError, TypeError) as error:
            raise NoFormula(str(error)) from error
        for target in self._targets:
            target.read()

    def assign(self, target: Target) -> None:
        """Writes down what is to be in a target."""
        value = target.changed
        if value is not None:
            target.changed, target.current = None, Array("")
            self.assignments.append((self._targets.index(target), value, target.current))

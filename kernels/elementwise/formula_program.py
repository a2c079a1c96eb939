"""Formulas of large arrays as machine code: the steps of a formula as those of a program."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.steps import Step
from dataflow.kernels.memory.orders import in_line
from dataflow.kernels.native.builtin import Builtin
from dataflow.kernels.native.compiled import (
    can_run,
    compiled,
    is_there,
    run_in_parts,
)
from dataflow.kernels.native.price import Price, price_of
from dataflow.kernels.native.program import DTYPES, LETTERS, Held, Instruction, Operand, Program

_LONG: Final = 8
"""Steps of a formula that numpy takes five times as long for,"""
_LEAST: Final = 1 << 14
"""and elements from which on formulas are compiled;"""
_BEFORE: Final = 2
"""shorter ones after so many calls, which take less than compiling,"""
_COMPILING: Final = 20e-3
"""and those that a kernel calls in a loop after so many seconds of theirs, about what compiling
takes: so long is a step of them as a call,"""
_CALL: Final = 0.7e-6
_NUMBER: Final = 0.4e-9
"""and so long for each number."""


class Numbers:
    """Numbers that a program holds, each once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._places: dict[tuple[str, bytes], Held] = {}

    def hold(self, value: np.generic) -> Held:
        """One of them."""
        letter = LETTERS[value.dtype]
        found = self._places.setdefault((letter, value.tobytes()), Held(letter, len(self.values)))
        if found.place == len(self.values):
            self.values.append(value)
        return found


def instructions_of(
    steps: Sequence[Step],
    inputs: Sequence[int | Held],
    types: Sequence[str],
    first: int,
    numbers: Numbers,
    wanted: str | None,
) -> list[Instruction] | None:
    """Steps as instructions.

    Args:
      steps: The steps.
      inputs: The places of what they are given.
      types: Their letters.
      first: The place of the first instruction's result.
      numbers: What the program holds; more may come to it.
      wanted: The letter of what they make.

    Returns:
      None if they cannot be written.
    """
    places, letters = list(inputs), list(types)
    like = next((letter for letter in letters if letter != "b"), "b")
    found: list[Instruction] = []
    for step in steps:
        operands: list[int | Held] = []
        given = ""
        for operand in step.operands:
            if isinstance(operand, str):
                value = DTYPES[like].type(float.fromhex(operand))
                operands.append(numbers.hold(value))
                given += like
            else:
                operands.append(places[operand])
                given += letters[operand]
        made = _made(step, given, wanted)
        if made is None or not can_run(step.function, given, made):
            return None
        found.append(Instruction(step.function, tuple(operands), made))
        places.append(first + len(found) - 1)
        letters.append(made)
    return found if found and found[-1].dtype == wanted else None


def _made(step: Step, given: str, wanted: str | None) -> str | None:
    """The letter of what a step makes."""
    if step.function == "cast":
        return wanted
    if step.is_truth:
        return "b"
    if step.function == "where":
        return given[1]
    return next((letter for letter in given if letter != "b"), "b")


def by_program(
    steps: tuple[Step, ...], inputs: int, dtype: np.dtype[Any], otherwise: Callable[..., Any]
) -> Callable[..., Any]:
    """The function of a formula, `f(*arrays, out=None)`.

    Args:
      steps: The formula's.
      inputs: How many arrays it takes.
      dtype: Their element type.
      otherwise: The same for arrays that are small or of different shapes.
    """
    letter = LETTERS.get(dtype)
    if letter is None:
        return otherwise
    calls = itertools.count()
    before = _BEFORE if len(steps) < _LONG else 0

    def run(*given: Any, out: Any = None) -> Any:
        first = given[0]
        if type(first) is not np.ndarray or first.size < _LEAST:
            return otherwise(*given, out=out)
        if any(one.shape != first.shape for one in given) or next(calls) < before:
            return otherwise(*given, out=out)
        result = np.empty_like(first) if out is None else out
        vectors = in_line(result, *given)
        found = _program(steps, inputs, letter) if vectors is not None else None
        if vectors is None or found is None:
            return otherwise(*given, out=out)
        function, price = found
        if run_in_parts(function, price.of(first.size), *vectors):
            return result
        return otherwise(*given, out=out)

    return run


def in_loop(
    steps: tuple[Step, ...], inputs: int, dtype: np.dtype[Any], otherwise: Callable[..., Any]
) -> Callable[..., None]:
    """The function of a formula that a kernel calls again and again, `f(*vectors, out)`.

    Args:
      steps: The formula's.
      inputs: How many vectors it takes.
      dtype: Their element type.
      otherwise: The same for the first calls, and where there is no machine code.
    """
    letter = LETTERS.get(dtype)
    if letter is None:
        return otherwise
    spent = 0.0
    found: tuple[Builtin, Price] | None = None

    def run(*vectors: Any, out: Any) -> None:
        nonlocal spent, found
        if spent < _COMPILING:
            spent += len(steps) * (_CALL + _NUMBER * out.size)
            if spent >= _COMPILING:
                found = _program(steps, inputs, letter)
        if found is not None:
            function, price = found
            if run_in_parts(function, price.of(out.size), out, *vectors):
                return
        otherwise(*vectors, out=out)

    return run


@functools.lru_cache(maxsize=256)
def _program(steps: tuple[Step, ...], inputs: int, letter: str) -> tuple[Builtin, Price] | None:
    """The function of vectors, and what it takes; None if there is none."""
    if not is_there():
        return None
    numbers = Numbers()
    places = range(inputs)
    made = instructions_of(steps, places, letter * inputs, inputs, numbers, letter)
    if made is None:
        return None
    operands = (Operand(letter, (0,), True),) * inputs
    program = Program(1, operands, tuple(made), (inputs + len(made) - 1,))
    return compiled(program, numbers.values), price_of(program)

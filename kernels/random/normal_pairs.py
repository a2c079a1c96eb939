"""Pairs of standard normal float32 numbers, by the Box-Muller transform.

Logarithm, sine and cosine are those of doubles, rounded to float32: what a good libm gives. The
steps are one loop of machine code or, without a compiler, calls of numpy.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.native.builtin import Builtin
from dataflow.kernels.native.compiled import can_run, compiled, is_there
from dataflow.kernels.native.program import DTYPES, Held, Instruction, Operand, Program
from dataflow.kernels.random.turns import sine_and_cosine

_LEAST: Final = 1e-7
"""In place of 0, which has no logarithm."""

Do = Callable[..., Any]
"""`do(function, letter, *operands)`: a function of numpy's or a cast, and the type it makes."""


def normal_pairs(radius: np.ndarray, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normal numbers.

    Args:
      radius: float32 numbers from 0 to 1, a vector.
      turn: As many.
    """
    program = _program()
    first, second = np.empty_like(radius), np.empty_like(radius)
    if program is not None and program(first, second, radius, turn):
        return first, second
    return _transformed(_by_numpy, radius, turn)


def _transformed(do: Do, radius: Any, turn: Any) -> tuple[Any, Any]:
    radius = do("cast", "d", do("maximum", "f", radius, _LEAST))
    log = do("cast", "f", do("log", "d", radius))
    length = do("sqrt", "f", do("multiply", "f", log, -2.0))
    angle = do("multiply", "d", do("cast", "d", turn), 2 * math.pi)
    angle = do("cast", "d", do("cast", "f", angle))
    sine, cosine = (
        do("multiply", "f", do("cast", "f", one), length)
        for one in sine_and_cosine(functools.partial(_of_doubles, do), angle)
    )
    return sine, cosine


def _of_doubles(do: Do, function: str, *operands: Any) -> Any:
    return do(function, "d", *operands)


def _by_numpy(function: str, letter: str, *operands: Any) -> Any:
    if function == "cast":
        return operands[0].astype(DTYPES[letter])
    kind = DTYPES[letter].type
    return getattr(np, function)(*[kind(o) if isinstance(o, float) else o for o in operands])


class _Steps:
    """Steps of a program of two operands."""

    def __init__(self) -> None:
        self.made: list[Instruction] = []
        self.numbers: list[Any] = []

    def do(self, function: str, letter: str, *operands: int | float) -> int:
        """Adds one, and gives the place of what it makes."""
        places: list[int | Held] = []
        for one in operands:
            if isinstance(one, float):
                places.append(Held(letter, len(self.numbers)))
                self.numbers.append(DTYPES[letter].type(one))
            else:
                places.append(one)
        self.made.append(Instruction(function, tuple(places), letter))
        return len(self.made) + 1


@functools.cache
def _program() -> Builtin | None:
    """The function of both results, the radius and the turn; None if there is none."""
    if not is_there() or not can_run("log", "d", "d"):
        return None
    steps = _Steps()
    results = _transformed(steps.do, 0, 1)
    operands = (Operand("f", (0,), True),) * 2
    return compiled(Program(1, operands, tuple(steps.made), results), steps.numbers)

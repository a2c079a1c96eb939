"""What an operator of the survey is: a function of tensors, and the numbers that it gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from programs.program import Build, Program, Step

Numbers = Callable[[np.random.Generator], np.ndarray]
"""Makes an operand."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A function of tensors."""

    name: str
    operands: Sequence[Numbers]
    build: Callable[..., Any]
    """`build(library, *tensors)` gives a tensor."""
    differentiable: bool = True
    random: bool = False
    """Its values are different ones in each library."""


def normal(*shape: int, dtype: str = "float32") -> Numbers:
    """Normally distributed numbers."""
    return lambda random: random.standard_normal(shape).astype(dtype)


def positive(*shape: int, dtype: str = "float32") -> Numbers:
    """Numbers from 0.5 on."""
    return lambda random: (np.abs(random.standard_normal(shape)) + 0.5).astype(dtype)


def below(limit: int, *shape: int, dtype: str = "int32") -> Numbers:
    """Whole numbers from 0 on."""
    return lambda random: random.integers(0, limit, shape).astype(dtype)


def ascending(limit: int, size: int) -> Numbers:
    """Whole numbers from 0 on, in order."""
    return lambda random: np.sort(random.integers(0, limit, size)).astype(np.int32)


def programs_of(operators: Sequence[Operator]) -> list[Program]:
    """A program for each operator, and one for the gradient of each that has one."""
    found = []
    for one in operators:
        found.append(Program(one.name, _build(one, gradient=False)))
        if one.differentiable:
            found.append(Program(f"{one.name}, gradient", _build(one, gradient=True)))
    return found


def slopes_of(operator: Operator, tf: Any, tensors: Sequence[Any]) -> list[Any]:
    """The gradients of a function of the operator's results by its operands.

    They are no constants: what follows from those TensorFlow computes once.
    """
    found = operator.build(tf, *tensors)
    floats = [tensor for tensor in tensors if tensor.dtype.is_floating]
    slopes = tf.gradients(found * tf.sigmoid(found), floats)
    return [getattr(slope, "values", slope) for slope in slopes if slope is not None]


def _build(operator: Operator, gradient: bool) -> Build:
    def build(tf: Any, session: Any) -> Step:
        random = np.random.default_rng(0)
        arrays = [make(random) for make in operator.operands]
        tensors = [tf.placeholder(tf.as_dtype(array.dtype), array.shape) for array in arrays]
        found = slopes_of(operator, tf, tensors) if gradient else [operator.build(tf, *tensors)]
        values = session.make_callable(found, tensors)
        run = session.make_callable([tensor.op for tensor in found], tensors)
        # Values are compared once; to fetch them takes as long as many operators do.
        once = [] if operator.random else [values]

        def step() -> Any:
            return (once.pop() if once else run)(*arrays)

        return step

    return build

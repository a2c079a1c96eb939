"""Rows for constants, and for nodes that compute nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import NUMBERS
from tests.ops.program import Inputs, Program, Step, run

EVERY = (*NUMBERS, "bool", "string")


def _held(tf: Any, v: Inputs) -> Iterator[Step]:
    values = [v.any(*shape) for shape in ((2, 3), (), (0, 3), (1,))]
    same = np.full((2, 3), values[1], v.dtype)
    yield run(*(v.constant(value) for value in (*values, same)))
    # One value stands for all elements, or the last of several for the rest.
    yield run(
        tf.constant(values[1], v.element, [2, 2]),
        tf.constant(values[3], v.element, [3]),
    )


def _special(tf: Any, v: Inputs) -> Iterator[Step]:
    yield run(v.constant([np.nan, np.inf, -np.inf, -0.0, 0.0]))


def _nothing(tf: Any, v: Inputs) -> Iterator[Step]:
    """It has no value, and puts others in order."""
    cell = v.variable(0, resource=True)
    with tf.control_dependencies([cell.assign_add(v.constant(1))]):
        between = tf.raw_ops.NoOp()
    with tf.control_dependencies([between]):
        after = cell.read_value()
    yield v.initializers()
    yield run(between)
    yield run(after, between)


PROGRAMS = [
    Program("Const", _held, EVERY),
    Program("Const", _special, ("float32", "float64", "float16", "bfloat16")),
    Program("NoOp", _nothing, ("float32",)),
]

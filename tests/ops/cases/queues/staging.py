"""Rows for staging areas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import dataflow
from dataflow.contrib.staging import StagingArea
from tests.ops.case import NUMBERS
from tests.ops.program import Inputs, Program, Step, fails, infers, run

OPS = "Stage Unstage StagePeek StageSize StageClear"


def _area(tf: Any, *arguments: Any, **options: Any) -> Any:
    if tf is dataflow:
        return StagingArea(*arguments, **options)
    from tensorflow.python.ops.data_flow_ops import StagingArea as Theirs

    return Theirs(*arguments, **options)


def _values(tf: Any, v: Inputs) -> Iterator[Step]:
    """Elements come out in their order; what is looked at stays."""
    area = _area(tf, [v.element, tf.int32], [[2, None], []], shared_name=f"rows_{v.name}")
    put = area.put([v.fed(v.any(2, 3)), v.known(4, np.int32)])
    more = area.put([v.known(v.any(2, 1)), v.known(5, np.int32)])
    got, second, size = area.get(), area.peek(v.known(1, np.int32)), area.size()
    yield infers(*got, *second, size)
    yield run(put)
    yield run(more)
    yield run(*second)
    yield run(size)
    yield run(*got)
    yield run(*got)
    yield run(more)
    yield run(area.clear())
    yield run(size)


def _bounded(tf: Any, v: Inputs) -> Iterator[Step]:
    area = _area(tf, [v.element], names=["x"], memory_limit=64, capacity=3)
    put = area.put({"x": v.known(v.any(4))})
    large = area.put({"x": v.known(v.any(99))})
    yield run(put)
    yield fails("ResourceExhaustedError", "Attempted to insert tensors with combined size", large)
    yield run(area.get()["x"])


PROGRAMS = [
    Program(OPS, _values, (*NUMBERS, "bool", "string")),
    Program("Stage Unstage", _bounded, ("float32",)),
]

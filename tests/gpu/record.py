"""Records rows of ops and TensorFlow's answers: python -m tests.gpu.record FILE [PATTERN]."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import dataflow as tf
from tests.gpu.recordings import RecordedStep, Recording, save
from tests.ops import conformance, programs
from tests.ops.case import COMPLEX, FLOATS, Case
from tests.ops.cases import all_cases, all_programs
from tests.ops.program import Program, Step

_LARGEST = 150_000
"""Bytes of a GraphDef up to which a row is recorded: what takes more is made of random numbers."""


def recordings(pattern: str = "") -> Iterator[Recording]:
    """Values and gradients of rows of one call, and the steps of programs.

    Args:
      pattern: What is found in the names of the rows that are meant.
    """
    for case in all_cases():
        if re.search(pattern, case.id):
            yield from _values(case)
            if case.gradients:
                yield from _gradients(case)
    for program in all_programs():
        # What an index of devices says depends on them; other programs need their process.
        can_move = program.crosses and "DeviceIndex" not in program.ops
        if can_move and re.search(pattern, program.id):
            yield from _steps(program)


def _recording(
    row: Case | Program, dtype: str, graph: Any, steps: tuple[RecordedStep, ...], kind: str
) -> Iterator[Recording]:
    data = graph.SerializeToString()
    if len(data) <= _LARGEST:
        tolerances = {
            name: (conformance.tolerance(row.rtol, name), conformance.tolerance(row.atol, name))
            for name in (*FLOATS, *COMPLEX)
        }
        cpus = getattr(row, "cpus", 1)
        yield Recording(f"{row.id} {dtype} {kind}", data, steps, tolerances, cpus)


def _values(case: Case) -> Iterator[Recording]:
    expected = conformance.expected_outputs(case)
    for dtype in case.dtypes:
        ours = conformance.answer(tf, case, [dtype])
        step = RecordedStep(
            tuple(ours.names[dtype]), ours.feeds[dtype], tuple(map(np.asarray, expected[dtype]))
        )
        yield from _recording(case, dtype, ours.graph_def, (step,), "values")


def _gradients(case: Case) -> Iterator[Recording]:
    for dtype, theirs in conformance.gradients_of(conformance.oracle, case).items():
        with tf.Graph().as_default() as graph:
            built = conformance.build(tf, case, dtype)
            ours = conformance.gradients_in(tf, case, dtype, built)
            names = tuple(tf.convert_to_tensor(g).name for g in ours if g is not None)
        feeds = {tensor.name: array for tensor, array in built.feeds.items()}
        present = tuple(np.asarray(g) for g in theirs if g is not None)
        step = RecordedStep(names, feeds, present)
        yield from _recording(case, dtype, graph.as_graph_def(), (step,), "gradients")


def _steps(program: Program) -> Iterator[Recording]:
    outcomes = programs.expected_outcomes(program)
    for dtype in program.dtypes:
        recorded = programs.record(tf, program, [dtype])
        pairs = zip(recorded.named(dtype), outcomes[dtype], strict=True)
        steps = tuple(_step(*pair) for pair in pairs if pair[0].runs and pair[0].refusal is None)
        yield from _recording(program, dtype, recorded.graph.as_graph_def(), steps, "steps")


def _step(step: Step, outcome: Any) -> RecordedStep:
    feeds = {name: np.asarray(value) for name, value in step.feeds.items()}
    if step.error:
        return RecordedStep(step.fetches, feeds, (), type(outcome).__name__, step.session)
    expected = tuple(None if value is None else np.asarray(value) for value in outcome)
    return RecordedStep(step.fetches, feeds, expected, "", step.session)


if __name__ == "__main__":
    print(f"{save(sys.argv[1], recordings(*sys.argv[2:]))} rows")

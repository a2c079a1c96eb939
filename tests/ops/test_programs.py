"""Every program row against TensorFlow: steps, static shapes, gradients and GraphDefs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pytest

import dataflow as tf
from tests.checks import Check, make_all
from tests.ops import programs
from tests.ops.cases import all_programs
from tests.ops.foreign import foreign_device
from tests.ops.knowledge import LEVELS, MIXED, STATIC, UNKNOWN, Knowledge
from tests.ops.program import Program
from tests.ops.shortened import left_out, shortened_programs

ROWS = all_programs()
SHORTENED = shortened_programs(ROWS)
LEFT_OUT = left_out(ROWS, SHORTENED)
FEW_LEVELS = (STATIC, MIXED[0], UNKNOWN)
"""What is known of shapes in every run; rows of one call try all levels of each op."""


@pytest.mark.parametrize("program", SHORTENED, ids=lambda program: program.id)
def test_row(program: Program) -> None:
    make_all(checks_of(program, FEW_LEVELS))


@pytest.mark.long
@pytest.mark.parametrize("start", range(10))
def test_shapes_at_all_levels(start: int) -> None:
    make_all((p.id, partial(_static_shapes, p, LEVELS)) for p in ROWS[start::10])


@pytest.mark.long
@pytest.mark.parametrize("op", LEFT_OUT)
def test_later_rows_in_all_types(op: str) -> None:
    make_all(check for program in LEFT_OUT[op] for check in checks_of(program))


def checks_of(program: Program, levels: Sequence[Knowledge] = LEVELS) -> Iterator[Check]:
    """What is asked of a row."""
    yield f"{program.id} steps", partial(_steps, program)
    if "DeviceIndex" not in program.ops:
        yield f"{program.id} on a device of its own arrays", partial(_on_foreign_arrays, program)
    yield f"{program.id} shapes", partial(_static_shapes, program, levels)
    if program.crosses:
        yield f"{program.id} GraphDef", partial(_graph_def_crosses_over, program)
    if program.gradients and program.numeric and "float64" in program.dtypes:
        yield f"{program.id} derivative", partial(_gradients_are_the_derivatives, program)


def _steps(program: Program) -> None:
    expected = programs.expected_outcomes(program)
    recorded = programs.own_record(program)
    actual = programs.play_recorded(recorded, program)
    assert not programs.not_shown(program, recorded)
    for dtype, theirs in programs.expected_record(program).steps.items():
        ours = recorded.steps[dtype]
        assert [s.present for s in ours] == [s.present for s in theirs]
        # Gradients that are refused may stand beside other things.
        compared, asked = (any(getattr(s, key) for s in ours) for key in ("present", "sources"))
        assert compared <= program.gradients <= asked
        programs.assert_same_outcomes(program, dtype, ours, expected[dtype], actual[dtype])


def _on_foreign_arrays(program: Program) -> None:
    expected = programs.expected_outcomes(program)
    recorded = programs.record(tf, program, program.dtypes)
    with foreign_device():
        actual = programs.play_recorded(recorded, program)
    for dtype, steps in recorded.steps.items():
        programs.assert_same_outcomes(program, dtype, steps, expected[dtype], actual[dtype])


def _static_shapes(program: Program, levels: Sequence[Knowledge]) -> None:
    dtype = program.dtypes[0]
    compared: set[tuple[str, ...]] = set()
    for knowledge in levels:
        if knowledge is STATIC:
            ours = programs.own_record(program)
        else:
            ours = programs.record(tf, program, [dtype], knowledge)
        told = tuple(ours.inputs[dtype].told)
        if knowledge in program.shapes and told not in compared:
            compared.add(told)
            if knowledge is STATIC:
                theirs = programs.expected_record(program)
            else:
                theirs = programs.record(programs.oracle, program, [dtype], knowledge)
            assert ours.shapes(dtype) == theirs.shapes(dtype), knowledge
        if knowledge is STATIC and not ours.inputs[dtype].knows:
            return
    # What a kernel computes does not depend on what building knows.
    assert knowledge is UNKNOWN
    actual = programs.play_recorded(ours, program)[dtype]
    expected = programs.expected_outcomes(program)[dtype]
    programs.assert_same_outcomes(program, dtype, ours.steps[dtype], expected, actual)


def _gradients_are_the_derivatives(program: Program) -> None:
    for where, gradient, slope in programs.numeric_slopes(program):
        message = f"{program.id} {where}"
        np.testing.assert_allclose(gradient, slope, rtol=1e-4, atol=1e-5, err_msg=message)


def _graph_def_crosses_over(program: Program) -> None:
    dtype = program.dtypes[0]
    expected = programs.expected_outcomes(program)[dtype]
    theirs = programs.expected_record(program)
    ours = programs.record(tf, program, [dtype])
    for recorded, runner in ((theirs, tf), (ours, programs.oracle)):
        actual = programs.cross_over(recorded, runner, program, dtype)
        steps = recorded.steps[dtype]
        programs.assert_same_outcomes(program, dtype, steps, expected, actual)

"""Every case row against TensorFlow: values, static shapes, gradients, GraphDefs and refusals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pytest

import dataflow as tf
from tests.checks import Check, make_all
from tests.ops import conformance
from tests.ops.batches import let_join, of_row
from tests.ops.case import Case
from tests.ops.cases import all_cases
from tests.ops.conformance import oracle
from tests.ops.foreign import foreign_device
from tests.ops.knowledge import LEVELS, UNKNOWN
from tests.ops.shortened import left_out, shortened_cases

ROWS = all_cases()
SHORTENED = shortened_cases(ROWS)
LEFT_OUT = left_out(ROWS, SHORTENED)
let_join(SHORTENED)


@pytest.mark.parametrize("case", SHORTENED, ids=lambda case: case.id)
def test_row(case: Case) -> None:
    make_all(checks_of(case))


@pytest.mark.long
@pytest.mark.parametrize("op", LEFT_OUT)
def test_later_rows_in_all_types(op: str) -> None:
    make_all(check for case in LEFT_OUT[op] for check in checks_of(case))


def checks_of(case: Case) -> Iterator[Check]:
    """What is asked of a row."""
    yield f"{case.id} values", partial(_forward, case)
    yield f"{case.id} on a device of its own arrays", partial(_on_foreign_arrays, case)
    yield f"{case.id} shapes", partial(_static_shapes, case)
    yield f"{case.id} GraphDef", partial(_graph_def_crosses_over, case)
    if case.gradients:
        yield f"{case.id} gradient", partial(_gradient, case)
        if case.numeric and "float64" in case.dtypes:
            yield f"{case.id} derivative", partial(_gradient_is_the_derivative, case)
    for bad in case.bad:
        yield (
            f"{case.id} refusal {bad.text}",
            partial(conformance.assert_same_refusal, case, bad),
        )


def _forward(case: Case) -> None:
    expected = conformance.expected_outputs(case)
    actual = conformance.answer_of(tf, case).values
    for dtype in case.dtypes:
        conformance.assert_same(case, dtype, expected[dtype], actual[dtype])


def _on_foreign_arrays(case: Case) -> None:
    expected = conformance.expected_outputs(case)
    actual = of_row(_foreign_answers, case).values
    for dtype in case.dtypes:
        conformance.assert_same(case, dtype, expected[dtype], actual[dtype])


def _foreign_answers(rows: Sequence[Case]) -> list[conformance.Answer]:
    with foreign_device():
        return conformance.answers(rows, tf)


def _static_shapes(case: Case) -> None:
    dtype = case.dtypes[0]
    values = of_row(conformance.answers, case, tf, conformance.first_type, UNKNOWN).values[dtype]
    actual = [np.shape(value) for value in values]
    ours = conformance.static_shapes(tf, case, dtype, LEVELS)
    for told, shapes in ours.items():
        if all(isinstance(inferred, tf.TensorShape) for inferred in shapes):
            looked_at = shapes if case.outputs is None else [shapes[i] for i in case.outputs]
            for inferred, shape in zip(looked_at, actual, strict=True):
                assert inferred.is_compatible_with(shape), (told, inferred, shape)
    theirs = conformance.static_shapes(oracle, case, dtype, case.shapes)
    for told, shapes in theirs.items():
        assert [*map(str, ours[told])] == [*map(str, shapes)], told


def _gradient(case: Case) -> None:
    expected = conformance.gradients_of(oracle, case)
    actual = conformance.gradients_of(tf, case)
    for dtype, theirs in expected.items():
        conformance.assert_same_gradients(case, dtype, theirs, actual[dtype])


def _gradient_is_the_derivative(case: Case) -> None:
    analytic = conformance.gradients_of(tf, case)["float64"]
    for ours, slope in zip(analytic, conformance.numeric_gradients(case), strict=True):
        ours = np.zeros_like(slope) if ours is None else ours
        np.testing.assert_allclose(ours, slope, rtol=1e-4, atol=1e-5, err_msg=case.id)


def _graph_def_crosses_over(case: Case) -> None:
    dtype = case.dtypes[0]
    expected = conformance.expected_outputs(case)[dtype]
    theirs_run_here = conformance.crossed_over(oracle, tf, case)
    conformance.assert_same(case, dtype, expected, theirs_run_here)
    if not conformance.same_graph_defs(case):
        ours_run_there = conformance.crossed_over(tf, oracle, case)
        conformance.assert_same(case, dtype, expected, ours_run_there)

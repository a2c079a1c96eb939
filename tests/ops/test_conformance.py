"""Every case row against TensorFlow: values, static shapes, gradients, GraphDefs and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import dataflow as tf
from tests.ops import conformance
from tests.ops.case import Bad, Case
from tests.ops.cases import all_cases
from tests.ops.knowledge import LEVELS, UNKNOWN

CASES = all_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_forward(case: Case) -> None:
    expected = conformance.expected_outputs(case)
    actual = conformance.outputs(tf, case, case.dtypes)
    for dtype in case.dtypes:
        conformance.assert_same(case, dtype, expected[dtype], actual[dtype])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_static_shape(case: Case) -> None:
    dtype = case.dtypes[0]
    values = conformance.outputs(tf, case, [dtype], UNKNOWN)[dtype]
    actual = [np.shape(value) for value in values]
    ours = conformance.static_shapes(tf, case, dtype, LEVELS)
    for told, shapes in ours.items():
        if all(isinstance(inferred, tf.TensorShape) for inferred in shapes):
            for inferred, shape in zip(shapes, actual, strict=True):
                assert inferred.is_compatible_with(shape), (told, inferred, shape)
    theirs = conformance.static_shapes(conformance.oracle, case, dtype, case.shapes)
    for told, shapes in theirs.items():
        assert [*map(str, ours[told])] == [*map(str, shapes)], told


@pytest.mark.parametrize("case", [c for c in CASES if c.gradients], ids=lambda case: case.id)
def test_gradient(case: Case) -> None:
    expected = conformance.expected_gradients(case)
    actual = conformance.loss_gradients(tf, case, conformance.differentiated(case))
    for dtype, theirs in expected.items():
        conformance.assert_same_gradients(case, dtype, theirs, actual[dtype])


NUMERIC = [c for c in CASES if c.gradients and c.numeric and "float64" in c.dtypes]


@pytest.mark.parametrize("case", NUMERIC, ids=lambda case: case.id)
def test_gradient_is_the_derivative(case: Case) -> None:
    analytic = conformance.loss_gradients(tf, case, ["float64"])["float64"]
    for ours, slope in zip(analytic, conformance.numeric_gradients(case), strict=True):
        ours = np.zeros_like(slope) if ours is None else ours
        np.testing.assert_allclose(ours, slope, rtol=1e-4, atol=1e-5, err_msg=case.id)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_graph_def_crosses_over(case: Case) -> None:
    dtype = case.dtypes[0]
    expected = conformance.expected_outputs(case)[dtype]
    theirs_run_here, ours_run_there = conformance.crossed_over(case, dtype)
    conformance.assert_same(case, dtype, expected, theirs_run_here)
    conformance.assert_same(case, dtype, expected, ours_run_there)


REFUSALS = [(case, bad) for case in CASES for bad in case.bad]


@pytest.mark.parametrize(
    ("case", "bad"), REFUSALS, ids=lambda item: getattr(item, "id", None) or item.text
)
def test_bad_input(case: Case, bad: Bad) -> None:
    conformance.assert_same_refusal(case, bad)

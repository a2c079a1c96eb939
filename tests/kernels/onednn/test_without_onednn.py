"""The ops that oneDNN serves, served by numpy: what other platforms have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import dataflow as tf
from tests.kernels.onednn_paths import switched_off
from tests.ops import conformance
from tests.ops.batches import let_join
from tests.ops.case import Case
from tests.ops.cases.linalg import matmul
from tests.ops.cases.nn import batch_norm, conv, conv3d, depthwise, lrn, pool, softmax

MODULES = (matmul, batch_norm, conv, conv3d, depthwise, lrn, pool, softmax)
CASES = [
    replace(case, dtypes=("float32",))
    for module in MODULES
    for case in module.CASES
    if "float32" in case.dtypes
]
let_join(CASES)


@pytest.fixture(autouse=True)
def without() -> Iterator[None]:
    """oneDNN is switched off."""
    with switched_off():
        yield


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_forward(case: Case) -> None:
    expected = conformance.expected_outputs(case)["float32"]
    actual = conformance.answer_of(tf, case).values["float32"]
    conformance.assert_same(case, "float32", expected, actual)


@pytest.mark.parametrize("case", [c for c in CASES if c.gradients], ids=lambda case: case.id)
def test_gradient(case: Case) -> None:
    expected = conformance.gradients_of(conformance.oracle, case)["float32"]
    actual = conformance.gradients_of(tf, case)["float32"]
    conformance.assert_same_gradients(case, "float32", expected, actual)

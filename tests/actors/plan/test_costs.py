"""Estimated costs: what declares its size, or reads much, costs what its bytes take."""

from __future__ import annotations

import pytest

from dataflow.actors.plan.costs import estimate
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.passes.building import Nodes

_CALL = 1e-6
_BYTE = 0.15e-9


@pytest.mark.parametrize(
    ("shape", "inputs", "moved", "made"),
    [
        (TensorShape([1000, 1000]), [], 8e6, 8e6),
        (TensorShape([10]), [5e6], 5e6, 80.0),
        (TensorShape([None, 10]), [3.0, 7e7], 7e7, 7e7),
        (TensorShape(None), [], 0.0, 0.0),
    ],
)
def test_estimate(shape: TensorShape, inputs: list[float], moved: float, made: float) -> None:
    nodes = Nodes()
    nodes.add("Placeholder", "x", dtype=dtypes.float64, shape=shape)
    (node,) = (node for node in nodes.graph().nodes() if node.name == "x")
    seconds, size = estimate(node, inputs)
    assert seconds == pytest.approx(_CALL + _BYTE * moved)
    assert size == made

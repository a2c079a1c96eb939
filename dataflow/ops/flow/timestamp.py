"""The time of day, when it is asked for."""

from __future__ import annotations

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

define_op(
    "Timestamp",
    outputs="ts: float64",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Seconds since the start of 1970.",
    stateful=True,
)


def timestamp(name: str | None = None) -> Tensor:
    """Seconds since the start of 1970 when it is run, a float64 scalar."""
    return single("Timestamp", name=name)

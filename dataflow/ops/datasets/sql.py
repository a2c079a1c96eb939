"""Ops that make datasets of the rows of a database."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op

for _op in ("SqlDataset", "ExperimentalSqlDataset"):
    define_op(
        _op,
        inputs="driver_name: string, data_source_name: string, query: string",
        outputs="handle: variant",
        attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
        shape=dataset(scalars=(0, 1, 2)),
        gradient=NOT_DIFFERENTIABLE,
        doc="The rows that a query of a database gives.",
        stateful=True,
    )

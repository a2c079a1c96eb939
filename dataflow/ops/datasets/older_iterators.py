"""Ops of iterators as older graphs name them."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

define_op(
    "ExperimentalIteratorGetDevice",
    inputs="resource: resource",
    outputs="device: string",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The device of an iterator.",
    stateful=True,
)
define_op(
    "ExperimentalDatasetCardinality",
    inputs="input_dataset: variant",
    outputs="cardinality: int64",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="How many elements a dataset has; -1 for without end, -2 if it is not known.",
)

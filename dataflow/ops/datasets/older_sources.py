"""Ops of sources as older graphs name them."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op

define_op(
    "ExperimentalRandomDataset",
    inputs="seed: int64, seed2: int64",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=dataset(scalars=(0, 1)),
    gradient=NOT_DIFFERENTIABLE,
    doc="A dataset of random numbers, without end.",
    stateful=True,
)

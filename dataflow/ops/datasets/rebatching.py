"""Ops that make datasets whose batches have other sizes than those of another one."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

for _op in ("RebatchDataset", "ExperimentalRebatchDataset"):
    define_op(
        _op,
        inputs="input_dataset: variant, num_replicas: int64",
        outputs="handle: variant",
        attrs=[
            "output_types: list(type) >= 1",
            "output_shapes: list(shape) >= 1",
            "use_fallback: bool = true",
        ],
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc="Each batch cut into as many as there are replicas.",
    )

define_op(
    "RebatchDatasetV2",
    inputs="input_dataset: variant, batch_sizes: int64, drop_remainder: bool",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The rows of batches in batches of other sizes, which are taken in turns.",
)

define_op(
    "ParallelBatchDataset",
    inputs=(
        "input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool"
    ),
    outputs="handle: variant",
    attrs=[
        "parallel_copy: bool = false",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "deterministic: string = 'default'",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1, 2, 3)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements stacked along a new first dimension.",
)

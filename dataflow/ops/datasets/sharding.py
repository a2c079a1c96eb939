"""Ops that divide a pipeline among workers."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op

for _op, _more in (
    ("AutoShardDataset", ["num_replicas: int = 0"]),
    ("ExperimentalAutoShardDataset", []),
):
    define_op(
        _op,
        inputs="input_dataset: variant, num_workers: int64, index: int64",
        outputs="handle: variant",
        attrs=[
            "auto_shard_policy: int = 0",
            "output_types: list(type) >= 1",
            "output_shapes: list(shape) >= 1",
            *_more,
        ],
        shape=dataset(),
        gradient=NOT_DIFFERENTIABLE,
        doc="One worker's part of the elements, of files where the elements are of files.",
    )

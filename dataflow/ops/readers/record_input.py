"""The op that gives records of many files in random order, without an end."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import unknown

define_op(
    "RecordInput",
    outputs="records: string",
    attrs=[
        "file_pattern: string",
        "file_random_seed: int = 301",
        "file_shuffle_shift_ratio: float = 0",
        "file_buffer_size: int = 10000",
        "file_parallelism: int = 16",
        "batch_size: int = 32",
        "compression_type: string = ''",
    ],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="Records of TFRecord files in random order; each of them once before the next epoch.",
    stateful=True,
)

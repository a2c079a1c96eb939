"""Ops of files as older graphs name them."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import csv, dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op

define_op(
    "ExperimentalMatchingFilesDataset",
    inputs="patterns: string",
    outputs="handle: variant",
    shape=dataset(lists=(0,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The names of files that match patterns.",
    stateful=True,
)
define_op(
    "ExperimentalCSVDataset",
    inputs=(
        "filenames: string, compression_type: string, buffer_size: int64, header: bool, "
        "field_delim: string, use_quote_delim: bool, na_value: string, select_cols: int64, "
        "record_defaults: output_types"
    ),
    outputs="handle: variant",
    attrs=[
        "output_types: list({float32, float64, int32, int64, string}) >= 1",
        "output_shapes: list(shape) >= 1",
    ],
    shape=csv,
    gradient=NOT_DIFFERENTIABLE,
    doc="The records of CSV files.",
    stateful=True,
)

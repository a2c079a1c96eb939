"""Ops that make datasets of what is in files."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import csv, dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op

define_op(
    "TextLineDataset",
    inputs="filenames: string, compression_type: string, buffer_size: int64",
    outputs="handle: variant",
    attrs=["metadata: string = ''"],
    shape=dataset(scalars=(1, 2), lists=(0,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The lines of text files.",
    stateful=True,
)
define_op(
    "TFRecordDataset",
    inputs="filenames: string, compression_type: string, buffer_size: int64",
    outputs="handle: variant",
    attrs=["metadata: string = ''"],
    shape=dataset(scalars=(1, 2), lists=(0,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The records of record files.",
    stateful=True,
)
define_op(
    "TFRecordDatasetV2",
    inputs=("filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64"),
    outputs="handle: variant",
    attrs=["metadata: string = ''"],
    shape=dataset(scalars=(1, 2), lists=(0, 3)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The records of record files, from given places on.",
    stateful=True,
)
define_op(
    "FixedLengthRecordDataset",
    inputs=(
        "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
        "buffer_size: int64"
    ),
    outputs="handle: variant",
    attrs=["metadata: string = ''"],
    shape=dataset(scalars=(1, 2, 3, 4), lists=(0,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Pieces of files, all of one length.",
    stateful=True,
)
define_op(
    "FixedLengthRecordDatasetV2",
    inputs=(
        "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
        "buffer_size: int64, compression_type: string"
    ),
    outputs="handle: variant",
    attrs=["metadata: string = ''"],
    shape=dataset(scalars=(1, 2, 3, 4), lists=(0,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Pieces of files, all of one length.",
    stateful=True,
)
define_op(
    "MatchingFilesDataset",
    inputs="patterns: string",
    outputs="handle: variant",
    shape=dataset(lists=(0,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The names of files that match patterns.",
    stateful=True,
)
define_op(
    "CSVDataset",
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
define_op(
    "CSVDatasetV2",
    inputs=(
        "filenames: string, compression_type: string, buffer_size: int64, header: bool, "
        "field_delim: string, use_quote_delim: bool, na_value: string, select_cols: int64, "
        "record_defaults: output_types, exclude_cols: int64"
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

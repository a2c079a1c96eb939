"""Ops that make datasets of what is in files."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import scalar, with_rank_at_most
from dataflow.values.shapes import TensorShape

_FIRST_DEFAULT = 8
"""Place of the first of `record_defaults` among the inputs."""


def _csv_shape(c: InferenceContext) -> list[TensorShape]:
    for place in range(_FIRST_DEFAULT, c.num_inputs):
        with_rank_at_most(c.input(place), 1)
    return scalar(c)


define_op(
    "TextLineDataset",
    inputs="filenames: string, compression_type: string, buffer_size: int64",
    outputs="handle: variant",
    attrs=["metadata: string = ''"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The lines of text files.",
    stateful=True,
)
define_op(
    "TFRecordDataset",
    inputs="filenames: string, compression_type: string, buffer_size: int64",
    outputs="handle: variant",
    attrs=["metadata: string = ''"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The records of record files.",
    stateful=True,
)
define_op(
    "TFRecordDatasetV2",
    inputs=("filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64"),
    outputs="handle: variant",
    attrs=["metadata: string = ''"],
    shape=scalar,
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
    shape=scalar,
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
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Pieces of files, all of one length.",
    stateful=True,
)
define_op(
    "MatchingFilesDataset",
    inputs="patterns: string",
    outputs="handle: variant",
    shape=scalar,
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
    shape=_csv_shape,
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
    shape=_csv_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The records of CSV files.",
    stateful=True,
)

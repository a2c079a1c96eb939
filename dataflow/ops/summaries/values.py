"""Ops whose result is a serialized Summary."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

define_op(
    "ScalarSummary",
    inputs="tags: string, values: T",
    outputs="summary: string",
    attrs=["T: realnumbertype"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A number for each tag.",
)

define_op(
    "HistogramSummary",
    inputs="tag: string, values: T",
    outputs="summary: string",
    attrs=["T: realnumbertype = float32"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="How values are distributed over buckets whose limits grow by a tenth.",
)

define_op(
    "ImageSummary",
    inputs="tag: string, tensor: T",
    outputs="summary: string",
    attrs=[
        "max_images: int >= 1 = 3",
        "T: {uint8, float32, half, float64} = float32",
        "bad_color: tensor = uint8[255, 0, 0, 255]",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The first images of a batch as PNG files; floats are scaled to bytes.",
)

define_op(
    "AudioSummary",
    inputs="tag: string, tensor: float32",
    outputs="summary: string",
    attrs=["sample_rate: float", "max_outputs: int >= 1 = 3"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="AudioSummaryV2 of a rate known beforehand; only in graphs before version 15.",
)

define_op(
    "AudioSummaryV2",
    inputs="tag: string, tensor: float32, sample_rate: float32",
    outputs="summary: string",
    attrs=["max_outputs: int >= 1 = 3"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The first clips of a batch as WAV files; samples lie between -1 and 1.",
)

define_op(
    "TensorSummary",
    inputs="tensor: T",
    outputs="summary: string",
    attrs=[
        "T: type",
        "description: string = ''",
        "labels: list(string) = []",
        "display_name: string = ''",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A tensor, by the name of this node.",
)

define_op(
    "TensorSummaryV2",
    inputs="tag: string, tensor: T, serialized_summary_metadata: string",
    outputs="summary: string",
    attrs=["T: type"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A tensor, and a SummaryMetadata that says which plugin shows it.",
)

define_op(
    "MergeSummary",
    inputs="inputs: N * string",
    outputs="summary: string",
    attrs=["N: int >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The values of several summaries in one; each tag may occur once.",
)

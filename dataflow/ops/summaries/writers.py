"""Ops on writers of event files, which live on a device behind a handle."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import no_outputs, scalar

define_op(
    "SummaryWriter",
    outputs="writer: resource",
    attrs=["shared_name: string = ''", "container: string = ''"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The handle of a writer, which need not be there yet.",
    stateful=True,
)

_STEP = "writer: resource, step: int64"
_OPS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    (
        "CreateSummaryFileWriter",
        "writer: resource, logdir: string, max_queue: int32, flush_millis: int32,"
        " filename_suffix: string",
        (),
        "Makes the writer, and an event file, unless there is one already.",
    ),
    ("FlushSummaryWriter", "writer: resource", (), "Puts into the file what waits."),
    ("CloseSummaryWriter", "writer: resource", (), "Puts what waits into the file and closes it."),
    ("ImportEvent", "writer: resource, event: string", (), "Writes a serialized Event."),
    (
        "WriteSummary",
        f"{_STEP}, tensor: T, tag: string, summary_metadata: string",
        ("T: type",),
        "Writes what TensorSummaryV2 makes.",
    ),
    ("WriteRawProtoSummary", f"{_STEP}, tensor: string", (), "Writes serialized Summaries."),
    (
        "WriteScalarSummary",
        f"{_STEP}, tag: string, value: T",
        ("T: realnumbertype",),
        "Writes what ScalarSummary makes.",
    ),
    (
        "WriteHistogramSummary",
        f"{_STEP}, tag: string, values: T",
        (
            "T: {float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, half,"
            " uint32, uint64, bool} = float32",
        ),
        "Writes what HistogramSummary makes.",
    ),
    (
        "WriteImageSummary",
        f"{_STEP}, tag: string, tensor: T, bad_color: uint8",
        ("max_images: int >= 1 = 3", "T: {uint8, float64, float32, half} = float32"),
        "Writes what ImageSummary makes.",
    ),
    (
        "WriteAudioSummary",
        f"{_STEP}, tag: string, tensor: float32, sample_rate: float32",
        ("max_outputs: int >= 1 = 3",),
        "Writes what AudioSummaryV2 makes.",
    ),
    ("WriteGraphSummary", f"{_STEP}, tensor: string", (), "Writes a serialized GraphDef."),
)

for _op, _inputs, _attrs, _doc in _OPS:
    define_op(
        _op,
        inputs=_inputs,
        attrs=_attrs,
        shape=no_outputs,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )

"""Rows for writers of event files; what stands in the files is in tests/kernels/summaries."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.program import Inputs, Program, Step, fails, run


def _text(value: bytes) -> np.ndarray:
    return np.array(value, object)


def _created(tf: Any, v: Inputs) -> tuple[Any, Any]:
    """A writer's handle, and what makes the writer."""
    writer = tf.raw_ops.SummaryWriter(shared_name=v.name)
    create = tf.raw_ops.CreateSummaryFileWriter(
        writer=writer,
        logdir=v.fed(_text(tempfile.mkdtemp().encode())),
        max_queue=v.fed(3, "int32"),
        flush_millis=v.fed(1000, "int32"),
        filename_suffix=v.fed(_text(b".v2")),
    )
    return writer, create


def _written(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    writer, create = _created(tf, v)
    step, tag = v.fed(7, "int64"), v.fed(_text(b"a"))
    flush, close = raw.FlushSummaryWriter(writer=writer), raw.CloseSummaryWriter(writer=writer)
    yield run(create)
    yield run(create)
    yield run(raw.WriteScalarSummary(writer=writer, step=step, tag=tag, value=v.fed(1)))
    yield run(raw.WriteHistogramSummary(writer=writer, step=step, tag=tag, values=v.fed([1, 2])))
    yield run(
        raw.WriteSummary(writer=writer, step=step, tensor=v.fed(1), tag=tag, summary_metadata=tag)
    )
    yield run(flush)
    yield run(close)
    again = raw.CloseSummaryWriter(writer=writer)
    for absent in (flush, again, raw.ImportEvent(writer=writer, event=v.fed(_text(b"")))):
        yield fails("NotFoundError", "does not exist", absent)
    yield run(create)
    yield run(close)


def _pictures_and_sounds(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    writer, create = _created(tf, v)
    yield run(create)
    yield run(
        raw.WriteImageSummary(
            writer=writer,
            step=1,
            tag="a",
            tensor=v.fed(np.ones([2, 2, 2, 1])),
            bad_color=v.fed([1, 2], "uint8"),
        ),
        raw.WriteAudioSummary(
            writer=writer,
            step=1,
            tag="a",
            tensor=v.fed(np.ones([1, 2, 1]), "float32"),
            sample_rate=v.fed(3, "float32"),
        ),
    )
    wrong = v.fed(np.ones([1, 2, 2, 2]))
    images = raw.WriteImageSummary(writer=writer, step=1, tag="a", tensor=wrong, bad_color=[1])
    yield fails("InvalidArgumentError", "Tensor must be 4-D with last dim", images)


def _messages(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    writer, create = _created(tf, v)
    yield run(create)

    def written(data: bytes) -> list[Any]:
        return [
            raw.ImportEvent(writer=writer, event=v.fed(_text(data))),
            raw.WriteRawProtoSummary(writer=writer, step=1, tensor=v.fed(_text(data))),
            raw.WriteGraphSummary(writer=writer, step=1, tensor=v.fed(_text(data))),
        ]

    yield run(*written(b""))
    kinds = ("tf.Event", "tf.compat.v1.Summary", "tf.GraphDef")
    for op, kind in zip(written(b"zzzz"), kinds, strict=True):
        yield fails("DataLossError", f"Bad {kind} binary proto tensor string", op)
    wrong = raw.WriteHistogramSummary(writer=writer, step=1, tag="a/b", values=v.fed(np.nan))
    yield fails("InvalidArgumentError", "Nan in summary histogram for: a/b", wrong)


PROGRAMS = [
    Program(
        "SummaryWriter CreateSummaryFileWriter FlushSummaryWriter CloseSummaryWriter "
        "WriteScalarSummary WriteHistogramSummary WriteSummary",
        _written,
        dtypes=("float32", "int64", "half"),
    ),
    Program(
        "WriteImageSummary WriteAudioSummary", _pictures_and_sounds, dtypes=("float32", "half")
    ),
    Program("ImportEvent WriteRawProtoSummary WriteGraphSummary", _messages, dtypes=("float32",)),
]

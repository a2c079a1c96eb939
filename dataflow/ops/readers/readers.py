"""Ops on readers, behind handles and in the form of old graphs, whose handles are references."""

from __future__ import annotations

from dataflow.ops.basic.handle_shapes import HANDLE
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import no_outputs, scalar, with_rank
from dataflow.values.shapes import TensorShape

_NAMES = ("container: string = ''", "shared_name: string = ''")


def _old_handle(c: InferenceContext) -> TensorShape:
    return HANDLE


def _vectors(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(2), 0)
    return [TensorShape.of((None,)), TensorShape.of((None,))]


def _restored(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 0)
    return []


for _suffix, _handle, _made in (("V2", "resource", scalar), ("", "Ref(string)", _old_handle)):
    _is_new = bool(_suffix)

    for _kind, _attrs, _doc in (
        ("TextLineReader", ("skip_header_lines: int = 0", *_NAMES), "Reads the lines of files."),
        ("WholeFileReader", _NAMES, "Reads files as a whole."),
        (
            "FixedLengthRecordReader",
            (
                "header_bytes: int = 0",
                "record_bytes: int",
                "footer_bytes: int = 0",
                "hop_bytes: int = 0",
                *_NAMES,
                *(("encoding: string = ''",) if _is_new else ()),
            ),
            "Reads records of one length.",
        ),
        (
            "TFRecordReader",
            (*_NAMES, "compression_type: string = ''"),
            "Reads the records of TFRecords.",
        ),
        ("IdentityReader", _NAMES, "Gives what it takes out of the queue."),
    ):
        define_op(
            f"{_kind}{_suffix}",
            outputs=f"reader_handle: {_handle}",
            attrs=list(_attrs),
            shape=_made,
            gradient=NOT_DIFFERENTIABLE,
            doc=_doc,
            stateful=True,
        )

    define_op(
        f"ReaderRead{_suffix}",
        inputs=f"reader_handle: {_handle}, queue_handle: {_handle}",
        outputs="key: string, value: string",
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc="The next record; takes the name of another file out of the queue if need be.",
        stateful=_is_new,
    )

    define_op(
        f"ReaderReadUpTo{_suffix}",
        inputs=f"reader_handle: {_handle}, queue_handle: {_handle}, num_records: int64",
        outputs="keys: string, values: string",
        shape=_vectors,
        gradient=NOT_DIFFERENTIABLE,
        doc="The next records, so many at most, and at least one.",
        stateful=_is_new,
    )

    for _count in ("records_produced", "units_completed"):
        _op = "NumRecordsProduced" if _count == "records_produced" else "NumWorkUnitsCompleted"
        define_op(
            f"Reader{_op}{_suffix}",
            inputs=f"reader_handle: {_handle}",
            outputs=f"{_count}: int64",
            shape=scalar,
            gradient=NOT_DIFFERENTIABLE,
            doc="How many records, or files, a reader has read.",
            stateful=_is_new,
        )

    define_op(
        f"ReaderSerializeState{_suffix}",
        inputs=f"reader_handle: {_handle}",
        outputs="state: string",
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc="The place of a reader as a string.",
        stateful=_is_new,
    )

    define_op(
        f"ReaderRestoreState{_suffix}",
        inputs=f"reader_handle: {_handle}, state: string",
        shape=_restored,
        gradient=NOT_DIFFERENTIABLE,
        doc="Puts a reader at a place.",
        stateful=_is_new,
    )

    define_op(
        f"ReaderReset{_suffix}",
        inputs=f"reader_handle: {_handle}",
        shape=no_outputs,
        gradient=NOT_DIFFERENTIABLE,
        doc="Puts a reader back to its start.",
        stateful=_is_new,
    )

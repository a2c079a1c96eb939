"""Kernels of readers; a handle is the reader itself, as is a reference of an old graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.queues.waiting import Done, Waiter
from dataflow.kernels.readers.reader import Open, Reader, check_queue
from dataflow.kernels.readers.records import (
    file_record,
    fixed_length,
    framed,
    identity_record,
    text_lines,
)
from dataflow.kernels.readers.state import ReaderState

_NUMBERS: Final = itertools.count()


@kernel("TextLineReaderV2", "TextLineReader", device="CPU")
def text_line_reader(node: KernelNode, xp: Any) -> Callable[[], Reader]:
    return _shared(node, text_lines(node.attr("skip_header_lines")))


@kernel("WholeFileReaderV2", "WholeFileReader", device="CPU")
def whole_file_reader(node: KernelNode, xp: Any) -> Callable[[], Reader]:
    return _shared(node, file_record, is_whole=True)


@kernel("IdentityReaderV2", "IdentityReader", device="CPU")
def identity_reader(node: KernelNode, xp: Any) -> Callable[[], Reader]:
    return _shared(node, identity_record, is_whole=True)


@kernel("TFRecordReaderV2", "TFRecordReader", device="CPU")
def tf_record_reader(node: KernelNode, xp: Any) -> Callable[[], Reader]:
    return _shared(node, framed(_compression(node, "compression_type")))


@kernel("FixedLengthRecordReaderV2", "FixedLengthRecordReader", device="CPU")
def fixed_length_record_reader(node: KernelNode, xp: Any) -> Callable[[], Reader]:
    sizes = []
    for name in ("header_bytes", "record_bytes", "footer_bytes", "hop_bytes"):
        sizes.append(node.attr(name))
        if sizes[-1] < 0:
            raise invalid(f"{name} must be >= 0 not {sizes[-1]}")
    header, record, footer, hop = sizes
    if not (hop or record):
        raise invalid("record_bytes must be > 0 not 0, or reading would never end.")
    encoding = _compression(node, "encoding") if node.op.endswith("V2") else ""
    return _shared(node, fixed_length(header, record, footer, hop or record, encoding))


def _compression(node: KernelNode, attr: str) -> str:
    found: str = node.attr(attr).decode(errors="backslashreplace")
    if found not in ("", "ZLIB", "GZIP"):
        raise invalid(f"Unsupported {attr}: {found}")
    return found


def _shared(node: KernelNode, open_file: Open, is_whole: bool = False) -> Callable[[], Reader]:
    """The reader of the name that nodes share, or one of the node's own."""
    kind = node.op.removesuffix("V2")
    name = node.attr("shared_name").decode(errors="backslashreplace")
    if not name:
        # The kernel of a stateful node outlives plans, and so does its reader.
        own = Reader(kind, node.name, open_file, is_whole)
        return lambda: own
    container = node.attr("container").decode(errors="backslashreplace")
    find = node.resources.lookup_or_create

    def run() -> Reader:
        return find(container, name, Reader, lambda: Reader(kind, name, open_file, is_whole))

    return run


@kernel("ReaderReadV2", "ReaderRead", device="CPU", blocking=True)
def read(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(step: Waiter, done: Done, reader: Reader, queue: Any) -> None:
        reader.read(step, done, check_queue(queue), None)

    return run


@kernel("ReaderReadUpToV2", "ReaderReadUpTo", device="CPU", blocking=True)
def read_up_to(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(step: Waiter, done: Done, reader: Reader, queue: Any, count: Any) -> None:
        if np.ndim(count) or count < 0:
            raise invalid(
                f"num_records must be a scalar that is not negative, not {count} of shape "
                f"{shape_text(np.shape(count))}"
            )
        reader.read(step, done, check_queue(queue), int(count))

    return run


@kernel("ReaderNumRecordsProducedV2", "ReaderNumRecordsProduced", device="CPU")
def num_records_produced(node: KernelNode, xp: Any) -> Callable[[Reader], Any]:
    return lambda reader: np.int64(reader.state.produced)


@kernel("ReaderNumWorkUnitsCompletedV2", "ReaderNumWorkUnitsCompleted", device="CPU")
def num_work_units_completed(node: KernelNode, xp: Any) -> Callable[[Reader], Any]:
    return lambda reader: np.int64(reader.state.finished)


@kernel("ReaderSerializeStateV2", "ReaderSerializeState", device="CPU")
def serialize_state(node: KernelNode, xp: Any) -> Callable[[Reader], Any]:
    def run(reader: Reader) -> Any:
        _check_serializes(reader, "SerializeState")
        return np.array(reader.state.encoded(), object)

    return run


@kernel("ReaderRestoreStateV2", "ReaderRestoreState", device="CPU")
def restore_state(node: KernelNode, xp: Any) -> Callable[[Reader, Any], None]:
    def run(reader: Reader, state: Any) -> None:
        if np.ndim(state):
            raise invalid(
                "Reader state must be scalar, but had shape: " + shape_text(np.shape(state))
            )
        _check_serializes(reader, "RestoreState")
        data = state if isinstance(state, bytes) else np.asarray(state).item()
        whom = f"{reader.kind} '{reader.name}'"
        # One that cannot be read leaves the reader at its start.
        reader.put_at(ReaderState())
        try:
            found = ReaderState.decoded(data)
        except ValueError:
            text = data.decode(errors="backslashreplace")
            raise invalid(f"Could not parse state for {whom}: {text}") from None
        if found.started != found.finished:
            raise invalid(
                f"Inconsistent work started vs. finished when restoring in {whom}: "
                f"{found.started} vs. {found.finished}"
            )
        reader.put_at(found)

    return run


@kernel("ReaderResetV2", "ReaderReset", device="CPU")
def reset(node: KernelNode, xp: Any) -> Callable[[Reader], None]:
    return lambda reader: reader.put_at(ReaderState())


def _check_serializes(reader: Reader, what: str) -> None:
    if not reader.is_whole:
        raise UnimplementedError(None, None, f"Reader {what}")

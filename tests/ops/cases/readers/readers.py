"""Rows for readers and files."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from dataflow.records.framing import framed
from dataflow.values import dtypes
from tests.ops.nodes import imported, old_nodes
from tests.ops.program import Inputs, Program, Step, fails, fails_alike, infers, run

_FOLDER: Final = TemporaryDirectory()
_PATH: Final = _FOLDER.name + "/"
_NUMBERS: Final = bytes(range(23))
_FILES: Final = {
    "lines": b"one\r\ntwo\n\nthr\ree",
    "more": b"x\ny\n",
    "empty": b"",
    "numbers": _NUMBERS,
    "records": b"".join(map(framed, (b"a", b"bb", b""))),
    "damaged": framed(b"good") + b"\0" * 20,
    "zlib": zlib.compress(_NUMBERS),
    "zlib_records": zlib.compress(framed(b"deep") + framed(b"within")),
}
COUNTED: Final = (
    "ReaderReadV2 ReaderReadUpToV2 ReaderNumRecordsProducedV2 ReaderNumWorkUnitsCompletedV2 "
    "ReaderResetV2"
)
ALL: Final = f"{COUNTED} ReaderSerializeStateV2 ReaderRestoreStateV2"


def _files(tf: Any) -> Iterator[Step]:
    for name, contents in _FILES.items():
        yield run(tf.write_file(_PATH + name, tf.constant(contents)))


def _queue(tf: Any, *names: str) -> tuple[Any, Iterator[Step]]:
    queue = tf.FIFOQueue(9, tf.string, [[]])
    paths = [(_PATH + name).encode() for name in names]
    return queue, iter([run(queue.enqueue_many([paths])), run(queue.close())])


def _reads(make: Callable[[Any], Any], *names: str, tf: Any, times: int = 3) -> Iterator[Step]:
    """One by one and several at once, to the end; what is counted; back to the start."""
    for count in (None, 2):
        reader = make(tf)
        queue, filling = _queue(tf, *names)
        record = reader.read(queue) if count is None else reader.read_up_to(queue, count)
        counts = reader.num_records_produced(), reader.num_work_units_completed()
        yield infers(*record, *counts)
        yield from filling
        for _ in range(times if count is None else (times + 1) // 2):
            yield run(*record)
            yield run(*counts)
        if count is not None:
            yield run(*reader.read_up_to(queue, 0))
        yield run(reader.reset())
        yield run(*counts)


def _text(tf: Any, v: Inputs) -> Iterator[Step]:
    yield from _files(tf)
    names = "lines", "empty", "more"
    yield from _reads(lambda tf: tf.TextLineReader(), *names, tf=tf, times=6)
    yield from _reads(lambda tf: tf.TextLineReader(1), *names, tf=tf, times=4)
    reader, (queue, filling) = tf.TextLineReader(), _queue(tf, "lines", "none", "more")
    yield from filling
    yield run(*reader.read_up_to(queue, 9))
    yield fails("NotFoundError", "none; No such file or directory", *reader.read(queue))
    yield run(*reader.read(queue))
    yield run(*reader.read(queue))
    yield fails("OutOfRangeError", "is closed and has insufficient elements", *reader.read(queue))
    yield fails("UnimplementedError", "Reader SerializeState", reader.serialize_state())
    yield fails("UnimplementedError", "Reader RestoreState", reader.restore_state("ab"))


def _fixed_length(tf: Any, sizes: Any) -> Any:
    return tf.FixedLengthRecordReader(*sizes)


def _fixed(tf: Any, v: Inputs) -> Iterator[Step]:
    yield from _files(tf)

    def make(tf: Any, *sizes: Any) -> Any:
        return tf.FixedLengthRecordReader(*sizes)

    for sizes, times in (((5, 2, 1), 4), ((5, 2, 1, 3), 6), ((3, 0, 0, 7), 3), ((4, 1, 0, 2), 10)):
        yield from _reads(partial(_fixed_length, sizes=sizes), "numbers", tf=tf, times=times)
    deep = partial(make, tf, 5, 2, 1, None, None)
    yield from _reads(lambda tf: deep("ZLIB"), "zlib", tf=tf, times=4)
    reader, (queue, filling) = make(tf, 5, 2, 1), _queue(tf, "empty", "numbers")
    yield from filling
    yield fails("OutOfRangeError", "", *reader.read(queue))
    yield run(*reader.read(queue))
    for wrong, text in (((-1,), "record_bytes must be >= 0 not -1"), ((1, -2), "header_bytes")):
        yield fails("InvalidArgumentError", text, make(tf, *wrong).num_records_produced())


def _records(tf: Any, v: Inputs) -> Iterator[Step]:
    yield from _files(tf)
    yield from _reads(lambda tf: tf.TFRecordReader(), "records", "empty", "records", tf=tf, times=6)
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.ZLIB)

    def packed(tf: Any) -> Any:
        return tf.TFRecordReader(options=options)

    yield from _reads(packed, "zlib_records", tf=tf, times=2)
    reader, (queue, filling) = tf.TFRecordReader(), _queue(tf, "damaged", "records")
    yield from filling
    yield run(*reader.read(queue))
    for _ in range(2):
        yield fails("DataLossError", "corrupted record at 20", *reader.read(queue))


def _whole(tf: Any, v: Inputs) -> Iterator[Step]:
    yield from _files(tf)
    for kind in ("WholeFileReader", "IdentityReader"):

        def make(tf: Any, kind: str = kind) -> Any:
            return getattr(tf, kind)()

        yield from _reads(make, "lines", "empty", "more", tf=tf, times=3)
        reader, (queue, filling) = make(tf), _queue(tf, "lines", "more")
        yield from filling
        yield run(*reader.read(queue))
        state, other = reader.serialize_state(), make(tf)
        yield run(state)
        yield run(other.restore_state(state))
        yield run(other.num_records_produced(), other.num_work_units_completed())
        text = f"Could not parse state for {kind}"
        yield fails("InvalidArgumentError", text, other.restore_state(b"ab"))
        yield fails("InvalidArgumentError", "Inconsistent work", other.restore_state(b"\x08\x05"))


def _misused(tf: Any, v: Inputs) -> Iterator[Step]:
    reader = tf.IdentityReader()
    for queue, value, text in (
        (tf.FIFOQueue(9, tf.int32, [[]]), [1], "Expected queue with single string component"),
        (tf.FIFOQueue(9, tf.string, [[2]]), [["a", "b"]], "dequeue a one-element string tensor"),
        (tf.FIFOQueue(9, [tf.string] * 2), ["a", "b"], "Expected single component queue"),
    ):
        yield run(queue.enqueue(value))
        yield fails("InvalidArgumentError", text, *reader.read(queue))


def _old(tf: Any, v: Inputs) -> Iterator[Step]:
    yield from _files(tf)
    for kind in ("TextLineReader", "WholeFileReader", "TFRecordReader", "IdentityReader"):
        nodes = old_nodes()
        nodes.add("FIFOQueue", "queue", component_types=[dtypes.string], capacity=9)
        nodes.add("Placeholder", "name", dtype=dtypes.string)
        nodes.add("Placeholder", "n", dtype=dtypes.int64)
        nodes.add("QueueEnqueue", "enqueue", ["queue", "name"], Tcomponents=[dtypes.string])
        nodes.add(kind, "reader")
        nodes.add("ReaderRead", "read", ["reader", "queue"])
        nodes.add("ReaderReadUpTo", "many", ["reader", "queue", "n"])
        nodes.add("ReaderNumRecordsProduced", "produced", ["reader"])
        nodes.add("ReaderNumWorkUnitsCompleted", "completed", ["reader"])
        nodes.add("ReaderSerializeState", "state", ["reader"])
        nodes.add("ReaderRestoreState", "restore", ["reader", "name"])
        nodes.add("ReaderReset", "reset", ["reader"])
        name = _PATH + ("records" if kind == "TFRecordReader" else "numbers")
        made = imported(tf, nodes, name=v.known(name.encode(), object), n=v.known(2, np.int64))
        yield run(made["enqueue"])
        yield run(made["enqueue"])
        yield run(*made["read"].outputs)
        yield run(*made["many"].outputs)
        yield run(made["produced"].outputs[0], made["completed"].outputs[0])
        yield fails_alike(made["restore"])
        if kind in ("WholeFileReader", "IdentityReader"):
            yield run(made["state"].outputs[0])
        yield run(made["reset"])
        yield run(made["produced"].outputs[0])


def _old_fixed(tf: Any, v: Inputs) -> Iterator[Step]:
    """TensorFlow itself has no kernel any more that takes this node."""
    nodes = old_nodes()
    nodes.add("FixedLengthRecordReader", "reader", record_bytes=3)
    yield infers(imported(tf, nodes)["reader"].outputs[0])


def _as_a_whole(tf: Any, v: Inputs) -> Iterator[Step]:
    yield from _files(tf)
    deep = _PATH + "new/folder/file"
    yield run(tf.write_file(deep, v.known(b"deep", object)))
    pattern = v.fed(np.array([_PATH + "e*", _PATH + "[lm]?*", _PATH + "n[!x]*/*"], object))
    found, text = tf.matching_files(pattern), tf.read_file(v.fed(deep.encode(), object))
    yield infers(found, text)
    yield run(found)
    yield run(text)
    yield run(tf.matching_files(v.known(b"/nobody/*", object)))
    yield fails("NotFoundError", "nobody; No such file", tf.read_file(_PATH + "nobody"))
    yield fails("FailedPreconditionError", "Is a directory", tf.write_file(_PATH + "new", "x"))
    two = v.hidden(np.array([b"a", b"b"], object))
    yield fails("InvalidArgumentError", r"must be scalar, but .*\[2\]", tf.read_file(two))
    yield fails("InvalidArgumentError", r"must be scalar, but .*\[2\]", tf.write_file(two, "a"))


STRINGS = ("string",)
PROGRAMS = [
    Program(f"TextLineReaderV2 {ALL}", _text, STRINGS),
    Program(f"FixedLengthRecordReaderV2 {COUNTED}", _fixed, STRINGS),
    Program(f"TFRecordReaderV2 {COUNTED}", _records, STRINGS),
    Program(f"WholeFileReaderV2 IdentityReaderV2 {ALL}", _whole, STRINGS),
    Program("IdentityReaderV2 ReaderReadV2", _misused, STRINGS),
    Program(
        "TextLineReader WholeFileReader TFRecordReader IdentityReader " + ALL.replace("V2", ""),
        _old,
        STRINGS,
    ),
    Program("FixedLengthRecordReader", _old_fixed, STRINGS),
    Program("ReadFile WriteFile MatchingFiles", _as_a_whole, STRINGS),
]

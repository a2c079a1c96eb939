"""Rows for records of many files in random order: what an epoch has, as the order is free."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any, Final

import dataflow
from dataflow.porting.spellings.ops import data_flow
from dataflow.records.framing import framed
from tests.ops.program import Inputs, Program, Step, fails, infers, run

_FOLDER: Final = TemporaryDirectory()
_PATH: Final = _FOLDER.name + "/"


def _input(tf: Any, *arguments: Any, **options: Any) -> Any:
    if tf is dataflow:
        return data_flow.RecordInput(*arguments, **options).get_yield_op()
    from tensorflow.python.ops.data_flow_ops import RecordInput

    return RecordInput(*arguments, **options).get_yield_op()


def _epochs(tf: Any, v: Inputs) -> Iterator[Step]:
    for number in range(3):
        records = b"".join(framed(b"%d" % 2 ** (2 * number + k)) for k in range(2))
        yield run(tf.write_file(f"{_PATH}r{number}", tf.constant(records)))
    options = {"buffer_size": 4, "parallelism": 1, "shift_ratio": 0.33, "seed": 7}
    whole = _input(tf, _PATH + "r*", batch_size=6, name="whole", **options)
    yield infers(whole)
    total = tf.reduce_sum(tf.string_to_number(whole))
    for _ in range(3):
        yield run(total)
    parts = _input(tf, _PATH + "r*", batch_size=2, name="parts", batches=3, **options)
    yield infers(*parts[0], *parts[2])
    flat = [tf.string_to_number(part) for batch in parts for part in batch]
    yield run(tf.add_n(flat))
    yield run(tf.raw_ops.RecordInput(file_pattern=_PATH + "r*", batch_size=0))
    yield run(tf.write_file(_PATH + "bad", tf.constant(b"x" * 40)))
    for pattern, error, text in (
        ("none*", "NotFoundError", "Found no files at "),
        ("bad", "DataLossError", "corrupted record at 0"),
    ):
        made = tf.raw_ops.RecordInput(file_pattern=_PATH + pattern)
        yield fails(error, text, made)


PROGRAMS = [Program("RecordInput", _epochs, ("float32",))]

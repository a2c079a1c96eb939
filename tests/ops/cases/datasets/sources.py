"""Rows for datasets of tensors, numbers and files."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.datasets.pulling import numbers, pulled
from tests.ops.program import Inputs, Program, Step, fails, infers, run

ONE = ("float32",)
REFUSED = "InvalidArgumentError"
_FOLDER = tempfile.mkdtemp(prefix="rows_of_datasets")
_TEXT = os.path.join(_FOLDER, "text")
_ZIPPED = os.path.join(_FOLDER, "text.gz")
_TABLE = os.path.join(_FOLDER, "table.csv")
_RECORDS = os.path.join(_FOLDER, "records")


def _write() -> None:
    from dataflow.python_io import TFRecordWriter

    with open(_TEXT, "wb") as file:
        file.write(b"one\ntwo\r\n\nfour")
    with gzip.open(_ZIPPED, "wb") as zipped:
        zipped.write(b"a\nb\n")
    with open(_TABLE, "wb") as file:
        file.write(b'n,s,x\n1,"a ""b"",c",2.5\n-7,,1e3\n,"two\nlines",0\n')
    with TFRecordWriter(_RECORDS) as writer:
        for record in (b"first", b"", b"third"):
            writer.write(record)


_write()


def _tensors(tf: Any, v: Inputs) -> Iterator[Step]:
    value = v.known(v.any(3, 2))
    text = v.known([[b"a"], [b"b"], [b"c"]], object)
    types = [v.element, tf.string]
    yield from pulled(
        tf,
        tf.raw_ops.TensorDataset(components=[value, text], output_shapes=[[3, 2], [3, 1]]),
        1,
        types,
    )
    yield from pulled(
        tf,
        tf.raw_ops.TensorSliceDataset(components=[value, text], output_shapes=[[2], [1]]),
        3,
        types,
    )
    ragged = tf.raw_ops.TensorSliceDataset(
        components=[value, v.hidden([1, 2], np.int32)], output_shapes=[[2], []]
    )
    iterator = tf.raw_ops.IteratorV2(
        shared_name="", container="", output_types=[v.element, tf.int32], output_shapes=[[2], []]
    )
    yield fails(
        REFUSED,
        "the same size in the 0th dimension|same size in the 0th",
        tf.raw_ops.MakeIterator(dataset=ragged, iterator=iterator),
    )


def _listed(tf: Any, v: Inputs) -> Iterator[Step]:
    tensors = [
        v.known(1, np.int64),
        v.known(b"a", object),
        v.known(2, np.int64),
        v.known(b"b", object),
    ]
    made = tf.raw_ops.ListDataset(
        tensors=tensors, output_types=[tf.int64, tf.string], output_shapes=[[], []]
    )
    yield from pulled(tf, made, 2, [tf.int64, tf.string])


def _sparse(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.raw_ops.SparseTensorSliceDataset(
        indices=v.known([[0, 1], [2, 0], [2, 2]], np.int64),
        values=v.known(v.any(3)),
        dense_shape=v.known([4, 3], np.int64),
    )
    yield from pulled(tf, made, 4, [tf.int64, v.element, tf.int64])


def _numbers(tf: Any, v: Inputs) -> Iterator[Step]:
    yield from pulled(tf, numbers(tf, 3), 3)
    made = tf.raw_ops.RangeDataset(
        start=v.known(7, np.int64),
        stop=v.known(-2, np.int64),
        step=v.known(-4, np.int64),
        output_types=[tf.float32],
        output_shapes=[[]],
    )
    yield from pulled(tf, made, 3, [tf.float32])


def _random(tf: Any, v: Inputs) -> Iterator[Step]:
    for op in (tf.raw_ops.RandomDataset, tf.raw_ops.ExperimentalRandomDataset):
        drawn = op(seed=np.int64(5), seed2=np.int64(8), output_types=[tf.int64], output_shapes=[[]])
        few = tf.raw_ops.TakeDataset(
            input_dataset=drawn, count=np.int64(6), output_types=[tf.int64], output_shapes=[[]]
        )
        yield from pulled(tf, few, 6)


def _lines(tf: Any, v: Inputs) -> Iterator[Step]:
    def lines(name: Any, compression: str) -> Any:
        return tf.raw_ops.TextLineDataset(
            filenames=name, compression_type=compression, buffer_size=np.int64(0)
        )

    yield from pulled(tf, lines([_TEXT, _TEXT], ""), 8, [tf.string])
    yield from pulled(tf, lines(_ZIPPED, "GZIP"), 2, [tf.string])


def _records(tf: Any, v: Inputs) -> Iterator[Step]:
    given = {"filenames": [_RECORDS], "compression_type": "", "buffer_size": np.int64(100)}
    yield from pulled(tf, tf.raw_ops.TFRecordDataset(**given), 3, [tf.string])
    placed = tf.raw_ops.TFRecordDatasetV2(**given, byte_offsets=np.array([21], np.int64))
    yield from pulled(tf, placed, 2, [tf.string])


def _fixed(tf: Any, v: Inputs) -> Iterator[Step]:
    sizes = {
        "header_bytes": np.int64(2),
        "record_bytes": np.int64(3),
        "footer_bytes": np.int64(3),
        "buffer_size": np.int64(0),
    }
    made = tf.raw_ops.FixedLengthRecordDataset(filenames=[_TEXT], **sizes)
    yield from pulled(tf, made, 3, [tf.string])
    newer = tf.raw_ops.FixedLengthRecordDatasetV2(filenames=[_TEXT], compression_type="", **sizes)
    yield from pulled(tf, newer, 3, [tf.string])


def _names(tf: Any, v: Inputs) -> Iterator[Step]:
    patterns = [os.path.join(_FOLDER, "te*"), os.path.join(_FOLDER, "*.gz")]
    yield run(tf.raw_ops.MatchingFiles(pattern=patterns))
    yield infers(tf.raw_ops.MatchingFiles(pattern=patterns))
    for op in (tf.raw_ops.MatchingFilesDataset, tf.raw_ops.ExperimentalMatchingFilesDataset):
        yield from pulled(tf, op(patterns=patterns), 3, [tf.string])


def _tables(tf: Any, v: Inputs) -> Iterator[Step]:
    given = {
        "filenames": [_TABLE],
        "compression_type": "",
        "buffer_size": np.int64(100),
        "header": True,
        "field_delim": ",",
        "use_quote_delim": True,
        "na_value": "",
        "select_cols": np.zeros(0, np.int64),
        "record_defaults": [
            np.array([9], np.int32),
            np.array([b"none"], object),
            np.zeros(1, np.float32),
        ],
        "output_shapes": [[], [], []],
    }
    types = [tf.int32, tf.string, tf.float32]
    yield from pulled(tf, tf.raw_ops.CSVDataset(**given), 3, types)
    yield from pulled(tf, tf.raw_ops.ExperimentalCSVDataset(**given), 3, types)
    some = {**given, "select_cols": np.array([1], np.int64), "output_shapes": [[]]}
    some["record_defaults"] = given["record_defaults"][1:2]  # type: ignore[index]
    yield from pulled(tf, tf.raw_ops.CSVDataset(**some), 3, [tf.string])
    left = {**given, "exclude_cols": np.array([0, 1], np.int64), "output_shapes": [[]]}
    left["record_defaults"] = given["record_defaults"][2:]  # type: ignore[index]
    yield from pulled(tf, tf.raw_ops.CSVDatasetV2(**left), 3, [tf.float32])


PROGRAMS = [
    Program("TensorDataset TensorSliceDataset", _tensors, ONE),
    Program("ListDataset", _listed, ONE),
    Program("SparseTensorSliceDataset", _sparse, ONE),
    Program("RangeDataset", _numbers, ONE),
    Program("RandomDataset ExperimentalRandomDataset", _random, ONE),
    Program("TextLineDataset", _lines, ONE),
    Program("TFRecordDataset TFRecordDatasetV2", _records, ONE),
    Program("FixedLengthRecordDataset FixedLengthRecordDatasetV2", _fixed, ONE),
    Program("MatchingFiles MatchingFilesDataset ExperimentalMatchingFilesDataset", _names, ONE),
    Program("CSVDataset CSVDatasetV2 ExperimentalCSVDataset", _tables, ONE),
]

"""Pipelines that read files, whose elements are compared with TensorFlow's."""

from __future__ import annotations

import gzip
import os
import tempfile
import zlib
from typing import Any

from dataflow.python_io import TFRecordWriter

_FOLDER = tempfile.mkdtemp(prefix="file_pipelines")


def _path(name: str, content: bytes = b"") -> str:
    path = os.path.join(_FOLDER, name)
    if content:
        with open(path, "wb") as file:
            file.write(content)
    return path


_LINES = [_path(f"lines{i}", b"a%d\nb\r\n\nc" % i) for i in range(3)]
PACKED = _path("lines.gz", gzip.compress(b"x\ny\n"))
_SQUEEZED = _path("lines.z", zlib.compress(b"u\nv"))
_TABLE = _path("table.csv", b'n,s,x\n1,"a ""b"",c",2.5\n-7,,1e3\n3,"two\nlines",0\n8,t,NA\n')
_BAD = _path("bad.csv", b'1,2\n1\nx,2\n5,6,7\n9,"10"\n')
_CUT = _path("cut", b"")
_RECORDS = [_path(f"records{i}") for i in range(2)]


def _write() -> None:
    for number, name in enumerate(_RECORDS):
        with TFRecordWriter(name) as writer:
            for i in range(3):
                writer.write(b"%d-%d" % (number, i))
    with open(_RECORDS[0], "rb") as whole, open(_CUT, "wb") as cut:
        cut.write(whole.read()[:-3])


_write()


def lines(tf: Any) -> Any:
    return tf.data.TextLineDataset(_LINES)


def lines_in_functions(tf: Any) -> Any:
    return tf.data.TextLineDataset(_LINES).map(lambda line: tf.stack([line, line]))


def records_in_functions(tf: Any) -> Any:
    D = tf.data.Dataset
    records = tf.data.TFRecordDataset(_RECORDS)
    return records.flat_map(lambda record: D.from_tensors(tf.reshape(record, [1])))


def packed_lines(tf: Any) -> Any:
    D = tf.data.TextLineDataset
    return D(PACKED, "GZIP").concatenate(D([_SQUEEZED], compression_type="ZLIB"))


def lines_of_a_dataset(tf: Any) -> Any:
    return tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(_LINES[::-1]))


def lines_that_are_not_there(tf: Any) -> Any:
    return tf.data.TextLineDataset([_LINES[0], _path("missing"), _LINES[1]])


def lines_of_an_unknown_compression(tf: Any) -> Any:
    return tf.data.TextLineDataset(_LINES, compression_type="LZMA")


def records(tf: Any) -> Any:
    return tf.data.TFRecordDataset(_RECORDS)


def records_in_parallel(tf: Any) -> Any:
    return tf.data.TFRecordDataset(_RECORDS, num_parallel_reads=2)


def records_that_are_cut(tf: Any) -> Any:
    return tf.data.TFRecordDataset([_CUT, _RECORDS[1]])


def records_of_one_length(tf: Any) -> Any:
    return tf.data.FixedLengthRecordDataset(_LINES, 2, header_bytes=1, footer_bytes=1)


def packed_records_of_one_length(tf: Any) -> Any:
    return tf.data.FixedLengthRecordDataset(PACKED, 2, compression_type="GZIP")


def names(tf: Any) -> Any:
    return tf.data.Dataset.list_files(os.path.join(_FOLDER, "lines?"), shuffle=False)


def shuffled_names(tf: Any) -> Any:
    patterns = [os.path.join(_FOLDER, "lines?"), os.path.join(_FOLDER, "rec*")]
    return tf.data.Dataset.list_files(patterns, seed=3)


def names_of_an_unknown_pattern(tf: Any) -> Any:
    pattern = tf.placeholder_with_default(os.path.join(_FOLDER, "lines?"), None)
    return tf.data.Dataset.list_files(pattern, shuffle=False)


def no_names(tf: Any) -> Any:
    return tf.data.Dataset.list_files(os.path.join(_FOLDER, "nothing*"))


def table(tf: Any) -> Any:
    return tf.data.experimental.CsvDataset(
        _TABLE, [tf.int64, [""], [-1.0]], header=True, na_value="NA"
    )


def columns_of_a_table(tf: Any) -> Any:
    return tf.data.experimental.CsvDataset(
        [_TABLE], [tf.string, tf.int32], header=True, select_cols=[0, 1]
    )


def bad_table(tf: Any) -> Any:
    return tf.data.experimental.CsvDataset(_BAD, [tf.int32, tf.int32])


def named_table(tf: Any) -> Any:
    return tf.data.experimental.make_csv_dataset(
        _TABLE, 3, label_name="n", num_epochs=2, shuffle=False, na_value="NA"
    )


def named_and_shuffled_table(tf: Any) -> Any:
    return tf.data.experimental.make_csv_dataset(
        _TABLE,
        2,
        column_names=["a", "b", "c"],
        column_defaults=[tf.int32, "none", 0.5],
        select_columns=["a", "b", "c"],
        num_epochs=3,
        shuffle_seed=4,
        na_value="NA",
    )


PIPELINES = [
    value
    for name, value in dict(globals()).items()
    if callable(value) and value.__module__ == __name__ and not name.startswith("_")
]

"""Rows for datasets of the rows of a database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.ops.program import Inputs, Program, Step, fails, infers, run

ONE = ("float32",)
_FOLDER: Final = TemporaryDirectory()
_FILE: Final = f"{_FOLDER.name}/rows of ?.db"
_COLUMNS: Final = "create table t (a integer, b real, c text, d blob)"
_ROWS: Final = (
    "(1, 2.5, 'x', x'00ff')",
    "(null, null, null, null)",
    "(' 7abc', ' -3.5e1x', 4, 300)",
    "(5000000000, 1e300, 'yy', 1.0)",
    "(-9.75, 'none', '12', -2)",
)


def _filled() -> None:
    with sqlite3.connect(_FILE) as connection:
        connection.execute(_COLUMNS)
        connection.execute(f"insert into t values {', '.join(_ROWS)}")
    connection.close()


def _rows(tf: Any, v: Inputs) -> Iterator[Step]:
    """Each type of a column, as each type of a component."""
    types = [tf.string, tf.bool, tf.float64, tf.int64, tf.int32, tf.int16, tf.int8]
    types += [tf.uint8, tf.uint16]
    for op in (tf.raw_ops.SqlDataset, tf.raw_ops.ExperimentalSqlDataset):
        for column in "abcd":
            attrs = {"output_types": types, "output_shapes": [[]] * len(types)}
            dataset = op(
                driver_name="sqlite",
                data_source_name=_FILE,
                query=f"select {', '.join(column * len(types))} from t",
                **attrs,
            )
            iterator = tf.raw_ops.IteratorV2(shared_name="", container="", **attrs)
            following = tf.raw_ops.IteratorGetNext(iterator=iterator, **attrs)
            yield infers(*following)
            yield run(tf.raw_ops.MakeIterator(dataset=dataset, iterator=iterator))
            for _ in _ROWS:
                yield run(*following)
            yield fails("OutOfRangeError", "End of sequence", *following)


def _refused(tf: Any, v: Inputs) -> Iterator[Step]:
    make = tf.data.experimental.SqlDataset
    for dataset, error, text in (
        (make("sqlite", _FILE, "select a, b from t", (tf.int32,)), "InvalidArgumentError",
         r"columns in query \(2\) must match the number of elements in output_types \(1\)"),
        (make("sqlite", _FILE, "insert into t (a) values (7)", (tf.int32,)), "InvalidArgumentError",
         r"columns in query \(0\) must match the number of elements in output_types \(1\)"),
        (make("sqlite", _FILE, "select nope from t", (tf.int32,)), "UnknownError",
         r"Prepare\(\) failed: \[1\] no such column: nope: select nope from t"),
    ):  # fmt: skip
        iterator = tf.data.make_initializable_iterator(dataset)
        yield run(iterator.initializer)
        yield fails(error, text, *iterator.get_next())
    for dataset, text in (
        (make("mysql", _FILE, "select a from t", (tf.int32,)), "The database type, mysql, is not"),
        (make("sqlite", _FILE, "select a from t", (tf.float32,)), "Each element of `output_types"),
    ):
        iterator = tf.data.make_initializable_iterator(dataset)
        yield fails("InvalidArgumentError", text, iterator.initializer)


_filled()
PROGRAMS = [
    Program("SqlDataset ExperimentalSqlDataset", _rows, ONE),
    Program("SqlDataset", _refused, ONE),
]

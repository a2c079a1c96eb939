"""Rows for what takes all elements out of a dataset, and for datasets of examples."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.datasets.pulling import numbers, pulled
from tests.ops.program import Inputs, Program, Step, fails, run

ONE = ("float32",)
REFUSED = "InvalidArgumentError"


def _strings(tf: Any, *rows: Any) -> Any:
    components = np.array(rows, object)
    shape = list(components.shape[1:])
    return tf.raw_ops.TensorSliceDataset(components=[components], output_shapes=[shape])


def _written(tf: Any, v: Inputs) -> Iterator[Step]:
    folder = tempfile.mkdtemp(prefix="rows_of_drains")
    for op in ("DatasetToTFRecord", "ExperimentalDatasetToTFRecord"):
        for compression in ("", "GZIP"):
            path = os.path.join(folder, op + compression)
            write = getattr(tf.raw_ops, op)(
                input_dataset=_strings(tf, b"a", b"", b"bc"),
                filename=path,
                compression_type=compression,
            )
            yield run(write)
            read = tf.raw_ops.TFRecordDataset(
                filenames=path, compression_type=compression, buffer_size=np.int64(0)
            )
            yield from pulled(tf, read, 3, [tf.string], [[]])
    wrong = tf.raw_ops.DatasetToTFRecord(
        input_dataset=_strings(tf, b"a"),
        filename=os.path.join(folder, "none", "file"),
        compression_type="",
    )
    yield fails("NotFoundError", "No such file or directory", wrong)


def _filled(tf: Any, v: Inputs) -> Iterator[Step]:
    table = tf.raw_ops.HashTableV2(
        key_dtype=tf.int64, value_dtype=tf.int64, shared_name="rows_of_drains"
    )
    pairs = tf.raw_ops.ZipDataset(
        input_datasets=[numbers(tf, 3), numbers(tf, 9, 5)],
        output_types=[tf.int64, tf.int64],
        output_shapes=[[], []],
    )
    yield run(tf.raw_ops.InitializeTableFromDataset(table_handle=table, dataset=pairs))
    keys = v.known([2, 0, 7], np.int64)
    yield run(
        tf.raw_ops.LookupTableFindV2(table_handle=table, keys=keys, default_value=np.int64(-1)),
        tf.raw_ops.LookupTableSizeV2(table_handle=table),
    )


def _example(tf: Any, **features: Any) -> bytes:
    made = tf.train.Example()
    for key, values in features.items():
        kinds = {bytes: "bytes_list", float: "float_list", int: "int64_list"}
        kind = kinds[type(values[0])]
        getattr(made.features.feature[key], kind).value.extend(values)
    data: bytes = made.SerializeToString()
    return data


def _parsed(tf: Any, v: Inputs) -> Iterator[Step]:
    """Features come in the order of their keys, whatever they become."""
    rows = [
        [_example(tf, a=[1, 2], c=[b"x", b"y"], b=[0.5]), _example(tf, a=[3, 4], b=[1.5, 2.5])],
        [_example(tf, c=[b"z"]), _example(tf, a=[5, 6])],
    ]
    for op in ("ParseExampleDataset", "ParseExampleDatasetV2", "ExperimentalParseExampleDataset"):
        ragged = op != "ExperimentalParseExampleDataset"
        keys: dict[str, Any] = {"sparse_keys": ["b"], "sparse_types": [tf.float32]}
        if ragged:
            keys.update(
                ragged_keys=["c"], ragged_value_types=[tf.string], ragged_split_types=[tf.int32]
            )
        types = [tf.int64, tf.variant] + [tf.variant] * ragged
        shapes = [[None, 2], None] + [None] * ragged
        given = {
            "num_parallel_calls": np.int64(1),
            "dense_defaults": [np.array([7, 8], np.int64)],
            "dense_keys": ["a"],
            "dense_shapes": [[2]],
            **keys,
        }
        made = getattr(tf.raw_ops, op)(
            input_dataset=_strings(tf, *rows), output_types=types, output_shapes=shapes, **given
        )
        iterator = tf.raw_ops.IteratorV2(
            shared_name="", container="", output_types=types, output_shapes=shapes
        )
        yield run(tf.raw_ops.MakeIterator(dataset=made, iterator=iterator))
        found = tf.raw_ops.IteratorGetNext(
            iterator=iterator, output_types=types, output_shapes=shapes
        )
        outputs = [found[0]]
        outputs += tf.raw_ops.DeserializeSparse(serialized_sparse=found[1], dtype=tf.float32)
        if ragged:
            splits, values = tf.raw_ops.RaggedTensorFromVariant(
                encoded_ragged=found[2],
                input_ragged_rank=1,
                output_ragged_rank=1,
                Tvalues=tf.string,
                Tsplits=tf.int32,
            )
            outputs += [*splits, values]
        for _ in rows:
            yield run(*outputs)
        yield fails("OutOfRangeError", "End of sequence", *outputs)
        bad = getattr(tf.raw_ops, op)(
            input_dataset=_strings(tf, *rows),
            output_types=types,
            output_shapes=shapes,
            **{**given, "num_parallel_calls": np.int64(0)},
        )
        yield fails(
            REFUSED,
            "num_parallel_calls must be greater than zero",
            tf.raw_ops.MakeIterator(dataset=bad, iterator=iterator),
        )


PROGRAMS = [
    Program("DatasetToTFRecord ExperimentalDatasetToTFRecord", _written, ONE),
    Program("InitializeTableFromDataset", _filled, ONE),
    Program(
        "ParseExampleDataset ParseExampleDatasetV2 ExperimentalParseExampleDataset", _parsed, ONE
    ),
]

"""Rows for datasets whose elements are several of another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.datasets.pulling import alike, numbers, pulled
from tests.ops.program import Inputs, Program, Step, run

ONE = ("float32",)


def _stacked(tf: Any, v: Inputs) -> Iterator[Step]:
    source, size = numbers(tf, 7), np.int64(3)
    made = tf.raw_ops.BatchDataset(input_dataset=source, batch_size=size, **alike(tf, [None]))
    yield from pulled(tf, made, 3)
    whole = tf.raw_ops.BatchDatasetV2(
        input_dataset=source, batch_size=size, drop_remainder=True, **alike(tf, [3])
    )
    yield from pulled(tf, whole, 2)
    for op in (tf.raw_ops.UnbatchDataset, tf.raw_ops.ExperimentalUnbatchDataset):
        yield from pulled(tf, op(input_dataset=whole, **alike(tf)), 6)


def _padded(tf: Any, v: Inputs) -> Iterator[Step]:
    source = tf.raw_ops.BatchDataset(
        input_dataset=numbers(tf, 8), batch_size=np.int64(3), **alike(tf, [None])
    )
    given = {
        "input_dataset": source,
        "batch_size": np.int64(2),
        "padded_shapes": [np.array([4], np.int64)],
        "padding_values": [np.int64(-1)],
        "output_shapes": [[None, 4]],
    }
    yield from pulled(tf, tf.raw_ops.PaddedBatchDataset(**given), 2)
    yield from pulled(tf, tf.raw_ops.PaddedBatchDatasetV2(**given, drop_remainder=True), 1)


def _sparse(tf: Any, v: Inputs) -> Iterator[Step]:
    source = tf.raw_ops.BatchDatasetV2(
        input_dataset=numbers(tf, 8),
        batch_size=np.int64(3),
        drop_remainder=False,
        **alike(tf, [None]),
    )
    for op in ("DenseToSparseBatchDataset", "ExperimentalDenseToSparseBatchDataset"):
        made = getattr(tf.raw_ops, op)(
            input_dataset=source,
            batch_size=np.int64(2),
            row_shape=np.array([5], np.int64),
            output_types=[tf.variant],
            output_shapes=[None],
        )
        iterator = tf.raw_ops.IteratorV2(
            shared_name="", container="", output_types=[tf.variant], output_shapes=[None]
        )
        yield run(tf.raw_ops.MakeIterator(dataset=made, iterator=iterator))
        (kept,) = tf.raw_ops.IteratorGetNext(
            iterator=iterator, output_types=[tf.variant], output_shapes=[None]
        )
        yield run(*tf.raw_ops.DeserializeSparse(serialized_sparse=kept, dtype=tf.int64))


def _windows(tf: Any, v: Inputs) -> Iterator[Step]:
    for op in (tf.raw_ops.SlidingWindowDataset, tf.raw_ops.ExperimentalSlidingWindowDataset):
        made = op(
            input_dataset=numbers(tf, 9),
            window_size=np.int64(3),
            window_shift=np.int64(2),
            window_stride=np.int64(2),
            **alike(tf, [None]),
        )
        yield from pulled(tf, made, 3)
    apart = tf.raw_ops.WindowDataset(
        input_dataset=numbers(tf, 5),
        size=np.int64(2),
        shift=np.int64(3),
        stride=np.int64(1),
        drop_remainder=False,
        output_types=[tf.variant],
        output_shapes=[[]],
    )
    yield run(tf.raw_ops.DatasetCardinality(input_dataset=apart))


def _serialized(tf: Any, v: Inputs) -> Iterator[Step]:
    parts = {
        "sparse_indices": v.known([[0, 1], [0, 3], [2, 2]], np.int64),
        "sparse_values": v.known(v.any(3)),
        "sparse_shape": v.known([3, 4], np.int64),
    }
    for kind in (tf.string, tf.variant):
        whole = tf.raw_ops.SerializeSparse(**parts, out_type=kind)
        rows = tf.raw_ops.SerializeManySparse(**parts, out_type=kind)
        for kept in (whole, rows, rows[2], tf.stack([whole, whole])):
            yield run(*tf.raw_ops.DeserializeSparse(serialized_sparse=kept, dtype=v.element))
    yield run(tf.raw_ops.SerializeSparse(**parts, out_type=tf.string))


PROGRAMS = [
    Program("BatchDataset BatchDatasetV2 UnbatchDataset ExperimentalUnbatchDataset", _stacked, ONE),
    Program("PaddedBatchDataset PaddedBatchDatasetV2", _padded, ONE),
    Program("DenseToSparseBatchDataset ExperimentalDenseToSparseBatchDataset", _sparse, ONE),
    Program("SlidingWindowDataset ExperimentalSlidingWindowDataset WindowDataset", _windows, ONE),
    Program("SerializeSparse SerializeManySparse DeserializeSparse", _serialized, ONE),
]

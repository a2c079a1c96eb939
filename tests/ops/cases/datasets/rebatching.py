"""Rows for datasets whose batches have other sizes than those of another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.datasets.pulling import alike, numbers, pulled
from tests.ops.program import Inputs, Program, Step, fails, infers, run

ONE = ("float32",)
REFUSED = "InvalidArgumentError"


def _uneven(tf: Any, *sizes: int) -> Any:
    """Batches of these sizes of numbers that rise."""
    made: Any = None
    start = 0
    for size in sizes:
        batch = tf.data.Dataset.from_tensors(np.arange(start, start + size, dtype=np.int64))
        made, start = batch if made is None else made.concatenate(batch), start + size
    return made._variant_tensor


def _turns(tf: Any, v: Inputs) -> Iterator[Step]:
    for given, sizes, drops, count in (
        ((4, 4, 2), [3], False, 4),
        ((4, 4, 2), [3], True, 3),
        ((1, 1, 7), [2, 1], False, 6),
        ((1, 1, 7), [2, 0], True, 8),
        ((4, 0, 4), [5], False, 2),
        ((4, 0, 4), 2, False, 4),
    ):
        made = tf.raw_ops.RebatchDatasetV2(
            input_dataset=_uneven(tf, *given),
            batch_sizes=np.array(sizes, np.int64),
            drop_remainder=drops,
            **alike(tf, [None]),
        )
        yield from pulled(tf, made, count)
    yield from _scalars_fail(
        tf,
        tf.raw_ops.RebatchDatasetV2(
            input_dataset=numbers(tf, 3),
            batch_sizes=np.array([2], np.int64),
            drop_remainder=False,
            **alike(tf, [None]),
        ),
    )


def _scalars_fail(tf: Any, dataset: Any) -> Iterator[Step]:
    iterator = tf.raw_ops.IteratorV2(shared_name="", container="", **alike(tf, [None]))
    yield run(tf.raw_ops.MakeIterator(dataset=dataset, iterator=iterator))
    following = tf.raw_ops.IteratorGetNext(iterator=iterator, **alike(tf, [None]))
    yield fails(REFUSED, "must have a non-scalar value in each component", *following)


def _replicas(tf: Any, v: Inputs) -> Iterator[Step]:
    for op in (tf.raw_ops.RebatchDataset, tf.raw_ops.ExperimentalRebatchDataset):
        for replicas in (1, 3):
            source = _uneven(tf, 4, 5, 2)
            made = op(input_dataset=source, num_replicas=np.int64(replicas), **alike(tf, [None]))
            yield from pulled(tf, made, 3 * replicas)
        none = op(input_dataset=source, num_replicas=np.int64(0), **alike(tf, [None]))
        counted = tf.raw_ops.DatasetCardinality(input_dataset=none)
        yield fails(REFUSED, "num_replicas must be greater than zero", counted)


def _in_parallel(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.raw_ops.ParallelBatchDataset(
        input_dataset=numbers(tf, 7),
        batch_size=np.int64(3),
        num_parallel_calls=np.int64(2),
        drop_remainder=False,
        **alike(tf, [None]),
    )
    yield from pulled(tf, made, 3)


def _method(tf: Any, v: Inputs) -> Iterator[Step]:
    """Static sizes, and several components."""
    pairs = tf.data.Dataset.range(12).map(lambda x: (x, tf.fill([2], x)))
    for size, drops in ((2, False), (5, False), (5, True), ([2, 2], False), ([2, 1], True)):
        made = pairs.batch(4, drop_remainder=True).rebatch(size, drop_remainder=drops)
        iterator = tf.data.make_initializable_iterator(made)
        following = iterator.get_next()
        yield infers(*following)
        yield run(iterator.initializer)
        yield run(*following)
        yield run(*following)


PROGRAMS = [
    Program("RebatchDatasetV2", _turns, ONE),
    Program("RebatchDataset ExperimentalRebatchDataset", _replicas, ONE),
    Program("ParallelBatchDataset", _in_parallel, ONE),
    Program("RebatchDatasetV2", _method, ONE),
]

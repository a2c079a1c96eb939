"""Rows for datasets with the elements of others."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.datasets.pulling import alike, numbers, pulled
from tests.ops.program import Inputs, Program, Step, fails, run

ONE = ("float32",)


def _counted(tf: Any, v: Inputs) -> Iterator[Step]:
    for op, counts in (
        ("TakeDataset", {2: 2, 0: 0, -1: 4, 9: 4}),
        ("SkipDataset", {1: 3, 0: 4, -1: 0}),
        ("RepeatDataset", {2: 8, 0: 0}),
    ):
        for count, there in counts.items():
            made = getattr(tf.raw_ops, op)(
                input_dataset=numbers(tf, 4), count=v.known(count, np.int64), **alike(tf)
            )
            yield from pulled(tf, made, there)
            yield run(tf.raw_ops.DatasetCardinality(input_dataset=made))


def _sharded(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.raw_ops.ShardDataset(
        input_dataset=numbers(tf, 8), num_shards=np.int64(3), index=np.int64(1), **alike(tf)
    )
    yield from pulled(tf, made, 3)


def _joined(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.raw_ops.ConcatenateDataset(
        input_dataset=numbers(tf, 2), another_dataset=numbers(tf, 9, 7), **alike(tf)
    )
    yield from pulled(tf, made, 4)
    pairs = tf.raw_ops.ZipDataset(
        input_datasets=[made, numbers(tf, 3)],
        output_types=[tf.int64, tf.int64],
        output_shapes=[[], []],
    )
    yield from pulled(tf, pairs, 3, [tf.int64, tf.int64])


def _shuffled(tf: Any, v: Inputs) -> Iterator[Step]:
    seeds = {"seed": np.int64(3), "seed2": np.int64(9)}
    made = tf.raw_ops.ShuffleDataset(
        input_dataset=numbers(tf, 9), buffer_size=np.int64(4), **seeds, **alike(tf)
    )
    yield from pulled(tf, made, 9)
    twice = tf.raw_ops.ShuffleAndRepeatDataset(
        input_dataset=numbers(tf, 5),
        buffer_size=np.int64(4),
        count=np.int64(2),
        **seeds,
        **alike(tf),
    )
    yield from pulled(tf, twice, 10)


def _kept(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.raw_ops.CacheDataset(input_dataset=numbers(tf, 3), filename="", **alike(tf))
    yield from pulled(tf, made, 3)
    prefix = os.path.join(tempfile.mkdtemp(prefix="rows_of_caches"), "cache")
    filed = tf.raw_ops.CacheDataset(input_dataset=numbers(tf, 3), filename=prefix, **alike(tf))
    twice = tf.raw_ops.RepeatDataset(input_dataset=filed, count=np.int64(2), **alike(tf))
    yield from pulled(tf, twice, 6)
    ahead = tf.raw_ops.PrefetchDataset(
        input_dataset=numbers(tf, 7), buffer_size=np.int64(2), **alike(tf)
    )
    yield from pulled(tf, ahead, 7)


def _distinct(tf: Any, v: Inputs) -> Iterator[Step]:
    values = v.known([3, 1, 3, 2, 1], np.int64)
    source = tf.raw_ops.TensorSliceDataset(components=[values], output_shapes=[[]])
    for op in (tf.raw_ops.UniqueDataset, tf.raw_ops.ExperimentalUniqueDataset):
        yield from pulled(tf, op(input_dataset=source, **alike(tf)), 3)


def _directed(tf: Any, v: Inputs) -> Iterator[Step]:
    which = v.known([0, 1, 1, 0, 1, 0], np.int64)
    selector = tf.raw_ops.TensorSliceDataset(components=[which], output_shapes=[[]])
    given = {
        "selector_input_dataset": selector,
        "data_input_datasets": [numbers(tf, 9), numbers(tf, 22, 20)],
        **alike(tf),
    }
    yield from pulled(tf, tf.raw_ops.DirectedInterleaveDataset(**given), 5)
    yield from pulled(tf, tf.raw_ops.ExperimentalDirectedInterleaveDataset(**given), 5)
    stopped = tf.raw_ops.DirectedInterleaveDataset(**given, stop_on_empty_dataset=True)
    yield from pulled(tf, stopped, 4)


def _asserted(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.raw_ops.AssertCardinalityDataset(
        input_dataset=numbers(tf, 2), cardinality=np.int64(2), **alike(tf)
    )
    yield from pulled(tf, made, 2)
    iterator = tf.raw_ops.IteratorV2(shared_name="", container="", **alike(tf))
    wrong = tf.raw_ops.AssertCardinalityDataset(
        input_dataset=numbers(tf, 1), cardinality=np.int64(2), **alike(tf)
    )
    yield run(tf.raw_ops.MakeIterator(dataset=wrong, iterator=iterator))
    following = tf.raw_ops.IteratorGetNext(iterator=iterator, **alike(tf))
    yield run(*following)
    yield fails("FailedPreconditionError", "expected to contain 2 elements", *following)


def _passed(tf: Any, v: Inputs) -> Iterator[Step]:
    source = numbers(tf, 3)
    ops, same = tf.raw_ops, alike(tf)
    texts = np.zeros(0, object)
    for made in (
        ops.OptionsDataset(input_dataset=source, serialized_options="", **same),
        ops.ModelDataset(input_dataset=source, **same),
        ops.OptimizeDataset(input_dataset=source, optimizations=texts, **same),
        ops.OptimizeDatasetV2(
            input_dataset=source,
            optimizations_enabled=texts,
            optimizations_disabled=texts,
            optimizations_default=texts,
            **same,
        ),
        ops.FinalizeDataset(input_dataset=source, **same),
        ops.RewriteDataset(input_dataset=source, rewrite_name="replicate_on_split", **same),
        ops.NonSerializableDataset(input_dataset=source, **same),
        ops.ExperimentalNonSerializableDataset(input_dataset=source, **same),
        ops.IgnoreErrorsDataset(input_dataset=source, **same),
        ops.ExperimentalIgnoreErrorsDataset(input_dataset=source, **same),
        *(
            getattr(ops, op)(input_dataset=source, max_intra_op_parallelism=np.int64(1), **same)
            for op in ("MaxIntraOpParallelismDataset", "ExperimentalMaxIntraOpParallelismDataset")
        ),
        *(
            getattr(ops, op)(input_dataset=source, num_threads=np.int64(1), **same)
            for op in ("PrivateThreadPoolDataset", "ExperimentalPrivateThreadPoolDataset")
        ),
        *(
            getattr(ops, op)(input_dataset=source, sleep_microseconds=np.int64(100), **same)
            for op in ("SleepDataset", "ExperimentalSleepDataset")
        ),
    ):
        yield from pulled(tf, made, 3)


PROGRAMS = [
    Program("TakeDataset SkipDataset RepeatDataset DatasetCardinality", _counted, ONE),
    Program("ShardDataset", _sharded, ONE),
    Program("ConcatenateDataset ZipDataset", _joined, ONE),
    Program("ShuffleDataset ShuffleAndRepeatDataset", _shuffled, ONE),
    Program("CacheDataset PrefetchDataset", _kept, ONE),
    Program("UniqueDataset ExperimentalUniqueDataset", _distinct, ONE),
    Program("DirectedInterleaveDataset ExperimentalDirectedInterleaveDataset", _directed, ONE),
    Program("AssertCardinalityDataset", _asserted, ONE),
    Program(
        "OptionsDataset ModelDataset OptimizeDataset OptimizeDatasetV2 FinalizeDataset "
        "RewriteDataset NonSerializableDataset ExperimentalNonSerializableDataset "
        "IgnoreErrorsDataset ExperimentalIgnoreErrorsDataset MaxIntraOpParallelismDataset "
        "ExperimentalMaxIntraOpParallelismDataset PrivateThreadPoolDataset "
        "ExperimentalPrivateThreadPoolDataset SleepDataset ExperimentalSleepDataset",
        _passed,
        ONE,
    ),
]

"""Rows for datasets with resources of their own, and for datasets as values."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.datasets.pulling import alike, numbers, pulled
from tests.ops.program import Inputs, Program, Step, fails, run

ONE = ("float32",)
SEEDS = {"seed": np.int64(3), "seed2": np.int64(9)}
REFUSED = "InvalidArgumentError"


def _anonymous_iterators(tf: Any, v: Inputs) -> Iterator[Step]:
    """Made, used and ended in one step."""
    handles = [
        tf.raw_ops.AnonymousIterator(**alike(tf)),
        tf.raw_ops.AnonymousIteratorV3(**alike(tf)),
    ]
    owned, deleter = tf.raw_ops.AnonymousIteratorV2(**alike(tf))
    for handle in (*handles, owned):
        begin = tf.raw_ops.MakeIterator(dataset=numbers(tf, 5, 2), iterator=handle)
        with tf.control_dependencies([begin]):
            found = tf.raw_ops.IteratorGetNext(iterator=handle, **alike(tf))
        yield run(*found)
    with tf.control_dependencies(found):
        end = tf.raw_ops.DeleteIterator(handle=owned, deleter=deleter)
    yield run(end)


def _seeded(tf: Any, v: Inputs) -> Iterator[Step]:
    ops, sizes = tf.raw_ops, {"buffer_size": np.int64(4)}
    generators = [
        ops.AnonymousSeedGenerator(**SEEDS, reshuffle=True),
        ops.AnonymousSeedGenerator(**SEEDS, reshuffle=False),
    ]
    for generator in generators:
        made = ops.ShuffleDatasetV2(
            input_dataset=numbers(tf, 5), **sizes, seed_generator=generator.handle, **alike(tf)
        )
        twice = ops.RepeatDataset(input_dataset=made, count=np.int64(2), **alike(tf))
        yield from pulled(tf, twice, 10)
    for generator in (ops.DummySeedGenerator(), generators[0].handle):
        given = {**SEEDS, "seed_generator": generator}
        for reshuffle in (True, False):
            made = ops.ShuffleDatasetV3(
                input_dataset=numbers(tf, 5),
                **sizes,
                **given,
                reshuffle_each_iteration=reshuffle,
                **alike(tf),
            )
            twice = ops.RepeatDataset(input_dataset=made, count=np.int64(2), **alike(tf))
            yield from pulled(tf, twice, 10)
        made = ops.ShuffleAndRepeatDatasetV2(
            input_dataset=numbers(tf, 5), **sizes, **given, count=np.int64(2), **alike(tf)
        )
        yield from pulled(tf, made, 10)
        endless = ops.RandomDatasetV2(**given, rerandomize_each_iteration=True, **alike(tf))
        some = ops.TakeDataset(input_dataset=endless, count=np.int64(2), **alike(tf))
        twice = ops.RepeatDataset(input_dataset=some, count=np.int64(2), **alike(tf))
        yield from pulled(tf, twice, 4)


def _kept(tf: Any, v: Inputs) -> Iterator[Step]:
    owned = tf.raw_ops.AnonymousMemoryCache().handle
    prefix = os.path.join(tempfile.mkdtemp(prefix="rows_of_resources"), "cache")
    for filename, cache in (("", owned), ("", tf.raw_ops.DummyMemoryCache()), (prefix, owned)):
        made = tf.raw_ops.CacheDatasetV2(
            input_dataset=numbers(tf, 3), filename=filename, cache=cache, **alike(tf)
        )
        twice = tf.raw_ops.RepeatDataset(input_dataset=made, count=np.int64(2), **alike(tf))
        yield from pulled(tf, twice, 6)


def _values(tf: Any, v: Inputs) -> Iterator[Step]:
    ops = tf.raw_ops
    made = ops.WindowOp(inputs=[np.int64(4), np.int64(2)], **alike(tf))
    yield from pulled(tf, made, 2)
    wrapped = ops.WrapDatasetVariant(input_handle=numbers(tf, 2))
    yield from pulled(tf, ops.UnwrapDatasetVariant(input_handle=wrapped), 2)
    bare = ops.UnwrapDatasetVariant(input_handle=numbers(tf, 2))
    iterator = ops.IteratorV2(shared_name="", container="", **alike(tf))
    yield fails(REFUSED, "", ops.MakeIterator(dataset=bare, iterator=iterator))
    inner = ops.OptionsDataset(
        input_dataset=numbers(tf, 2), serialized_options=b"\x08\x01", **alike(tf)
    )
    yield run(ops.GetOptions(input_dataset=inner), ops.GetOptions(input_dataset=numbers(tf, 2)))
    for op in (ops.ChooseFastestDataset, ops.ExperimentalChooseFastestDataset):
        chosen = op(input_datasets=[numbers(tf, 2)] * 2, num_experiments=1, **alike(tf))
        yield from pulled(tf, chosen, 2)


def _threads(tf: Any, v: Inputs) -> Iterator[Step]:
    for prefix in ("", "Experimental"):
        pool = getattr(tf.raw_ops, f"{prefix}ThreadPoolHandle")(
            num_threads=1, display_name="pool", shared_name=f"rows_of_pools{prefix}"
        )
        made = getattr(tf.raw_ops, f"{prefix}ThreadPoolDataset")(
            input_dataset=numbers(tf, 2), thread_pool=pool, **alike(tf)
        )
        yield from pulled(tf, made, 2)


PROGRAMS = [
    Program(
        "AnonymousIterator AnonymousIteratorV2 AnonymousIteratorV3 DeleteIterator",
        _anonymous_iterators,
        ONE,
    ),
    Program(
        "AnonymousSeedGenerator DummySeedGenerator ShuffleDatasetV2 "
        " ShuffleDatasetV3 "
        "ShuffleAndRepeatDatasetV2 RandomDatasetV2",
        _seeded,
        ONE,
    ),
    Program(
        "AnonymousMemoryCache DummyMemoryCache CacheDatasetV2",
        _kept,
        ONE,
    ),
    Program(
        "WindowOp WrapDatasetVariant UnwrapDatasetVariant GetOptions ChooseFastestDataset "
        "ExperimentalChooseFastestDataset",
        _values,
        ONE,
    ),
    Program(
        "ThreadPoolHandle ThreadPoolDataset ExperimentalThreadPoolHandle "
        "ExperimentalThreadPoolDataset",
        _threads,
        ONE,
    ),
]

"""Rows for datasets that are written to folders and read again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

from tests.ops.cases.datasets.pulling import elements, pulled
from tests.ops.program import Inputs, Program, Step, fails, run

ONE = ("float32",)
REFUSED = "InvalidArgumentError"


def _pairs(tf: Any, count: int) -> Any:
    return tf.data.Dataset.range(count).map(lambda n: (n, tf.as_string(tf.fill([n], n))))


def _one_by_one(shards: Any) -> Any:
    return shards.flat_map(lambda shard: shard)


def _stored(tf: Any, v: Inputs) -> Iterator[Step]:
    folder = tempfile.mkdtemp(prefix="rows_of_stored")
    plain, shards = (os.path.join(folder, name) for name in ("plain", "shards"))
    yield run(_pairs(tf, 5).save(plain))
    yield from elements(tf, tf.data.Dataset.load(plain), 5)
    # What is written later takes its place.
    yield run(_pairs(tf, 2).save(plain))
    spec = _pairs(tf, 0).element_spec
    again = tf.data.Dataset.load(plain, element_spec=spec)
    yield from elements(tf, again, 2)
    yield run(tf.data.experimental.cardinality(again))

    three = tf.Variable(3, dtype=tf.int64)
    yield run(three.initializer)
    yield run(_pairs(tf, 7).save(shards, "GZIP", lambda number, _: number % three))
    yield from elements(tf, tf.data.Dataset.load(shards, spec, "GZIP"), 7)
    yield from elements(tf, tf.data.Dataset.load(shards, spec, "GZIP", _one_by_one), 7)
    nowhere = tf.data.Dataset.load(os.path.join(folder, "nowhere"), spec)
    iterator = tf.data.make_initializable_iterator(nowhere)
    yield fails("NotFoundError", "Could not find metadata file", iterator.initializer)


def _passed_on(tf: Any, v: Inputs) -> Iterator[Step]:
    folder = tempfile.mkdtemp(prefix="rows_of_stored")
    source = tf.data.Dataset.range(3)
    save = source.save(folder, shard_func=lambda number: number // 2)
    following = tf.raw_ops.SaveDatasetV2(
        input_dataset=source._variant_tensor,
        path=folder,
        shard_func_other_args=[],
        shard_func=save.get_attr("shard_func"),
        output_types=[tf.int64],
        output_shapes=[[]],
    )
    yield from pulled(tf, following, 3)
    spec = source.element_spec
    yield from elements(tf, tf.data.Dataset.load(folder, spec, None, _one_by_one), 3)
    several = tf.raw_ops.SaveDataset(
        input_dataset=source._variant_tensor,
        path=v.hidden([folder, folder], object),
        shard_func_other_args=[],
        shard_func=save.get_attr("shard_func"),
    )
    yield fails(REFUSED, "path must be a scalar", several)


def _snapshots(tf: Any, v: Inputs) -> Iterator[Step]:
    folder = tempfile.mkdtemp(prefix="rows_of_stored")
    spread = {"reader_func": _one_by_one, "shard_func": lambda number, _: number % 2}
    for place, options in (("a", {}), ("b", {**spread, "compression": "GZIP"})):
        dataset = _pairs(tf, 4).snapshot(os.path.join(folder, place), **options)
        yield from elements(tf, dataset, 4)
        yield from elements(tf, dataset, 4)


PROGRAMS = [
    Program("SnapshotDatasetV2", _snapshots, ONE),
    Program("SaveDataset LoadDataset", _stored, ONE),
    Program("SaveDatasetV2 SaveDataset", _passed_on, ONE),
]

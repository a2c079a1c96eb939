"""What datasets say of arguments that are none: TensorFlow 1.15's words, and its moments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dataflow
from tests.oracle import oracle

_EXPERIMENTAL: Any = dataflow.data.experimental


def _numbers(tf: Any = dataflow) -> Any:
    return tf.data.Dataset.range(3)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "map": lambda f: _numbers().map(f),
    "on threads": lambda f: _numbers().map(f, num_parallel_calls=2),
    "legacy": lambda f: _numbers().map_with_legacy_function(f),
    "filter": lambda f: _numbers().filter(f),
    "flat_map": lambda f: _numbers().flat_map(f),
    "interleave": lambda f: _numbers().interleave(f, 2),
    "reduce": lambda f: _numbers().reduce(0, f),
    "scan": lambda f: _numbers().apply(_EXPERIMENTAL.scan(0, f)),
    "take_while": lambda f: _numbers().apply(_EXPERIMENTAL.take_while(f)),
    "map_and_batch": lambda f: _numbers().apply(_EXPERIMENTAL.map_and_batch(f, 2)),
    "parallel_interleave": lambda f: _numbers().apply(_EXPERIMENTAL.parallel_interleave(f, 2)),
}


@pytest.mark.parametrize("call", FUNCTIONS.values(), ids=FUNCTIONS)
def test_what_is_no_function(call: Callable[[Any], Any]) -> None:
    with dataflow.Graph().as_default():
        for given in (3, "a", None):
            with pytest.raises(ValueError, match=r"^Argument must be callable$"):
                call(given)


ROWS: dict[str, Callable[[Any, Any], Any]] = {
    "batch": lambda tf, rows: _numbers(tf).batch(rows),
    "drop_remainder": lambda tf, rows: tf.raw_ops.BatchDatasetV2(
        input_dataset=_numbers(tf)._variant_tensor,
        batch_size=2,
        drop_remainder=tf.constant([True, False]),
        output_types=[tf.int64],
        output_shapes=[[None]],
    ),
    "padded_batch": lambda tf, rows: _numbers(tf).padded_batch(rows, []),
    "take": lambda tf, rows: _numbers(tf).take(rows),
    "skip": lambda tf, rows: _numbers(tf).skip(rows),
    "repeat": lambda tf, rows: _numbers(tf).repeat(rows),
    "prefetch": lambda tf, rows: _numbers(tf).prefetch(rows),
    "shuffle": lambda tf, rows: _numbers(tf).shuffle(rows),
    "shuffle_and_repeat": lambda tf, rows: _numbers(tf).apply(
        tf.data.experimental.shuffle_and_repeat(2, rows)
    ),
    "window": lambda tf, rows: _numbers(tf).window(2, rows),
    "range": lambda tf, rows: tf.data.Dataset.range(rows),
    "cache": lambda tf, rows: _numbers(tf).cache(["a", "b"]),
    "map_and_batch": lambda tf, rows: _numbers(tf).apply(
        tf.data.experimental.map_and_batch(lambda x: x, rows)
    ),
    "dense_to_sparse_batch": lambda tf, rows: tf.data.Dataset.from_tensors([1]).apply(
        tf.data.experimental.dense_to_sparse_batch(rows, [3])
    ),
    "tables of files": lambda tf, rows: tf.data.experimental.CsvDataset([["file"]], [tf.int64]),
    "buffers": lambda tf, rows: tf.data.experimental.CsvDataset(
        "file", [tf.int64], buffer_size=rows
    ),
    "headers": lambda tf, rows: tf.data.FixedLengthRecordDataset("file", 2, rows),
    "queries": lambda tf, rows: tf.data.experimental.SqlDataset(
        "sqlite", "file", ["a", "b"], (tf.int64,)
    ),
    "raw shuffling": lambda tf, rows: tf.raw_ops.ShuffleDatasetV3(
        input_dataset=_numbers(tf)._variant_tensor,
        buffer_size=2,
        seed=rows,
        seed2=1,
        seed_generator=tf.raw_ops.DummySeedGenerator(),
        output_types=[tf.int64],
        output_shapes=[[]],
    ),
    "raw patterns": lambda tf, rows: tf.raw_ops.MatchingFilesDataset(patterns=[["a"]]),
}


@pytest.mark.parametrize("build", ROWS.values(), ids=ROWS)
def test_several_numbers_in_the_place_of_one(build: Callable[[Any, Any], Any]) -> None:
    """The graph refuses them: TensorFlow says so while it is built."""
    texts = []
    for tf in (oracle, dataflow):
        with tf.Graph().as_default(), pytest.raises(ValueError, match="rank") as caught:
            build(tf, tf.constant([1, 2], tf.int64))
        texts.append(str(caught.value).partition(" for ")[0])
    assert texts[1] == texts[0]


def test_in_steps() -> None:
    """What 1.15 says when the pipeline is there."""
    tf = dataflow
    with tf.Graph().as_default(), tf.Session() as session:
        truths = tf.placeholder_with_default([True, False], None)
        refused = {
            "num_parallel_calls must less than or equal to cycle_length.": (
                _numbers().interleave(lambda x: _numbers(), 2, num_parallel_calls=5)
            ),
            "`predicate` must returns a scalar bool tensor.": (
                _numbers().apply(_EXPERIMENTAL.take_while(lambda x: truths))
            ),
            "Filter predicate `predicate` must return a scalar bool.": (
                _numbers().filter(lambda x: truths)
            ),
        }
        for text, dataset in refused.items():
            iterator = tf.data.make_initializable_iterator(dataset)
            following = iterator.get_next()
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(iterator.initializer)
                session.run(following)
            assert caught.value.message.partition("\n")[0] == text

"""The graphs of input pipelines: node for node those of TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.differentiation.both import assert_same_graph, assert_same_refusal


def _item(tf: Any) -> list[Any]:
    return [tf.placeholder(tf.float32, [3, 2], name="x"), tf.constant([1, 2, 3], name="label")]


def _sparse(tf: Any) -> Any:
    return tf.SparseTensor(
        tf.placeholder(tf.int64, [None, 2], name="indices"),
        tf.placeholder(tf.float32, [None], name="values"),
        tf.placeholder(tf.int64, [2], name="shape"),
    )


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "strings": lambda tf: tf.train.string_input_producer(
        ["a", "b"], num_epochs=2, seed=3
    ).dequeue(),
    "named strings": lambda tf: tf.train.string_input_producer(
        tf.constant(["a", "b"]), shuffle=False, capacity=7, shared_name="s", name="files"
    ).size(),
    "rows": lambda tf: tf.train.input_producer(
        [[1, 2], [3, 4]], [2], 1, summary_name="full", name="rows"
    ).dequeue_many(2),
    "range": lambda tf: tf.train.range_input_producer(9, num_epochs=1, seed=1).dequeue(),
    "slices": lambda tf: tf.train.slice_input_producer(_item(tf), num_epochs=3, seed=2),
    "epochs": lambda tf: tf.train.limit_epochs(tf.constant(1.0), 4, name="some"),
    "batch": lambda tf: tf.train.batch(_item(tf), 2),
    "batch of one": lambda tf: tf.train.batch([tf.constant(1.0)], 2, num_threads=3, name="one"),
    "dictionary": lambda tf: sorted(
        tf.train.batch(dict(zip("ba", _item(tf), strict=True)), 2, capacity=9).items()
    ),
    "dictionary of one": lambda tf: tf.train.batch({"a": tf.constant([1, 2])}, 2)["a"],
    "many": lambda tf: tf.train.batch(_item(tf), 2, enqueue_many=True, shared_name="shared"),
    "padded": lambda tf: tf.train.batch(
        [tf.placeholder(tf.string, [None, 2], name="x")],
        4,
        dynamic_pad=True,
        allow_smaller_final_batch=True,
    ),
    "shapes": lambda tf: tf.train.batch(
        [tf.placeholder(tf.float32, None, name="x")], tf.constant(4), shapes=[[2]]
    ),
    "maybe": lambda tf: tf.train.maybe_batch(
        _item(tf), tf.placeholder(tf.bool, [], name="keep"), 2, num_threads=2
    ),
    "never": lambda tf: tf.train.maybe_batch(_item(tf), False, 2),
    "maybe many": lambda tf: tf.train.maybe_batch(
        _item(tf), tf.placeholder(tf.bool, [3], name="keep"), 2, enqueue_many=True
    ),
    "join": lambda tf: tf.train.batch_join([_item(tf), _item(tf)], 2, dynamic_pad=True),
    "join dictionaries": lambda tf: tf.train.batch_join([{"a": tf.constant(n)} for n in (1, 2)], 2)[
        "a"
    ],
    "join with more": lambda tf: tf.train.batch_join(
        [[tf.constant([1.0])], [tf.constant([2.0]), tf.constant(3)]], 2
    ),
    "maybe join": lambda tf: tf.train.maybe_batch_join(
        [_item(tf), _item(tf)], tf.placeholder(tf.bool, [], name="keep"), 2
    ),
    "sparse": lambda tf: tf.train.batch([_sparse(tf), tf.constant(1)], 2),
    "many sparse": lambda tf: tf.train.shuffle_batch([_sparse(tf)], 2, 9, 3, enqueue_many=True),
    "maybe sparse": lambda tf: tf.train.maybe_batch(
        [_sparse(tf)], tf.placeholder(tf.bool, [], name="keep"), 2
    ),
    "maybe many sparse": lambda tf: tf.train.maybe_batch(
        [_sparse(tf)], tf.placeholder(tf.bool, [3], name="keep"), 2, enqueue_many=True
    ),
    "sparse join": lambda tf: tf.train.batch_join([[_sparse(tf)], [_sparse(tf)]], 2),
    "shuffled": lambda tf: tf.train.shuffle_batch(_item(tf), 2, 30, 10, num_threads=2, seed=3),
    "shuffled at last": lambda tf: tf.train.shuffle_batch(
        _item(tf), 2, 30, 10, enqueue_many=True, allow_smaller_final_batch=True, shared_name="s"
    ),
    "maybe shuffled": lambda tf: tf.train.maybe_shuffle_batch(
        _item(tf), 2, 30, 10, tf.placeholder(tf.bool, [], name="keep")
    ),
    "shuffled join": lambda tf: tf.train.shuffle_batch_join([_item(tf), _item(tf)], 2, 30, 10),
    "maybe shuffled join": lambda tf: tf.train.maybe_shuffle_batch_join(
        [_item(tf), _item(tf)],
        2,
        30,
        10,
        tf.placeholder(tf.bool, [3], name="keep"),
        enqueue_many=True,
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_same_graph(program: Callable[[Any], Any]) -> None:
    assert_same_graph(program, values=False)


def test_file_names_once() -> None:
    def program(tf: Any) -> Any:
        tf.get_variable_scope().set_use_resource(False)
        return [tf.train.match_filenames_once("/tmp/x*", name="found")]

    assert_same_graph(program, values=False)


@pytest.mark.parametrize(
    "program",
    [
        lambda tf: tf.train.string_input_producer([]),
        lambda tf: tf.train.slice_input_producer([]),
        lambda tf: tf.train.limit_epochs(tf.constant(1), 0),
        lambda tf: tf.train.input_producer(tf.placeholder(tf.int32, [None, None], name="x")),
        lambda tf: tf.train.batch([], 2),
        lambda tf: tf.train.batch_join([], 2),
        lambda tf: tf.train.batch([tf.placeholder(tf.int32, name="x")], 2),
        lambda tf: tf.train.batch([tf.placeholder(tf.int32, [None], name="x")], 2),
        lambda tf: tf.train.batch_join([[tf.constant(1)], [tf.constant(1.0)]], 2),
        lambda tf: tf.train.batch_join([{"a": 1}, {"b": 1}], 2),
        lambda tf: tf.train.batch_join([[tf.constant(1), tf.constant(2)], [tf.constant(1)]], 2),
        lambda tf: tf.train.shuffle_batch([tf.constant(1)], 2, 5, 5),
        lambda tf: tf.train.maybe_batch([tf.constant(1)], [True], 2),
        lambda tf: tf.train.maybe_batch([tf.constant(1)], tf.placeholder(tf.bool, name="k"), 2),
        lambda tf: tf.train.maybe_batch([tf.constant(1)], [[True]], 2, enqueue_many=True),
    ],
)
def test_same_refusal(program: Callable[[Any], Any]) -> None:
    assert_same_refusal(program)

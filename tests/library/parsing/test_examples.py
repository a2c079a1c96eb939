"""Features of examples: the graphs, the values and the refusals are TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.ops.cases.parsing.messages import EXAMPLES, SEQUENCES
from tests.oracle import open_session
from tests.words import as_in_tensorflow_1

Build = Callable[[Any], Any]


def _features(tf: Any) -> dict[str, Any]:
    return {
        "f": tf.FixedLenFeature([3], tf.float32),
        "i": tf.FixedLenFeature((2,), tf.int64, [1, 2]),
        "no way": tf.FixedLenFeature([], tf.int64, default_value=7),
        "given": tf.FixedLenFeature([2], tf.float32, tf.constant([1.0, 2.0])),
        "s": tf.io.FixedLenFeature([1], tf.string),
        "v": tf.VarLenFeature(tf.int64),
        "w": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True, default_value=-1.0),
        "t": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True),
        "one": tf.SparseFeature("v", "v", tf.int64, 9),
        "two": tf.SparseFeature(["v", "v"], "v", tf.int64, [9, 9], already_sorted=True),
    }


def _steps(tf: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return {
        "f": tf.FixedLenFeature([2], tf.float32),
        "t": tf.VarLenFeature(tf.string),
        "no": tf.FixedLenFeature([1], tf.int64, [5]),
    }, {
        "d": tf.FixedLenSequenceFeature([2], tf.int64),
        "none": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True),
        "s": tf.VarLenFeature(tf.string),
    }


BUILDS: dict[str, Build] = {
    "batch": lambda tf: tf.parse_example(list(EXAMPLES), _features(tf)),
    "named": lambda tf: tf.io.parse_example(
        list(EXAMPLES), _features(tf), name="n", example_names=["a", "b", "c", "d"]
    ),
    "single": lambda tf: tf.parse_single_example(EXAMPLES[2], _features(tf)),
    "unknown": lambda tf: tf.io.parse_single_example(
        tf.placeholder_with_default(EXAMPLES[2], None), _features(tf), "n"
    ),
    "sequence": lambda tf: tf.parse_single_sequence_example(SEQUENCES[3], *_steps(tf)),
    "named_sequence": lambda tf: tf.io.parse_single_sequence_example(
        tf.placeholder_with_default(SEQUENCES[3], None), *_steps(tf), "one", "n"
    ),
    "sequences": lambda tf: tf.io.parse_sequence_example(
        list(SEQUENCES), *_steps(tf), ["a", "b", "c", "d"]
    ),
    "context": lambda tf: tf.io.parse_sequence_example(SEQUENCES[1], _steps(tf)[0], name="n"),
}


def _outcome(library: Any, build: Build) -> tuple[Any, list[tuple[str, Any]], list[Any]]:
    with library.Graph().as_default() as graph:
        made = build(library)
        names = [(node.name, node.op, list(node.input)) for node in graph.as_graph_def().node]
        parts = made if isinstance(made, tuple) else (made,)
        flat = [(key, part[key]) for part in parts for key in sorted(part)]
        tensors = [
            tensor
            for _, value in flat
            for tensor in (
                (value.indices, value.values, value.dense_shape)
                if hasattr(value, "indices")
                else (value,)
            )
        ]
        shapes = [tensor.shape.as_list() for tensor in tensors]
    with open_session(library, graph) as session:
        values = session.run(tensors)
    keys = [(key, str(shape)) for (key, _), shape in zip(flat, shapes, strict=False)]
    return names, keys, values


@pytest.mark.parametrize("kind", BUILDS)
def test_graph_and_values(kind: str) -> None:
    ours, theirs = (_outcome(library, BUILDS[kind]) for library in (tf, oracle))
    assert ours[:2] == theirs[:2]
    for mine, other in zip(ours[2], theirs[2], strict=True):
        assert np.asarray(mine).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(mine, other)


def _parse(features: Callable[[Any], Mapping[str, Any] | None]) -> Build:
    return lambda tf: tf.parse_example(["a"], features(tf))


REFUSED: dict[str, Build] = {
    "nothing": _parse(lambda tf: {}),
    "none": _parse(lambda tf: None),
    "single_none": lambda tf: tf.parse_single_example("a", None),
    "single_nothing": lambda tf: tf.parse_single_example("a", {}),
    "vector": lambda tf: tf.parse_single_example(["a"], {"a": tf.VarLenFeature(tf.int64)}),
    "no_feature": _parse(lambda tf: {"a": "b"}),
    "no_type": _parse(lambda tf: {"a": tf.VarLenFeature(None)}),
    "no_shape": _parse(lambda tf: {"a": tf.FixedLenFeature(None, tf.int64)}),
    "unknown_size": _parse(lambda tf: {"a": tf.FixedLenFeature([2, None], tf.int64)}),
    "unknown_first": _parse(lambda tf: {"a": tf.FixedLenFeature([None, 2], tf.int64)}),
    "not_missing": _parse(lambda tf: {"a": tf.FixedLenSequenceFeature([2], tf.int64)}),
    "no_key": _parse(lambda tf: {"a": tf.SparseFeature("", "v", tf.int64, 9)}),
    "no_value": _parse(lambda tf: {"a": tf.SparseFeature("v", "", tf.int64, 9)}),
    "no_sparse_type": _parse(lambda tf: {"a": tf.SparseFeature("v", "w", None, 9)}),
    "conflict": _parse(
        lambda tf: {
            "a": tf.VarLenFeature(tf.float32),
            "b": tf.SparseFeature("a", "v", tf.int64, 9),
        }
    ),
    "both": _parse(
        lambda tf: {
            "a": tf.FixedLenFeature([1], tf.int64),
            "b": tf.SparseFeature("a", "v", tf.int64, 9),
        }
    ),
    "default": _parse(lambda tf: {"a": tf.FixedLenFeature([3], tf.int64, [1, 2])}),
    "type": _parse(lambda tf: {"a": tf.FixedLenFeature([3], tf.float64)}),
    "no_sequences": lambda tf: tf.io.parse_sequence_example(["a"]),
    "no_sequence": lambda tf: tf.io.parse_single_sequence_example("a"),
    "fixed_list": lambda tf: tf.io.parse_sequence_example(
        ["a"], sequence_features={"a": tf.FixedLenFeature([], tf.int64)}
    ),
    "list_default": lambda tf: tf.io.parse_sequence_example(
        ["a"], sequence_features={"a": tf.FixedLenSequenceFeature([], tf.int64, True, 3)}
    ),
    "raw_type": lambda tf: tf.decode_raw("ab"),
    "raw_twice": lambda tf: tf.decode_raw("ab", tf.uint8, bytes="ab"),
    "csv_order": lambda tf: tf.decode_csv("1,2", [[1], [1]], select_cols=[1, 1]),
    "csv_negative": lambda tf: tf.decode_csv("1,2", [[1], [1]], select_cols=[-1, 1]),
    "csv_count": lambda tf: tf.decode_csv("1,2", [[1], [1]], select_cols=[1]),
    "csv_default": lambda tf: tf.decode_csv("1,2", [[1, 2], [1]]),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused(kind: str) -> None:
    refusals = []
    for library in (tf, oracle):
        with library.Graph().as_default(), pytest.raises((ValueError, TypeError)) as caught:
            REFUSED[kind](library)
        text = as_in_tensorflow_1(str(caught.value))
        refusals.append((caught.type, text.partition(" for '{{node")[0]))
    assert refusals[0] == refusals[1]


def test_both_targets(session_factory: Any) -> None:
    with tf.Graph().as_default() as graph:
        serialized = tf.placeholder(tf.string, [None])
        found = tf.parse_example(serialized, _features(tf))
        fetches = [found["f"], found["t"], found["v"].values]
    with session_factory(graph) as session:
        floats, words, integers = session.run(fetches, {serialized: list(EXAMPLES)})
    np.testing.assert_array_equal(floats, [[1.5, -2, i] for i in range(4)])
    assert words.shape == (4, 6) and words[3, 0] == b"ab" and words[0, 0] == b""
    np.testing.assert_array_equal(integers, [0, 0, 1, 0, 1, 2])


def test_an_empty_list_is_one_of_strings() -> None:
    features = {"a": tf.FixedLenFeature([2], tf.int64), "b": tf.VarLenFeature(tf.string)}
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(tf.parse_example([], features))
        assert found["a"].shape == (0, 2)
        assert found["b"].dense_shape.tolist() == [0, 0]

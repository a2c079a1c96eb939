"""Columns of sequences against TensorFlow's: numbers, lengths, names of variables; refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1
from tensorflow.python.feature_column import feature_column, feature_column_v2

import dataflow as tf

tf1.disable_v2_behavior()


def features(lib: Any) -> dict[str, Any]:
    """Batches of four examples; the last has no step."""
    steps = [[0, 0], [0, 1], [0, 2], [0, 3], [2, 0], [2, 1]]
    return {
        "w": lib.SparseTensor([[0, 0], [0, 1], [2, 0]], lib.constant(["a", "b", "c"]), [4, 2]),
        "several": lib.SparseTensor(
            [[0, 0, 0], [0, 0, 1], [0, 1, 0], [2, 0, 0]],
            lib.constant(["a", "b", "zz", "a"]),
            [4, 2, 2],
        ),
        "dense": lib.constant([[3, 1], [-1, -1], [0, -1], [-1, -1]]),
        "x": lib.SparseTensor(steps, lib.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), [4, 4]),
    }


def columns(fc: Any, lib: Any) -> list[Any]:
    """One of each kind."""

    def table(shape: Any, *_: Any, **__: Any) -> Any:
        count = float(np.prod([int(size) for size in shape]))
        return lib.reshape(lib.sin(lib.range(count) * 0.7), shape)

    words = ["a", "b", "c"]
    return [
        fc.embedding_column(
            fc.sequence_categorical_column_with_vocabulary_list("w", words), 2, initializer=table
        ),
        fc.indicator_column(fc.sequence_categorical_column_with_hash_bucket("several", 5)),
        fc.embedding_column(
            fc.sequence_categorical_column_with_identity("dense", 4), 3, "sum", initializer=table
        ),
        fc.sequence_numeric_column("x", shape=2, default_value=-1.0),
    ]


def theirs() -> tuple[Any, list[Any]]:
    """TensorFlow's numbers, and the lengths by each column."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        given, pairs = features(tf1), []
        older = feature_column._LazyBuilder(given)
        newer = feature_column_v2.FeatureTransformationCache(given)
        for column in sorted(columns(tf1.feature_column, tf1), key=lambda each: str(each.name)):
            with tf1.variable_scope(column.name):
                if hasattr(column, "_get_sequence_dense_tensor"):
                    pairs.append(column._get_sequence_dense_tensor(older))
                else:
                    pairs.append(column.get_sequence_dense_tensor(newer, None))
        session.run([tf1.global_variables_initializer(), tf1.tables_initializer()])
        values = session.run([tuple(pair) for pair in pairs])
        return np.concatenate([value for value, _ in values], -1), [each for _, each in values]


def test_numbers_and_lengths_are_tensorflows() -> None:
    expected, lengths = theirs()
    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.contrib.feature_column.sequence_input_layer(
            features(tf), columns(tf.feature_column, tf)
        )
        layer = tf.keras.experimental.SequenceFeatures(columns(tf.feature_column, tf), name="top")
        of_layer = layer(features(tf))
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for numbers, found in session.run([made, of_layer]):
            np.testing.assert_allclose(numbers, expected, rtol=1e-6)
            for each in lengths:
                np.testing.assert_array_equal(found, each)
        assert [each.op.name for each in tf.global_variables()] == [
            "sequence_input_layer/dense_embedding/embedding_weights",
            "sequence_input_layer/w_embedding/embedding_weights",
            "top/dense_embedding/embedding_weights",
            "top/w_embedding/embedding_weights",
        ]
        assert len(layer.trainable_weights) == 2
        context = tf.ones([4, 3])
        both = tf.contrib.feature_column.concatenate_context_input(context, made[0])
        assert both.shape.as_list()[2] == expected.shape[2] + 3
        np.testing.assert_array_equal(session.run(both)[..., -3:], np.ones((4, 2, 3)))


def test_lengths_that_differ_fail_the_step() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        fc = tf.feature_column
        one, other = [
            fc.indicator_column(fc.sequence_categorical_column_with_hash_bucket(key, 4, dtype))
            for key, dtype in (("w", tf.string), ("dense", tf.int64))
        ]
        given = features(tf) | {
            "dense": tf.constant([[3, 1], [2, -1], [0, -1], [-1, -1]], tf.int64)
        }
        layer = tf.contrib.feature_column.sequence_input_layer
        assert session.run(layer(given, [one])[1]).tolist() == [2, 0, 1, 0]
        assert session.run(layer(given, [other])[1]).tolist() == [2, 1, 1, 0]
        _, lengths = layer(given, [one, other])
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(lengths)


def test_columns_that_are_refused() -> None:
    fc = tf.feature_column
    words = fc.sequence_categorical_column_with_hash_bucket("w", 5)
    plain = fc.categorical_column_with_hash_bucket("w", 5)
    layer = tf.contrib.feature_column.sequence_input_layer
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="must be of type _SequenceDenseColumn"):
            layer(features(tf), [words])
        for kind, column in (
            ("indicator_column", fc.indicator_column),
            ("embedding_column", lambda each: fc.embedding_column(each, 2)),
        ):
            with pytest.raises(ValueError, match=f"In {kind}: .* must be of type"):
                layer(features(tf), [column(plain)])
            with pytest.raises(ValueError, match=f"In {kind}: .* must not be of type"):
                fc.input_layer(features(tf), [column(words)])
    with pytest.raises(ValueError, match="shape dimensions must be greater than 0"):
        fc.sequence_numeric_column("x", shape=[0])
    with pytest.raises(TypeError, match="normalizer_fn must be a callable"):
        fc.sequence_numeric_column("x", normalizer_fn="f")

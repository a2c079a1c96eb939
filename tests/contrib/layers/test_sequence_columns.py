"""Columns for sequences, and embeddings by hashes: numbers that TensorFlow 1.15 gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import layers
from dataflow.contrib.layers.columns import scattered

KEY = layers.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY
ROWS = tf.SparseTensorValue([[0, 0], [0, 1], [2, 0]], ["a", "b", "c"], [3, 2])
STEPS = tf.SparseTensorValue(
    [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]], ["a", "b", "c", "a"], [2, 2, 2]
)


def sparse(value: Any) -> Any:
    return tf.SparseTensor.from_value(value)


def run(fetches: Any) -> Any:
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return session.run(fetches)


def counted(*shape: int) -> Any:
    return tf.constant_initializer(np.arange(float(np.prod(shape))).reshape(shape))


@pytest.mark.parametrize(
    ("combiner", "first"),
    [("mean", [5.5, 3.5, 2.0]), ("sum", [11, 7, 4]), ("sqrtn", [7.778175, 4.949747, 2.828427])],
)
def test_scattered_embeddings(combiner: str, first: list[float]) -> None:
    column = layers.scattered_embedding_column("w", 11, 3, KEY, combiner, counted(11))
    found = layers.input_from_feature_columns({"w": sparse(ROWS)}, [column])
    np.testing.assert_allclose(run(found), [first, [6, 10, 2], [4, 0, 1]], rtol=1e-6)
    (variable,) = tf.global_variables()
    assert variable.name == "input_from_feature_columns/w_scattered_embedding/weights:0"
    assert tf.get_collection("model_variables") == tf.trainable_variables() == [variable]
    assert column.name == "w_scattered_embedding"
    assert column.config == {"w": tf.io.VarLenFeature(tf.string)}
    assert column.key == (
        "_ScatteredEmbeddingColumn(column_name=w, size=11, dimension=3, hash_key=956888297470, "
        f"combiner={combiner})"
    )


def test_scattered_embeddings_that_are_refused() -> None:
    words = tf.constant(["a"])
    for call, error, text in (
        (
            lambda: layers.scattered_embedding_column("w", 0, 3, 1),
            ValueError,
            "Dimension and size must be greater than 0. dimension: 3, size: 0, column_name: w",
        ),
        (
            lambda: layers.scattered_embedding_column("w", 3, 3, 1, "max"),
            ValueError,
            "Combiner must be one of 'mean', 'sqrtn' or 'sum'. combiner: max, column_name: w",
        ),
        (
            lambda: layers.scattered_embedding_column("w", 3, 3, 1, initializer=3),
            ValueError,
            "initializer must be callable if specified. column_name: w",
        ),
        (
            lambda: scattered.scattered_embedding_lookup(
                [tf.constant([0.0, 1]), tf.constant([3.0, 4, 5])], words, 3
            ),
            ValueError,
            "Tensor 0 in params has size 2, expected 3.",
        ),
        (
            lambda: scattered.scattered_embedding_lookup(tf.constant([0.0]), words, 0),
            ValueError,
            "Dimension must be >0. Given is 0",
        ),
        (
            lambda: scattered.scattered_embedding_lookup_sparse(tf.constant([0.0]), words, 2),
            TypeError,
            "sparse_values must be SparseTensor",
        ),
        (
            lambda: scattered.scattered_embedding_lookup_sparse(
                tf.constant([0.0]), sparse(ROWS), 2, combiner="max"
            ),
            ValueError,
            "Combiner must be one of 'mean', 'sqrtn' or 'sum'.",
        ),
    ):
        with pytest.raises(error) as caught:
            call()
        assert str(caught.value) == text


def test_a_vector_in_parts() -> None:
    whole = tf.constant(np.arange(8.0))
    words = tf.constant([["a", "b"], ["c", "a"]])
    in_parts = scattered.scattered_embedding_lookup(list(tf.split(whole, [3, 3, 2])), words, 3)
    at_once = scattered.scattered_embedding_lookup(whole, words, 3)
    first, second = run([in_parts, at_once])
    np.testing.assert_array_equal(first, second)
    assert first.shape == (2, 2, 3) and (first[0, 0] == first[1, 1]).all()


def test_inputs_of_sequences() -> None:
    columns = [
        layers.real_valued_column("r", dimension=2),
        layers.one_hot_column(layers.sparse_column_with_keys("w", ["a", "b"])),
        layers.embedding_column(
            layers.sparse_column_with_integerized_feature("i", 4), 2, initializer=counted(4, 2)
        ),
    ]
    ids = tf.SparseTensorValue([[0, 0], [0, 1], [1, 0]], np.array([1, 2, 7]), [2, 2])
    features = {
        "r": tf.constant(np.arange(8.0).reshape(2, 2, 2)),
        "w": sparse(STEPS),
        "i": sparse(ids),
    }
    found = layers.sequence_input_from_feature_columns(features, columns)
    assert found.name == "sequence_input_from_feature_columns/concat:0"
    assert found.shape == [2, 2, 6] and found.dtype == tf.float32
    np.testing.assert_array_equal(
        run(found),
        [
            [[2, 3, 1, 0, 0, 1], [4, 5, 0, 1, 2, 3]],
            [[6, 7, 0, 0, 4, 5], [0, 0, 1, 0, 6, 7]],
        ],
    )
    (variable,) = tf.global_variables()
    assert variable.name == "sequence_input_from_feature_columns/i_embedding/weights:0"
    numbers = tf.constant(np.arange(16.0).reshape(2, 2, 2, 2))
    wide = layers.sequence_input_from_feature_columns(
        {"r": numbers}, [layers.real_valued_column("r", 4)]
    )
    narrow = layers.sequence_input_from_feature_columns(
        {"r": numbers[:, :, 0, 0]}, [layers.real_valued_column("r")]
    )
    assert wide.shape == [2, 2, 4] and narrow.shape == [2, 2, 1]
    first, second = run([wide, narrow])
    np.testing.assert_array_equal(first, np.arange(16).reshape(2, 2, 4))
    np.testing.assert_array_equal(second, [[[0], [4]], [[8], [12]]])


def test_columns_that_are_not_for_sequences() -> None:
    number = layers.real_valued_column("r")
    keys = layers.sparse_column_with_keys("w", ["a"])
    crossed = layers.crossed_column([keys, layers.sparse_column_with_keys("v", ["a"])], 10)
    not_for = "is not currently supported for sequence data."
    for column, given, text in (
        (number, tf.constant([1.0]), "column r. Rank of input Tensor (1) should be the same as"),
        (number, tf.placeholder(tf.float32), "column r. Rank of input Tensor can not be None."),
        (
            layers.bucketized_column(number, [1.0]),
            tf.constant([[1.0]]),
            f"FeatureColumn type _BucketizedColumn {not_for}",
        ),
        (keys, sparse(ROWS), f"FeatureColumn type _SparseColumnKeys {not_for}"),
        (
            layers.scattered_embedding_column("w", 3, 3, 1),
            sparse(ROWS),
            f"FeatureColumn type _ScatteredEmbeddingColumn {not_for}",
        ),
        (
            layers.embedding_column(crossed, 3),
            sparse(ROWS),
            "Column v_X_w is of type _CrossedColumn, which is not currently supported for sequ",
        ),
    ):
        with pytest.raises(ValueError) as caught:
            layers.sequence_input_from_feature_columns({"r": given, "w": given}, [column])
        assert text in str(caught.value)


def test_parsed_sequence_examples() -> None:
    example = tf.train.SequenceExample()
    example.context.feature["c"].float_list.value.extend([3.0])
    example.context.feature["w"].bytes_list.value.extend([b"a", b"q"])
    for step in range(2):
        lists = example.feature_lists.feature_list
        lists["r"].feature.add().float_list.value.extend([step, step + 1.0])
        lists["z"].feature.add().bytes_list.value.extend([b"z"] * step)
    serialized = tf.constant([example.SerializeToString()])
    context, steps = layers.parse_feature_columns_from_sequence_examples(
        serialized,
        [layers.real_valued_column("c"), layers.sparse_column_with_keys("w", ["a"])],
        [
            layers.real_valued_column("r", 2),
            layers.sparse_column_with_keys("z", ["z"]),
            layers.real_valued_column("m", 2, default_value=[0.0, 0.0]),
        ],
    )
    assert sorted(context) == ["c", "w"] and sorted(steps) == ["m", "r", "z"]
    with tf.Session() as session:
        got, listed = session.run([context, steps])
    assert got["c"].tolist() == [3.0] and got["w"].values.tolist() == [b"a", b"q"]
    assert listed["r"].tolist() == [[0, 1], [1, 2]] and listed["m"].shape == (0, 2)
    assert listed["z"].indices.tolist() == [[1, 0]]
    with pytest.raises(ValueError, match="must contain as single sequence example"):
        layers.parse_feature_columns_from_sequence_examples(tf.constant(["", ""]), None, None)

"""Crosses, orders and texts of columns: what TensorFlow 1.15 gives for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import layers


def words() -> tf.SparseTensor:
    places = tf.constant([[0, 0], [0, 1], [2, 0], [3, 0]], tf.int64)
    return tf.SparseTensor(places, tf.constant(["a", "b", "c", "dd"]), [4, 3])


def numbers() -> tf.SparseTensor:
    places = tf.constant([[0, 0], [1, 0], [2, 0], [2, 1], [3, 0]], tf.int64)
    return tf.SparseTensor(places, tf.constant([7, -8, 9, 10, 11]), [4, 3])


def features() -> dict[str, Any]:
    return {
        "s": words(),
        "q": numbers(),
        "x": tf.constant([[0.0, 1.5], [3, 3], [1, 2], [9, -1]]),
    }


def values_of(sparse: tf.SparseTensor) -> list[Any]:
    """The values of crosses, which fill their rows from the left."""
    with tf.Session() as session:
        indices, values, shape = session.run([sparse.indices, sparse.values, sparse.dense_shape])
    counts = np.bincount(indices[:, 0], minlength=shape[0])
    assert indices.tolist() == [[row, k] for row, count in enumerate(counts) for k in range(count)]
    assert shape.tolist() == [4, counts.max()]
    return list(values)


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def test_hashes_without_a_key() -> None:
    assert values_of(layers.sparse_feature_cross([words(), numbers()], True)) == [
        8479621863018342117,
        1603331213059006382,
        3379466774602871935,
        3379466774602871934,
        610852298275137750,
    ]
    dense = tf.constant([["x", "y"]] * 4)
    found = layers.sparse_feature_cross([words(), numbers(), dense], True, 100)
    assert values_of(found) == [28, 75, 90, 61, 82, 19, 3, 42, 90, 39]
    # Sparse columns come first.
    found = layers.sparse_feature_cross([dense, words(), numbers()], True, 1000)
    assert values_of(found) == [828, 75, 90, 661, 782, 719, 903, 742, 490, 139]
    found = layers.sparse_feature_cross([dense, tf.constant([[1, 2, 3]] * 4)], True, 1000)
    assert values_of(found) == [943, 942, 941, 129, 126, 127] * 4


def test_hashes_with_a_key_and_texts() -> None:
    both = [words(), numbers()]
    found = layers.sparse_feature_cross(both, True, 50, hash_key=99)
    assert values_of(found) == [5, 38, 8, 35, 3]
    texts = values_of(layers.sparse_feature_cross(both))
    assert texts == [b"a_X_7", b"b_X_7", b"c_X_9", b"c_X_10", b"dd_X_11"]
    with pytest.raises(TypeError, match="Inputs must be a list"):
        layers.sparse_feature_cross(words(), True)


def test_crosses_of_columns() -> None:
    ranges = layers.bucketized_column(layers.real_valued_column("x", 2), [1.0, 2.0])
    word = layers.sparse_column_with_hash_bucket("s", 10)
    number = layers.sparse_column_with_integerized_feature("q", 5)
    cross = layers.crossed_column([word, ranges], 30, combiner="mean")
    keyed = layers.crossed_column([number, word], 50, hash_key=5)
    nested = layers.crossed_column([layers.crossed_column([word, number], 9), ranges], 60)
    found = layers.transform_features(features(), [cross, keyed, nested, number])
    assert values_of(found[cross]) == [13, 9, 11, 27, 29, 21, 2, 1]
    assert values_of(found[keyed]) == [43, 34, 6, 24, 43]
    assert values_of(found[nested]) == [6, 18, 56, 52, 8, 12, 57, 1, 5, 4]
    with tf.Session() as session:
        # Numbers are divided, however large.
        assert session.run(found[number]).values.tolist() == [2, 2, 4, 0, 1]
    assert (nested.name, nested.length) == ("q_X_s_X_x_bucketized", 60)
    assert sorted(nested.config) == ["q", "s", "x"]


def test_texts_of_columns() -> None:
    word = layers.sparse_column_with_hash_bucket("s", 10)
    text = (
        "_SparseColumnHashed(column_name='s', is_integerized=False, bucket_size=10, "
        "lookup_config=None, combiner='sum', dtype=tf.string)"
    )
    assert word.key == text
    number = "_RealValuedColumn(column_name='x', dimension=1, default_value=None, dtype=tf.float32"
    real = layers.real_valued_column("x")
    plain = "_RealValuedColumn(column_name=x, dimension=1, default_value=None, dtype="
    assert real.key == f"{plain}<dtype: 'float32'>)"
    ranges = layers.bucketized_column(real, [1.0, 2.0, 2.0])
    assert ranges.key == (
        f"_BucketizedColumn(source_column={number}, normalizer=None), boundaries=(1.0, 2.0))"
    )
    keys = layers.sparse_column_with_keys("s", ["a", "b"])
    assert layers.one_hot_column(keys).key == (
        "_OneHotColumn(sparse_id_column=_SparseColumnKeys(column_name='s', is_integerized=False, "
        "bucket_size=None, lookup_config=_SparseIdLookupConfig(vocabulary_file=None, "
        "keys=('a', 'b'), num_oov_buckets=0, vocab_size=2, default_value=-1), combiner='sum', "
        "dtype=tf.string))"
    )
    weighted = layers.weighted_sparse_column(word, "w")
    assert layers.embedding_column(weighted, 3, max_norm=1.0).key == (
        f"_EmbeddingColumn(sparse_id_column=_WeightedSparseColumn(sparse_id_column={text}, "
        "weight_column_name='w', dtype=tf.float32), dimension=3, combiner=mean, "
        "ckpt_to_load_from=None, tensor_name_in_ckpt=None, shared_embedding_name=None, "
        "shared_vocab_size=None, max_norm=1.0, trainable=True)"
    )
    assert layers.crossed_column([word, ranges], 7, hash_key=3).key.endswith(
        "hash_bucket_size=7, hash_key=3, combiner='sum', ckpt_to_load_from=None, "
        "tensor_name_in_ckpt=None)"
    )
    assert sorted(weighted.config) == ["s", "w"]


def test_hashed_columns_come_before_lists() -> None:
    hot = layers.one_hot_column
    columns = [
        hot(layers.sparse_column_with_keys("a", ["k", "l"])),
        hot(layers.sparse_column_with_integerized_feature("b", 2)),
        hot(layers.sparse_column_with_hash_bucket("z", 1)),
    ]

    def one(value: Any) -> tf.SparseTensor:
        return tf.SparseTensor([[0, 0]], tf.constant([value]), [1, 1])

    given = {"a": one("l"), "b": one(1), "z": one("l")}
    found = layers.input_from_feature_columns(given, columns)
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        assert session.run(found).tolist() == [[1, 0, 1, 0, 1]]


def test_joint_weights() -> None:
    columns = [
        layers.sparse_column_with_keys("s", ["a", "b"]),
        layers.sparse_column_with_hash_bucket("s", 1),
    ]
    found, (table,), bias = layers.joint_weighted_sum_from_feature_columns(
        {"s": words()}, columns, 1, weight_collections=["own"]
    )
    scope = "joint_weighted_sum_from_feature_columns"
    assert table.op.name == f"{scope}/linear_weights/weights"
    assert tf.get_collection("own") == [table, bias]
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        table.load([[1.0], [10.0], [100.0]], session)
        bias.load([0.5], session)
        # An unknown word's -1 is the last id of the column before, there as well.
        assert session.run(found).tolist() == [[112.5], [0.5], [2.5], [2.5]]


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        (layers.real_valued_column("x"), NotImplementedError, "Real-valued columns are not"),
        (
            layers.sparse_column_with_hash_bucket("s", 3, combiner="mean"),
            AssertionError,
            "Combiners other than sum",
        ),
        (
            layers.weighted_sparse_column(layers.sparse_column_with_hash_bucket("s", 3), "w"),
            AssertionError,
            "weighted sparse columns are not supported",
        ),
    ],
)
def test_columns_without_joint_weights(column: Any, error: type[Exception], message: str) -> None:
    given = {"s": words(), "x": tf.ones([4, 1]), "w": words()}
    given["w"] = tf.SparseTensor(words().indices, tf.ones([4]), [4, 3])
    with pytest.raises(error, match=message):
        layers.joint_weighted_sum_from_feature_columns(given, [column], 1)


def test_crossed_weights_from_a_checkpoint(tmp_path: Path) -> None:
    saved = tf.get_variable("old", [3, 1], initializer=tf.constant_initializer(4.0))
    with tf.Session() as session:
        session.run(saved.initializer)
        path = tf.train.Saver([saved]).save(session, str(tmp_path / "old"))
    word = layers.sparse_column_with_hash_bucket("s", 10)
    number = layers.sparse_column_with_integerized_feature("q", 5)
    cross = layers.crossed_column([word, number], 3, "sum", path, "old")
    found, _, _ = layers.weighted_sum_from_feature_columns(features(), [cross], 1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(found).ravel().tolist() == [8, 0, 8, 4]

"""tf.estimator.experimental.LinearSDCA: where it ends, by TensorFlow 1.15."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf

fc = tf.feature_column
Sdca = tf.estimator.experimental.LinearSDCA


def columns() -> list[Any]:
    age = fc.numeric_column("age")
    buckets = fc.bucketized_column(age, [0.0, 0.5])
    numbered = fc.categorical_column_with_identity("wid", 3)
    return [
        age,
        fc.numeric_column("two", shape=2),
        fc.categorical_column_with_vocabulary_list("word", ["a", "b", "c"]),
        fc.weighted_categorical_column(numbered, "wts"),
        buckets,
        fc.crossed_column(["word", buckets], 7),
    ]


def batch(labels: Any) -> tuple[dict[str, Any], Any]:
    words = ["a", "a", "b", "zz", "c", "b"]
    places = [[0, 0], [1, 0], [3, 0]]
    features = {
        "id": tf.constant(["1", "2", "3", "4"]),
        "age": tf.constant([[0.6], [0.1], [0.8], [-0.3]]),
        "two": tf.constant([[1.0, 2.0], [0.0, 1.0], [2.0, 0.0], [0.5, 0.5]]),
        "word": tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0], [3, 0], [3, 1]], words, [4, 2]),
        "wid": tf.SparseTensor(places, tf.constant([2, 0, 1], tf.int64), [4, 2]),
        "wts": tf.SparseTensor(places, [2.0, 0.5, 1.5], [4, 2]),
        "w": tf.constant([[1.0], [2.0], [0.5], [3.0]]),
    }
    return features, tf.constant(labels)


KINDS: dict[str, tuple[Any, Any, dict[str, list[float]], float]] = {
    "classes": (
        tf.estimator.LinearClassifier,
        [[1], [0], [1], [0]],
        {
            "age": [0.2579],
            "age_bucketized": [-0.2636, -0.3110, 0.2970],
            "age_bucketized_X_word": [0.0, -0.2636, 0.0, -0.1051, -0.3110, 0.0, 0.2770],
            "two": [0.3236, -0.1658],
            "wid_weighted_by_wts": [-0.1555, -0.3954, 0.2770],
            "word": [0.2770, -0.5746, -0.2636],
        },
        0.9536,
    ),
    "numbers": (
        tf.estimator.LinearRegressor,
        [[1.0], [-0.5], [2.0], [0.0]],
        {
            "age": [0.1908],
            "age_bucketized": [-0.0392, -0.1240, 0.2451],
            "age_bucketized_X_word": [0.0, -0.0392, 0.0, 0.1825, -0.1240, 0.0, 0.0469],
            "two": [0.4472, -0.0967],
            "wid_weighted_by_wts": [-0.0620, -0.0589, 0.0469],
            "word": [0.0469, -0.1632, -0.0392],
        },
        0.1071,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_weights_where_it_ends(kind: str, tmp_path: Path) -> None:
    """The order of examples is drawn, so that only the end is the same each time."""
    make, labels, expected, loss = KINDS[kind]
    made = make(columns(), str(tmp_path), weight_column="w", optimizer=Sdca("id"))
    made.train(lambda: batch(labels), steps=20)
    for name, weights in expected.items():
        found = made.get_variable_value(f"linear/linear_model/{name}/weights")
        np.testing.assert_allclose(found.ravel(), weights, atol=6e-5)
        slot = f"linear/linear/linear_model/{name}/weights/part_0_unshrunk"
        np.testing.assert_array_equal(made.get_variable_value(slot), found)
    assert made.evaluate(lambda: batch(labels), steps=1)["loss"] == pytest.approx(loss, abs=2e-4)
    assert made.get_variable_value("global_step") == 20


def test_options_reach_the_solver(tmp_path: Path) -> None:
    """Without a column of weights all count the same; the L1 norm shrinks what is kept beside."""
    options = {"symmetric_l1_regularization": 0.05, "num_table_shards": 2}
    ascent = Sdca("id", num_loss_partitions=2, symmetric_l2_regularization=2.0, **options)
    made = tf.estimator.LinearRegressor(columns()[:2], str(tmp_path), optimizer=ascent)
    made.train(lambda: batch([[1.0], [-0.5], [2.0], [0.0]]), steps=3)
    assert "ShardedMutableHashTable-2-of-2-keys" in made.get_variable_names()
    slot = made.get_variable_value("linear/linear/linear_model/two/weights/part_0_unshrunk")
    shrunk = np.sign(slot) * np.maximum(np.abs(slot) - 0.05 / 2.0, 0.0)
    found = made.get_variable_value("linear/linear_model/two/weights")
    np.testing.assert_allclose(found, shrunk, rtol=1e-6)


def trained(features: Any, cols: list[Any], head: Any = None) -> None:
    options: Any = {"optimizer": Sdca("id")}
    if head is None:
        made: Any = tf.estimator.LinearRegressor(cols, **options)
    else:
        made = tf.estimator.LinearEstimator(head, cols, **options)
    made.train(lambda: (features(), tf.ones([2, 1])), steps=1)


def ones(shape: list[int]) -> Any:
    return {"id": tf.constant(["a", "b"]), "m": tf.ones(shape)}


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: tf.estimator.LinearClassifier(columns(), n_classes=3, optimizer=Sdca("id")),
        "LinearSDCA cannot be used in a multi-class setting",
    ),
    (
        lambda: tf.estimator.LinearRegressor(columns(), label_dimension=2, optimizer=Sdca("id")),
        "LinearSDCA can only be used with one-dimensional label",
    ),
    (
        lambda: tf.estimator.LinearClassifier(
            columns(), sparse_combiner="mean", optimizer=Sdca("id")
        ),
        'sparse_combiner must be "sum" when optimizer is a LinearSDCA object',
    ),
    (
        lambda: trained(lambda: ones([2, 2, 1]), [fc.numeric_column("m", shape=(2, 1))]),
        "Column NumericColumn has rank 2, larger than 1",
    ),
    (
        lambda: trained(lambda: {"m": tf.ones([2, 1])}, [fc.numeric_column("m")]),
        "wants the ids of examples as the feature 'id'; there are .'m'.",
    ),
    (
        lambda: trained(
            lambda: ones([2, 1]),
            [fc.numeric_column("m")],
            tf.contrib.estimator.multi_label_head(2),
        ),
        "Unsupported head type: ",
    ),
]


@pytest.mark.parametrize(("what", "message"), REFUSED)
def test_what_is_refused(what: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        what()

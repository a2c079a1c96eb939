"""Linear models of tf.contrib.learn by dual coordinate ascent, as TensorFlow 1.15 trains them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import layers, learn, linear_optimizer

X = np.random.RandomState(0).rand(40, 3).astype(np.float32)
Y = (X.sum(1) > 1.5).astype(np.int32)[:, None]
OPTIMIZER = linear_optimizer.SDCAOptimizer("example_id")


def inputs() -> Any:
    places = [[i, j] for i in range(40) for j in range(2)]
    letters = ["abcz"[(i * 7 + j * i) % 4] for i, j in places]
    features = {
        "example_id": tf.constant([str(i) for i in range(40)]),
        "x": tf.constant(X),
        "w": tf.constant(np.linspace(0.5, 2, 40, dtype=np.float32)[:, None]),
        "s": tf.SparseTensor(places, letters, [40, 2]),
        "v": tf.SparseTensor(places, [float(i % 5) for i, _ in places], [40, 2]),
    }
    return features, tf.constant(Y)


def columns() -> dict[str, Any]:
    x = layers.real_valued_column("x", 3)
    keys = layers.sparse_column_with_keys("s", ["a", "b", "c"])
    hashed = layers.sparse_column_with_hash_bucket("s", 10)
    return {
        "x": x,
        "buckets": layers.bucketized_column(x, [0.3, 0.6]),
        "keys": keys,
        "hashed": hashed,
        "weighted": layers.weighted_sparse_column(keys, "v"),
        "crossed": layers.crossed_column([hashed, keys], 20),
    }


def weights(model: Any, name: str) -> Any:
    return model.get_variable_value(name).ravel()


def test_a_machine(tmp_path: Path) -> None:
    model = learn.SVM("example_id", [columns()["x"]], model_dir=str(tmp_path), l2_regularization=2)
    model.fit(input_fn=inputs, steps=60)
    assert model.get_variable_names() == [
        "ShardedMutableHashTable-1-of-1-keys",
        "ShardedMutableHashTable-1-of-1-values",
        "binary_svm_head/train_op/linear/bias_weight_unshrinked/SDCAOptimizer",
        "binary_svm_head/train_op/linear/x/weight_unshrinked/SDCAOptimizer",
        "global_step",
        "linear/bias_weight",
        "linear/x/weight",
    ]
    np.testing.assert_allclose(weights(model, "linear/x/weight"), [0.98, 2.2, 0.51], atol=0.02)
    np.testing.assert_allclose(weights(model, "linear/bias_weight"), [-1.66], atol=0.02)
    found = model.evaluate(input_fn=inputs, steps=1)
    assert found["accuracy"] == pytest.approx(0.9) and found["loss"] == pytest.approx(
        0.43, abs=0.01
    )
    classes = [int(each) for each in model.predict_classes(input_fn=inputs)]
    assert np.mean(classes == Y[:, 0]) == pytest.approx(0.9)
    assert sorted(next(iter(model.predict(input_fn=inputs)))) == ["classes", "logits"]
    with pytest.raises(ValueError, match="Expected to run at least one output from"):
        list(model.predict_proba(input_fn=inputs))


# By TensorFlow 1.15; to how many hundredths two of its own runs agree.
ENDS: dict[str, tuple[Callable[[str], Any], dict[str, list[float]], dict[str, float]]] = {
    "buckets and keys": (
        lambda folder: learn.SVM(
            "example_id",
            [columns()["buckets"], columns()["keys"]],
            weight_column_name="w",
            model_dir=folder,
            l1_regularization=0.1,
            l2_regularization=2.0,
        ),
        {
            "linear/x_bucketized/weights": [
                *(-0.29, -0.28, 0.72),
                *(-1.11, 0.28, 0.89),
                *(-0.66, 0.36, 0.36),
            ]
        },
        {"loss": 0.34},
    ),
    "categories and crosses": (
        lambda folder: learn.LinearClassifier(
            [columns()[name] for name in ("x", "hashed", "crossed")],
            model_dir=folder,
            optimizer=linear_optimizer.SDCAOptimizer("example_id", num_table_shards=2),
        ),
        {
            "linear/bias_weight": [-0.45],
            "linear/s/weights": [0, 0, -0.38, 0, 0, 0, 0, -0.14, 0, -0.39],
        },
        {},
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_columns(tmp_path: Path, name: str) -> None:
    make, values, metrics = ENDS[name]
    model = make(str(tmp_path))
    model.fit(input_fn=inputs, steps=60)
    for variable, expected in values.items():
        np.testing.assert_allclose(weights(model, variable), expected, atol=0.03)
    found = model.evaluate(input_fn=inputs, steps=1)
    for key, value in metrics.items():
        assert found[key] == pytest.approx(value, abs=0.02)


def test_weights_of_categories_and_parts(tmp_path: Path) -> None:
    """What weighs nothing is not learnt, and parts are no other weights than a whole."""
    found = []
    for number, cuts in enumerate((None, tf.min_max_variable_partitioner(2, min_slice_size=2))):
        model = learn.LinearClassifier(
            [columns()["x"], columns()["weighted"]],
            model_dir=str(tmp_path / str(number)),
            weight_column_name="w",
            optimizer=linear_optimizer.SDCAOptimizer("example_id", partitioner=cuts),
        )
        model.fit(input_fn=inputs, steps=60)
        found.append(weights(model, "linear/s_weighted_by_v/weights"))
        names = model.get_variable_names()
    assert any("weights/part_1_unshrinked/SDCAOptimizer" in each for each in names)
    assert np.count_nonzero(found[0]) == 3
    np.testing.assert_allclose(found[0], found[1], atol=0.02)


def test_a_regression(tmp_path: Path) -> None:
    optimizer = linear_optimizer.SDCAOptimizer("example_id", symmetric_l2_regularization=2.0)
    model = learn.LinearRegressor([columns()["x"]], model_dir=str(tmp_path), optimizer=optimizer)
    model.fit(input_fn=inputs, steps=60)
    x = np.c_[X, np.ones(40)]
    best = np.linalg.solve(x.T @ x + 2 * np.eye(4), x.T @ Y)
    np.testing.assert_allclose(weights(model, "linear/x/weight"), best[:3, 0], atol=1e-3)
    np.testing.assert_allclose(weights(model, "linear/bias_weight"), best[3], atol=1e-3)


def test_what_is_refused(tmp_path: Path) -> None:
    x = [layers.real_valued_column("x", 3)]
    refused: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (
            lambda: learn.SVM("example_id", x, kernels=["a"]),
            ValueError,
            "Kernel SVMs are not currently supported.",
        ),
        (
            lambda: learn.LinearClassifier(x, optimizer=OPTIMIZER, enable_centered_bias=True),
            ValueError,
            "enable_centered_bias is not supported with SDCA",
        ),
        (
            lambda: learn.LinearClassifier(x, optimizer=OPTIMIZER, n_classes=3),
            AssertionError,
            "SDCA only applies to binary classification.",
        ),
        (
            lambda: learn.LinearClassifier(x, optimizer=OPTIMIZER, _joint_weight=True),
            AssertionError,
            "_joint_weight is incompatible with the SDCAOptimizer",
        ),
        (
            lambda: learn.LinearRegressor(x, optimizer=OPTIMIZER, label_dimension=2),
            AssertionError,
            "SDCA only applies for label_dimension=1.",
        ),
        (
            lambda: learn.LinearEstimator(x, head=None, optimizer=OPTIMIZER),
            ValueError,
            "LinearEstimator does not support SDCA optimizer.",
        ),
    ]
    for make, error, text in refused:
        with pytest.raises(error, match=text):
            make()
    with pytest.raises(KeyError, match="nope"):
        learn.SVM("nope", x, model_dir=str(tmp_path / "a")).fit(input_fn=inputs, steps=1)
    embedded = layers.embedding_column(columns()["keys"], 2)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="does not support column type"):
        OPTIMIZER.get_train_step({embedded: [None]}, None, "squared_loss", {}, tf.zeros([1]), None)

"""Estimators of linear models by dual coordinate ascent: where TensorFlow 1.15's end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import layers
from dataflow.contrib.learn import sdca_estimators
from dataflow.contrib.learn.heads.numbers import regression_head

X = np.random.RandomState(0).rand(40, 3).astype(np.float32)
Y = (X.sum(1) > 1.5).astype(np.int32)[:, None]


def features() -> dict[str, Any]:
    weights = np.linspace(0.5, 2, 40, dtype=np.float32)[:, None]
    ids = [str(i) for i in range(40)]
    return {"example_id": tf.constant(ids), "x": tf.constant(X), "w": tf.constant(weights)}


def classes() -> Any:
    return features(), tf.constant(Y)


def numbers() -> Any:
    return features(), tf.constant((X @ [1, 2, 3]).astype(np.float32)[:, None])


def columns() -> Any:
    return [layers.real_valued_column("x", 3)]


def test_classes(tmp_path: Path) -> None:
    model = sdca_estimators.SDCALogisticClassifier(
        "example_id", columns(), "w", str(tmp_path), l1_regularization=0.1, l2_regularization=2.0
    )
    model.fit(input_fn=classes, steps=60)
    assert model.get_variable_names()[2:4] == [
        "binary_logistic_head/train_op/linear/bias_weight_unshrinked/SDCAOptimizer",
        "binary_logistic_head/train_op/linear/x/weight_unshrinked/SDCAOptimizer",
    ]
    weights = model.get_variable_value("linear/x/weight")
    np.testing.assert_allclose(weights[:, 0], [0.60167, 1.28380, 0.38503], atol=1e-3)
    np.testing.assert_allclose(model.get_variable_value("linear/bias_weight"), -0.97754, atol=1e-3)
    found = model.evaluate(input_fn=classes, steps=1)
    assert found["loss"] == pytest.approx(0.53767, abs=1e-4)
    assert found["accuracy"] == pytest.approx(0.90231, abs=1e-4)
    chances = list(model.predict_proba(input_fn=classes))
    np.testing.assert_allclose(chances[0], [0.37686, 0.62314], atol=1e-3)
    told = list(model.predict_classes(input_fn=classes))
    assert np.mean(np.array(told) == Y[:, 0]) == 0.9


def test_numbers(tmp_path: Path) -> None:
    model = sdca_estimators.SDCALinearRegressor("example_id", columns(), model_dir=str(tmp_path))
    model.fit(input_fn=numbers, steps=60)
    x = np.c_[X, np.ones(40)]
    best = np.linalg.solve(x.T @ x + np.eye(4), x.T @ (X @ [1, 2, 3]))
    np.testing.assert_allclose(model.get_variable_value("linear/x/weight")[:, 0], best[:3], 1e-3)
    scores = np.array(list(model.predict_scores(input_fn=numbers)))
    np.testing.assert_allclose(scores, x @ best, rtol=1e-3)


def test_parts_and_workers(tmp_path: Path) -> None:
    model = sdca_estimators.SDCALinearRegressor(
        "example_id",
        columns(),
        model_dir=str(tmp_path),
        num_loss_partitions=2,
        partitioner=tf.min_max_variable_partitioner(2, min_slice_size=2),
        feature_engineering_fn=lambda features, labels: (features, 2.0 * labels),
    )
    model.fit(input_fn=numbers, steps=1)
    part = "regression_head/train_op/linear/x/weight/part_1_unshrinked/SDCAOptimizer"
    assert part in model.get_variable_names()


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="SDCALinearRegressor needs feature_columns"):
        sdca_estimators.SDCALinearRegressor("example_id", [])
    params = {
        "head": regression_head(),
        "feature_columns": columns(),
        "example_id_column": "example_id",
        "l1_regularization": 0.0,
        "l2_regularization": 1.0,
        "num_loss_partitions": None,
        "weight_column_name": None,
        "partitioner": None,
    }
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="needs a config"):
            sdca_estimators.sdca_model_fn(*numbers(), "train", params)
        with pytest.raises(ValueError, match="Unsupported head type"):
            wrong = {**params, "head": None, "num_loss_partitions": 1}
            sdca_estimators.sdca_model_fn(*numbers(), "train", wrong)

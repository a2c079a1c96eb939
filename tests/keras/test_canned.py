"""Canned estimators of tf.compat.v2, beside what TensorFlow 1.15 gives for the same rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.porting.spellings import estimators as spelled
from dataflow.porting.v2 import estimator as v2

COLUMNS: dict[str, Any] = {
    "x": np.array([[1.0], [-2.0], [0.5], [3.0]], np.float32),
    "c": np.array([["a"], ["b"], ["a"], ["c"]]),
    "w": np.array([[1.0], [2.0], [1.0], [0.5]], np.float32),
}
CLASSES = np.array([[1], [0], [1], [0]])
NUMBERS = np.array([[1.0], [2.0], [0.5], [-1.0]], np.float32)

number = tf.feature_column.numeric_column("x")
letter = tf.feature_column.categorical_column_with_vocabulary_list("c", ["a", "b", "c"])
letters = tf.feature_column.indicator_column(letter)


def _rows(labels: np.ndarray) -> Callable[[], Any]:
    return lambda: ({k: tf.constant(v) for k, v in COLUMNS.items()}, tf.constant(labels))


Made = Callable[[str], Any]
# An estimator, its labels, and metrics after three steps, as 1.15 gives them.
CASES: dict[str, tuple[Made, np.ndarray, dict[str, float]]] = {
    "baseline of classes": (
        lambda path: v2.BaselineClassifier(path),
        CLASSES,
        {"loss": 0.6931, "average_loss": 0.6931, "label/mean": 0.5},
    ),
    "baseline of weighted numbers": (
        lambda path: v2.BaselineRegressor(path, weight_column="w", optimizer="SGD"),
        NUMBERS,
        {"loss": 1.0502, "average_loss": 0.9336, "prediction/mean": 1.073},
    ),
    "baseline of a head": (
        lambda path: v2.BaselineEstimator(
            tf.estimator.RegressionHead(), path, lambda: tf.keras.optimizers.Adam(0.1)
        ),
        NUMBERS,
        {"loss": 1.2797, "prediction/mean": 0.2967},
    ),
    "linear classes": (
        lambda path: v2.LinearClassifier([number, letter], path, weight_column="w"),
        CLASSES,
        {"loss": 0.5429, "average_loss": 0.4826, "auc": 0.8, "auc_precision_recall": 0.5976},
    ),
    "linear numbers": (
        lambda path: v2.LinearRegressor(
            [number, letter], path, optimizer=lambda: tf.keras.optimizers.SGD(0.1)
        ),
        NUMBERS,
        {"loss": 0.2806, "prediction/mean": 0.2361},
    ),
    "linear numbers by default": (
        lambda path: v2.LinearRegressor([number, letter], path, optimizer=None),
        NUMBERS,
        {"loss": 0.177, "prediction/mean": 0.3812},
    ),
    "linear, with a head": (
        lambda path: v2.LinearEstimator(
            tf.estimator.MultiClassHead(3), [number], path, optimizer="RMSProp"
        ),
        CLASSES,
        {"loss": 0.9509, "accuracy": 0.25},
    ),
    "a linear model and no net": (
        lambda path: v2.DNNLinearCombinedRegressor(
            path, linear_feature_columns=[number, letter], linear_optimizer="Adam"
        ),
        NUMBERS,
        {"loss": 1.4685, "prediction/mean": 0.0131},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_metrics_after_three_steps(case: str, tmp_path: Path) -> None:
    make, labels, want = CASES[case]
    made = make(str(tmp_path))
    made.train(_rows(labels), steps=3)
    found = made.evaluate(_rows(labels), steps=1)
    assert {key: round(float(found[key]), 4) for key in want} == pytest.approx(want, abs=1e-4)
    made.train(_rows(labels), steps=1)
    assert made.get_variable_value("global_step") == 4


def _names(made: Any, labels: np.ndarray) -> set[str]:
    made.train(_rows(labels), steps=1)
    return {name for name in made.get_variable_names() if "training/" not in name}


def test_nets_keep_their_variables_whole_and_are_trained(tmp_path: Path) -> None:
    net = v2.DNNClassifier([3], [number, letters], str(tmp_path), batch_norm=True)
    assert _names(net, CLASSES) == {
        *(f"dnn/hiddenlayer_0/{name}" for name in ("bias", "kernel")),
        *(
            f"dnn/hiddenlayer_0/batchnorm_0/{name}"
            for name in ("beta", "gamma", "moving_mean", "moving_variance")
        ),
        *(f"dnn/logits/{name}" for name in ("bias", "kernel")),
        "global_step",
    }
    name = "dnn/hiddenlayer_0/batchnorm_0/moving_mean"
    assert "training/Adagrad/dnn/logits/kernel/accumulator" in net.get_variable_names()
    before = net.get_variable_value(name)
    net.train(_rows(CLASSES), steps=1)
    assert not np.array_equal(before, net.get_variable_value(name))


def test_each_half_has_an_optimizer_and_one_counts(tmp_path: Path) -> None:
    both = v2.DNNLinearCombinedClassifier(
        str(tmp_path), [number], dnn_feature_columns=[letters], dnn_hidden_units=[2], n_classes=3
    )
    both.train(_rows(CLASSES), steps=2)
    names = both.get_variable_names()
    assert both.get_variable_value("global_step") == both.get_variable_value("training/Ftrl/iter")
    assert "training/Adagrad/iter" not in names
    assert "training/Ftrl/linear/linear_model/x/weights/linear" in names


@pytest.mark.parametrize(
    ("optimizer", "text"),
    [
        (
            "Bad",
            "Unsupported optimizer name: Bad. Supported names are: ('Adagrad', 'Adam', 'Ftrl', "
            "'RMSProp', 'SGD')",
        ),
        (3, "The given object is not a tf.keras.optimizers.Optimizer instance. Given: 3"),
    ],
)
def test_other_optimizers_are_refused(optimizer: Any, text: str, tmp_path: Path) -> None:
    made = v2.LinearRegressor([number], str(tmp_path), optimizer=optimizer)
    with pytest.raises(ValueError) as caught:
        made.train(_rows(NUMBERS), steps=1)
    assert str(caught.value) == text


def test_those_of_version_1_are_trained_by_their_own_optimizers(tmp_path: Path) -> None:
    rule = tf.keras.optimizers.SGD(0.1)
    made = tf.estimator.LinearRegressor([number], str(tmp_path), optimizer=rule)
    with pytest.raises(ValueError, match="The given object is not an Optimizer instance"):
        made.train(_rows(NUMBERS), steps=1)


def test_names_of_their_modules() -> None:
    assert spelled.LinearClassifierV2 is v2.LinearClassifier
    with tf.Graph().as_default():
        features = {"x": tf.constant(COLUMNS["x"])}
        build = spelled.dnn_logit_fn_builder_v2(2, [3], [number], tf.nn.relu, None, False)
        assert build(features, tf.estimator.ModeKeys.EVAL).shape.as_list() == [4, 2]
        names = [each.name for each in tf.trainable_variables()]
    assert names[:2] == ["dnn/hiddenlayer_0/kernel:0", "dnn/hiddenlayer_0/bias:0"]


def test_the_step_of_a_folder(tmp_path: Path) -> None:
    assert spelled._load_global_step_from_checkpoint_dir(str(tmp_path)) == 0
    made = v2.LinearRegressor([number], str(tmp_path))
    made.train(_rows(NUMBERS), steps=2)
    assert spelled._load_global_step_from_checkpoint_dir(str(tmp_path)) == 2

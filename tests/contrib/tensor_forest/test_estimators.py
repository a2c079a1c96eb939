"""Estimators of forests, their heads, hooks and exports.

Numbers are what TensorFlow 1.15 gives on one thread for the same data and seeds.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import learn
from dataflow.contrib.tensor_forest.client import eval_metrics, random_forest
from dataflow.contrib.tensor_forest.python import tensor_forest

_DRAWN = np.random.RandomState(3)
_ROWS = np.round(_DRAWN.randn(300, 4), 2).astype(np.float32)
_CLASSES = ((_ROWS[:, 0] > 0).astype(int) + (_ROWS[:, 1] > 0.5)).astype(np.int64)
_TARGETS = np.stack([_ROWS[:, 0] * 2 + _ROWS[:, 1], _ROWS[:, 2]], 1).astype(np.float32)


def _params(**given: Any) -> Any:
    given = {"num_classes": 3, "num_features": 4, "num_trees": 3, "base_random_seed": 5, **given}
    return tensor_forest.ForestHParams(max_nodes=60, split_after_samples=20, **given)


def _some(predictions: Any) -> list[Any]:
    return list(itertools.islice(predictions, 5))


def _close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_classes(tmp_path: Path) -> None:
    estimator = random_forest.TensorForestEstimator(_params(), report_feature_importances=True)
    estimator.fit(input_fn=lambda: (tf.constant(_ROWS), tf.constant(_CLASSES)), steps=8)
    metric = learn.MetricSpec(
        eval_metrics.get_metric("accuracy"),
        prediction_key=eval_metrics.get_prediction_key("accuracy"),
    )
    results = estimator.evaluate(
        input_fn=lambda: (tf.constant(_ROWS), tf.constant(_CLASSES)),
        steps=1,
        metrics={"own": metric},
    )
    _close([results["loss"], results["own"], results["accuracy"]], [0.58073, 0.99333, 0.99333])
    found = _some(estimator.predict(input_fn=lambda: tf.constant(_ROWS)))
    assert [each["classes"] for each in found] == [1, 0, 0, 2, 0]
    _close(found[3]["probabilities"], [0.21637, 0.22975, 0.55389])
    _close(found[4]["prediction_variance"], [0.06612, 0.06612, 0])

    def receive() -> Any:
        serialized = tf.placeholder(tf.string, [None])
        parsed = tf.parse_example(serialized, {"x": tf.FixedLenFeature([4], tf.float32)})
        return learn.InputFnOps({"features": parsed["x"]}, None, {"examples": serialized})

    folder = estimator.export_savedmodel(str(tmp_path), receive)
    examples = [
        tf.train.Example(
            features=tf.train.Features(
                feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=row))}
            )
        ).SerializeToString()
        for row in _ROWS[:4]
    ]
    with tf.Session(graph=tf.Graph()) as session:
        model = tf.saved_model.loader.load(session, ["serve"], folder)
        signature = model.signature_def["serving_default"]
        scores = session.run(
            signature.outputs["scores"].name, {signature.inputs["inputs"].name: examples}
        )
    _close(scores[2:], [[0.57612, 0.21194, 0.21194], [0.21637, 0.22975, 0.55389]])


def test_two_classes_with_weights_and_keys() -> None:
    def inputs() -> Any:
        features = {
            "a": tf.constant(_ROWS),
            "b": tf.constant((_CLASSES[:, None] % 2).astype(np.int32)),
            "w": tf.constant(np.linspace(0, 2, 300).astype(np.float32)),
            "k": tf.constant([str(place) for place in range(300)]),
        }
        return features, tf.constant((_CLASSES > 0)[:, None])

    estimator = random_forest.TensorForestEstimator(
        _params(num_classes=2, num_features=5), weight_column="w", keys_column="k"
    )
    estimator.fit(input_fn=inputs, steps=8)
    results = estimator.evaluate(input_fn=inputs, steps=1)
    _close([results["loss"], results["labels/prediction_mean"]], [0.00923, 0.67184])
    found = _some(estimator.predict(input_fn=lambda: inputs()[0]))
    assert [each["k"] for each in found[:3]] == [b"0", b"1", b"2"]
    _close([each["logits"] for each in found[:3]], [[13.81551], [-13.81551], [-0.54516]])
    _close(found[2]["prediction_variance"], [0.06945, 0.06945])


def test_numbers() -> None:
    def inputs() -> Any:
        return tf.constant(_ROWS), tf.constant(_TARGETS)

    params = _params(num_classes=2, regression=True, inference_tree_paths=True)
    estimator = random_forest.TensorForestEstimator(params, include_all_in_serving=True)
    estimator.fit(input_fn=inputs, steps=8)
    _close(estimator.evaluate(input_fn=inputs, steps=1)["loss"], 0.34023)
    found = _some(estimator.predict(input_fn=lambda: tf.constant(_ROWS[:5])))
    _close([each["scores"] for each in found[:2]], [[3.09403, -0.81711], [-1.23709, -0.49432]])
    _close(found[3]["prediction_variance"], [1.76259, 0.03846])
    assert len(found[0]["tree_paths"]) == 3


def test_several_labels() -> None:
    def inputs() -> Any:
        return tf.constant(_ROWS), tf.constant(np.stack([_CLASSES, 2 - _CLASSES], 1))

    params = [_params(num_trees=2, base_random_seed=5 + place) for place in range(2)]
    # Each forest counts the steps. Here six are over when four times two are: they are read before
    # they are counted. 1.15 reads them later, and takes eight for the same.
    one = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config = learn.RunConfig(session_config=one)
    estimator = random_forest.MultiForestMultiHeadEstimator(params, config=config)
    estimator.fit(input_fn=inputs, steps=6)
    assert estimator.get_variable_value("global_step") == 8
    _close(estimator.evaluate(input_fn=inputs, steps=1)["loss"], 0.61769)
    found = _some(estimator.predict(input_fn=lambda: tf.constant(_ROWS)))
    assert found[0]["probabilities"].shape == (6,) and found[0]["classes"].tolist() == [1, 1]


def test_estimators_of_the_core(tmp_path: Path) -> None:
    def inputs() -> Any:
        features = {"x": tf.constant(_ROWS), "y": tf.constant(_ROWS * 2)}
        return features, tf.constant((_CLASSES > 0).astype(np.int32)[:, None])

    estimator = random_forest.CoreTensorForestEstimator(_params())
    estimator.train(lambda: (tf.constant(_ROWS), tf.constant(_CLASSES)), steps=8)
    found = _some(estimator.predict(lambda: tf.constant(_ROWS)))
    _close(found[3]["probabilities"], [0.21637, 0.22975, 0.55389])
    _close(found[3]["prediction_variance"], [0, 0.00245, 0.00245])
    estimator = random_forest.CoreTensorForestEstimator(
        _params(num_classes=2, num_features=8),
        feature_columns=[tf.feature_column.numeric_column("x", [4])],
        include_all_in_serving=True,
        config=tf.estimator.RunConfig(),
    )
    estimator.train(inputs, steps=8)
    results = estimator.evaluate(inputs, steps=1)
    _close([results["loss"], results["prediction/mean"]], [0.01588, 0.64669])

    def receive() -> Any:
        features = {name: tf.placeholder(tf.float32, [None, 4]) for name in "xy"}
        return tf.estimator.export.ServingInputReceiver(features, dict(features))

    folder = estimator.export_savedmodel(str(tmp_path), receive)
    with tf.Session(graph=tf.Graph()) as session:
        model = tf.saved_model.loader.load(session, ["serve"], folder)
        assert {*model.signature_def} == {"serving_default", "tensorforest_all"}
        signature = model.signature_def["tensorforest_all"]
        fed = {signature.inputs["x"].name: _ROWS, signature.inputs["y"].name: _ROWS * 2}
        chances, variance = (
            session.run(signature.outputs[name].name, fed)
            for name in ("probabilities", "prediction_variance")
        )
    assert (chances.argmax(1) == (_CLASSES > 0)).mean() == results["accuracy"]
    assert variance.shape == (300, 2)


def test_training_ends_when_the_loss_stands_still() -> None:
    hook = random_forest.TensorForestLossHook(2, early_stopping_loss_threshold=0.1)
    losses, asked = [10.0, 10.0, 5.0, 4.8, 4.7, 4.6, 4.4], []

    class Context:
        """What hooks see of a run."""

        def request_stop(self) -> None:
            asked.append(step)

    for step, loss in enumerate(losses):
        results = {"current_loss": loss, "global_step": step}
        hook.after_run(Context(), tf.train.SessionRunValues(results, None, None))
    assert asked == [5] and hook.min_loss == 4.4
    with tf.Graph().as_default() as graph:
        step_tensor = tf.train.get_or_create_global_step()
        loss_tensor = tf.constant(1.0, name="rf_training_loss")
        with tf.Session() as session:
            context = tf.train.SessionRunContext(None, session)
            assert hook.before_run(context).fetches == {
                "global_step": step_tensor,
                "current_loss": loss_tensor,
            }
    assert graph is loss_tensor.graph


def test_training_loss_forest() -> None:
    params = _params(num_classes=2, num_trees=2).fill()
    labels = (_CLASSES[:, None] == np.arange(2)).astype(np.float32)
    with tf.Graph().as_default():
        rows, answers = tf.constant(_ROWS), tf.constant(_CLASSES % 2)
        forest = tensor_forest.TrainingLossForest(
            params, loss_fn=lambda chances, given: tf.squared_difference(chances, labels)
        )
        train, loss = forest.training_graph(rows, answers), forest.training_loss(rows, answers)
        chances = forest.inference_graph(rows)[0]
        with tf.train.MonitoredSession() as session:
            session.run(train)
            found, predicted = session.run([loss, chances])
    np.testing.assert_allclose(found, ((predicted - labels) ** 2).sum() / 300, rtol=1e-5)
    with pytest.raises(AttributeError, match="average_impurity"):
        forest.average_impurity()


_CHANCES = [[0.1, 0.7, 0.2], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1], [0.2, 0.2, 0.6]]
_METRICS: dict[str, tuple[Any, Any, Any]] = {
    "sigmoid_entropy": (_CHANCES, [[1], [0], [0], [2]], [0.680092]),
    "softmax_entropy": (_CHANCES, [1, 0, 0, 2], [0.860292]),
    "classification_log_loss": (_CHANCES, [[1], [0], [0], [2]], [0.345636]),
    "r2": (_CHANCES, [[0.0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]], [-0.116667]),
    "top_5": (
        [[5.0, 4, 3, 2, 1, 0], [11.0, 10, 9, 8, 7, 6]],
        [[5], [0]],
        [0.5],
    ),
    "precision_at_thresholds": (
        _CHANCES,
        [[1], [0], [0], [1]],
        [0.5, 0.5, 0.666667, 0.5, 0.5, 1.0],
    ),
    "recall_at_thresholds": (_CHANCES, [[1], [0], [0], [1]], [1, 1, 1, 0.5, 0.5, 0.5]),
    "auc": (_CHANCES, [[1], [0], [0], [1]], [0.75]),
    "accuracy": ([1, 2, 0, 2], [1, 0, 0, 2], [0.75]),
    "precision": ([1, 1, 0, 1], [1, 0, 0, 1], [0.666667]),
    "recall": ([1, 1, 0, 1], [1, 0, 0, 1], [1.0]),
}


def test_metrics() -> None:
    with tf.Graph().as_default():
        made = {
            name: eval_metrics.get_metric(name)(tf.constant(given), tf.constant(labels))
            for name, (given, labels, _) in _METRICS.items()
        }
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            session.run([update for _, update in made.values()])
            found = session.run({name: value for name, (value, _) in made.items()})
    for name, (*_, expected) in _METRICS.items():
        np.testing.assert_allclose(np.ravel(found[name])[:40:7], expected, atol=1e-5, err_msg=name)
    assert eval_metrics.get_metric("predictions")(3, None) == 3
    assert eval_metrics.get_prediction_key("r2") == "scores"
    with pytest.raises(KeyError):
        eval_metrics.get_metric("unknown")

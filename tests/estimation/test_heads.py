"""Heads against numpy: losses with weights, metrics, exports, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf

EVAL, PREDICT, TRAIN = "eval", "infer", "train"
LOGITS = np.array([[0.5, -1.0], [2.0, 0.25], [-3.0, 1.5]], np.float32)
WEIGHTS = np.array([[1.0], [2.0], [0.5]], np.float32)


def evaluated(head: Any, logits: Any, labels: Any, **options: Any) -> tuple[Any, dict[str, Any]]:
    """The loss and the metrics of a batch."""
    with tf.Graph().as_default(), tf.Session() as session:
        labels = labels() if callable(labels) else tf.constant(labels)
        spec = head.create_estimator_spec(
            features={"w": tf.constant(WEIGHTS)},
            mode=EVAL,
            logits=tf.constant(logits),
            labels=labels,
            **options,
        )
        session.run([tf.local_variables_initializer(), tf.tables_initializer()])
        loss, _ = session.run([spec.loss, {k: v[1] for k, v in spec.eval_metric_ops.items()}])
        return loss, session.run({k: v[0] for k, v in spec.eval_metric_ops.items()})


def cross_entropies(logits: Any, labels: Any) -> Any:
    """Of independent classes."""
    return np.logaddexp(0.0, logits) - labels * logits


@pytest.mark.parametrize("dense", [True, False])
def test_a_head_of_labels(dense: bool) -> None:
    head = tf.contrib.estimator.multi_label_head(
        2,
        weight_column="w",
        thresholds=[0.3],
        label_vocabulary=["no", "yes"],
        classes_for_class_based_metrics=["yes"],
    )
    labels = np.array([[0, 1], [1, 0], [1, 1]])

    def sparse() -> Any:
        names = tf.constant(["yes", "no", "no", "yes"])
        return tf.SparseTensor([[0, 0], [1, 0], [2, 0], [2, 1]], names, [3, 2])

    loss, metrics = evaluated(head, LOGITS, labels if dense else sparse)
    each = cross_entropies(LOGITS, labels).mean(1, keepdims=True)
    np.testing.assert_allclose(loss, np.sum(each * WEIGHTS) / 3, rtol=1e-5)
    np.testing.assert_allclose(metrics["average_loss"], np.average(each, weights=WEIGHTS), 1e-5)
    chances = 1 / (1 + np.exp(-LOGITS))
    right = (chances >= 0.3) == labels
    both = np.broadcast_to(WEIGHTS, (3, 2))
    np.testing.assert_allclose(
        metrics["accuracy/positive_threshold_0.3"], np.average(right, weights=both), rtol=1e-6
    )
    np.testing.assert_allclose(
        metrics["probability_mean/yes"], np.average(chances[:, 1:], weights=WEIGHTS), rtol=1e-5
    )
    assert {"auc/yes", "auc_precision_recall/yes", "auc"} <= set(metrics)


@pytest.mark.parametrize(
    ("reduction", "divisor"),
    [("weighted_sum", 1.0), ("weighted_sum_over_batch_size", 3.0), ("weighted_mean", 3.5)],
)
def test_a_head_of_two_classes(reduction: str, divisor: float) -> None:
    head = tf.contrib.estimator.binary_classification_head(
        "w", thresholds=[0.5], loss_reduction=reduction, name="top"
    )
    labels = np.array([0, 1, 1])
    loss, metrics = evaluated(head, LOGITS[:, :1], labels, regularization_losses=[0.25])
    each = cross_entropies(LOGITS[:, :1], labels[:, None]) * WEIGHTS
    np.testing.assert_allclose(loss, each.sum() / divisor + 0.25, rtol=1e-5)
    assert metrics["regularization_loss/top"] == 0.25
    np.testing.assert_allclose(metrics["label/mean/top"], 2.5 / 3.5, rtol=1e-6)
    np.testing.assert_allclose(metrics["precision/positive_threshold_0.5/top"], 2 / 3, rtol=1e-6)
    np.testing.assert_allclose(metrics["recall/top"], 2 / 2.5, rtol=1e-6)


def test_a_head_of_numbers_with_a_loss_of_its_own() -> None:
    head = tf.contrib.estimator.regression_head(
        label_dimension=2, loss_fn=lambda labels, logits: tf.abs(labels - logits)
    )
    labels = np.ones((3, 2), np.float32)
    loss, metrics = evaluated(head, LOGITS, labels)
    np.testing.assert_allclose(loss, np.abs(labels - LOGITS).mean(), rtol=1e-6)
    np.testing.assert_allclose(metrics["prediction/mean"], LOGITS.mean(), rtol=1e-5)


@pytest.mark.parametrize("reduction", ["weighted_sum", "weighted_mean"])
def test_summaries_of_training(reduction: str) -> None:
    """The mean loss stands beside a sum, and beside nothing else."""
    head = tf.contrib.estimator.regression_head("w", loss_reduction=reduction)
    labels = np.ones((3, 1), np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        head.create_estimator_spec(
            {"w": tf.constant(WEIGHTS)},
            TRAIN,
            tf.constant(LOGITS[:, :1]),
            labels,
            train_op_fn=tf.identity,
        )
        told = tf.Summary.FromString(session.run(tf.summary.merge_all()))
    mean = np.average((labels - LOGITS[:, :1]) ** 2, weights=WEIGHTS)
    is_sum = reduction == "weighted_sum"
    expected = {"loss": 3.5 * mean, "average_loss": mean} if is_sum else {"loss": mean}
    assert {v.tag: v.simple_value for v in told.value} == pytest.approx(expected, rel=1e-5)


def test_several_heads() -> None:
    first = tf.contrib.estimator.regression_head(name="a")
    second = tf.contrib.estimator.logistic_regression_head(name="b")
    head = tf.contrib.estimator.multi_head([first, second], head_weights=[2.0, 1.0])
    assert (head.name, head.logits_dimension) == ("a_b", 2)
    numbers, chances = np.array([1.0, 2.0, 3.0], np.float32), np.array([0.1, 0.5, 1.0], np.float32)
    loss, metrics = evaluated(
        head, LOGITS, lambda: {"a": tf.constant(numbers), "b": tf.constant(chances)}
    )
    squares = np.mean((LOGITS[:, 0] - numbers) ** 2)
    entropy = np.mean(cross_entropies(LOGITS[:, 1], chances))
    np.testing.assert_allclose(loss, 2 * squares + entropy, rtol=1e-5)
    np.testing.assert_allclose(metrics["loss/b"], entropy, rtol=1e-5)
    np.testing.assert_allclose(metrics["average_loss/a"], squares, rtol=1e-5)
    with tf.Graph().as_default():
        spec = head.create_estimator_spec(features={}, mode=PREDICT, logits=tf.constant(LOGITS))
        assert ("a", "predictions") in spec.predictions
        assert {"a", "b", "serving_default", "predict", "b/regression"} <= set(spec.export_outputs)
        assert sorted(spec.export_outputs["predict"].outputs) == [
            "a/predictions",
            "b/logits",
            "b/predictions",
        ]


def test_training_takes_an_optimizer_or_a_function_and_runs_updates() -> None:
    head = tf.contrib.estimator.multi_class_head(3, loss_reduction="sum")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.create_global_step()
        weights = tf.get_variable("weights", [2, 3], initializer=tf.zeros_initializer())
        counted = tf.get_variable("counted", initializer=0)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(counted, 1))
        given = {
            "features": {},
            "mode": TRAIN,
            "labels": tf.constant([0, 1, 2]),
            "logits": tf.matmul(LOGITS, weights),
        }
        spec = head.create_estimator_spec(**given, optimizer=tf.train.GradientDescentOptimizer(1.0))
        session.run(tf.global_variables_initializer())
        session.run(spec.train_op)
        expected = LOGITS.T @ (np.eye(3) - 1 / 3)
        np.testing.assert_allclose(session.run(weights), expected, rtol=1e-5, atol=1e-6)
        assert session.run([counted, tf.train.get_global_step()]) == [1, 1]
        with pytest.raises(ValueError, match="cannot both be None"):
            head.create_estimator_spec(**given)
        with pytest.raises(ValueError, match="cannot both be set"):
            head.create_estimator_spec(
                **given, optimizer=tf.train.AdamOptimizer(), train_op_fn=lambda _: tf.no_op()
            )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda e: e.multi_class_head(2), "n_classes must be > 2"),
        (lambda e: e.binary_classification_head(thresholds=[1.0]), "thresholds not in"),
        (lambda e: e.regression_head(loss_reduction="none"), "Invalid loss_reduction"),
        (lambda e: e.regression_head(loss_fn=lambda labels: labels), "must contain argument"),
        (lambda e: e.multi_label_head(2, label_vocabulary=["a"]), "Length of label_vocabulary"),
        (
            lambda e: e.multi_label_head(2, classes_for_class_based_metrics=[0, 2]),
            r"in range \[0, 1\]. Given: 2",
        ),
        (lambda e: e.multi_head([e.regression_head()]), "must have name specified"),
    ],
)
def test_arguments_that_are_refused(make: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(tf.contrib.estimator)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "You must provide a labels Tensor"),
        (np.zeros((3, 2), np.int32), "Mismatched label shape"),
        (np.zeros(3, np.float32), "Labels dtype should be integer"),
    ],
)
def test_labels_that_are_refused(labels: Any, message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        tf.estimator.MultiClassHead(3).create_loss(
            {}, EVAL, tf.zeros([3, 3]), None if labels is None else tf.constant(labels)
        )


def test_labels_out_of_range_fail_the_step() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.placeholder(tf.int32, [None])
        loss = tf.estimator.MultiClassHead(3).create_loss({}, EVAL, tf.zeros([1, 3]), labels)
        with pytest.raises(tf.errors.InvalidArgumentError) as found:
            session.run(loss.training_loss, {labels: [3]})
        assert "Labels must <= n_classes - 1" in found.value.message

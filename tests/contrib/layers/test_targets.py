"""Targets of tf.contrib.layers by numpy; placeholders of graphs, and queues that are fed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import framework, layers, learn, training

LOGITS = np.array([[1.0], [-2.0], [0.5]], np.float32)
WEIGHTS = np.array([[1.0], [2.0], [0.5]], np.float32)
LABELS = np.array([1, 0, 0])


@pytest.fixture(autouse=True)
def own_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def run(values: Any) -> Any:
    with tf.Session() as session:
        return session.run(values)


def updated(metrics: Any) -> dict[str, Any]:
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run([update for _, update in metrics.values()])
        return dict(session.run({name: value for name, (value, _) in metrics.items()}))


@pytest.mark.parametrize("weighted", [False, True])
def test_losses_of_targets(weighted: bool) -> None:
    features = {"w": tf.constant(WEIGHTS)}
    weights = WEIGHTS[:, 0] if weighted else np.ones(3)
    column = "w" if weighted else None
    numbers = layers.regression_target(weight_column_name=column)
    two = layers.multi_class_target(2, weight_column_name=column)
    three = layers.multi_class_target(3, "l", column)
    rows = np.concatenate([LOGITS, -LOGITS, 0 * LOGITS], 1)
    log_sums = np.log(np.exp(rows).sum(1))
    for target, logits, labels, losses in (
        (numbers, LOGITS, LABELS, (LOGITS[:, 0] - LABELS) ** 2),
        (two, LOGITS, LABELS, np.log1p(np.exp(LOGITS[:, 0])) - LABELS * LOGITS[:, 0]),
        (three, rows, {"l": LABELS[:, None]}, log_sums - rows[np.arange(3), LABELS]),
    ):
        given: Any = labels
        given = {"l": tf.constant(labels["l"])} if isinstance(labels, dict) else tf.constant(labels)
        arguments = tf.constant(logits), given, features
        found = run([target.training_loss(*arguments), target.loss(*arguments)])
        means = [np.mean(losses * weights), np.average(losses, weights=weights)]
        np.testing.assert_allclose(found, means, rtol=1e-5)
    assert (numbers.problem_type, two.problem_type) == (
        learn.ProblemType.LINEAR_REGRESSION,
        learn.ProblemType.CLASSIFICATION,
    )
    assert (three.label_name, three.weight_column_name) == ("l", column)
    assert (two.num_label_columns, three.num_label_columns) == (1, 3)


def test_predictions_and_metrics_of_targets() -> None:
    two, numbers = layers.multi_class_target(2), layers.regression_target()
    logits, labels = tf.constant(LOGITS), tf.constant(LABELS)
    shares = 1 / (1 + np.exp(-LOGITS[:, 0]))
    found = run(
        [
            two.logits_to_predictions(logits),
            two.logits_to_predictions(logits, proba=True),
            numbers.logits_to_predictions(logits),
        ]
    )
    np.testing.assert_array_equal(found[0], [1, 0, 1])
    np.testing.assert_allclose(found[1], np.stack([1 - shares, shares], 1), rtol=1e-6)
    np.testing.assert_array_equal(found[2], LOGITS[:, 0])
    column = tf.constant(LABELS[:, None])
    metrics = updated(two.get_eval_ops({}, logits, column, {}))
    assert metrics["labels/prediction_mean"] == pytest.approx(shares.mean())
    assert metrics["labels/actual_target_mean"] == pytest.approx(1 / 3)
    assert metrics["accuracy/threshold_0.500000_mean"] == pytest.approx(2 / 3)
    assert metrics["precision/positive_threshold_0.500000_mean"] == pytest.approx(1 / 2, abs=1e-5)
    assert metrics["recall/positive_threshold_0.500000_mean"] == pytest.approx(1, abs=1e-5)
    named = {"error": tf.contrib.metrics.streaming_mean_absolute_error}
    found = updated(numbers.get_eval_ops({}, logits, labels, named))
    assert found["error"] == pytest.approx(np.abs(LOGITS[:, 0] - LABELS).mean())
    assert found["loss"] == pytest.approx(np.mean((LOGITS[:, 0] - LABELS) ** 2))
    for name, text in (
        (("a", "b", "c"), "tuple with len 3, expected 2"),
        (("a", "b"), "should be either 'classes' or 'probabilities'"),
        (1, "Its name is not in the correct form"),
    ):
        with pytest.raises(ValueError, match=text):
            two.get_eval_ops({}, logits, column, {name: named["error"]})
    with pytest.raises(ValueError, match="n_classes must be > 1"):
        layers.multi_class_target(1)
    with pytest.raises(ValueError, match="dtype should be integer"):
        layers.multi_class_target(3).loss(tf.zeros([2, 3]), tf.zeros([2]), {})


def test_placeholders() -> None:
    made = [tf.placeholder(tf.float32), tf.placeholder(tf.int32)]
    tf.add(made[0], 1.0)
    assert framework.get_placeholders(tf.get_default_graph()) == made
    with pytest.raises(TypeError, match="Input graph needs to be a Graph"):
        framework.get_placeholders(1)  # type: ignore[arg-type]


def test_queues_that_are_fed() -> None:
    """Each enqueue operation by a function of its own, until it has no more."""
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    given = tf.placeholder(tf.int32, [])
    numbers = iter([{given: 1}, {given: 2}, {given: 3}])

    def feed() -> Any:
        try:
            return next(numbers)
        except StopIteration:
            raise tf.errors.OutOfRangeError(None, None, "end") from None

    runner = training.FeedingQueueRunner(queue, [queue.enqueue(given)], feed_fns=[feed])
    taken = queue.dequeue()
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(session, coordinator, start=True)
        assert [session.run(taken) for _ in range(3)] == [1, 2, 3]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(taken)
        coordinator.request_stop()
        coordinator.join(threads)
    with pytest.raises(ValueError, match="must have the same number of elements"):
        training.FeedingQueueRunner(queue, [queue.enqueue(given)], feed_fns=[feed, feed])

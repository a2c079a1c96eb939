"""tf.estimator's heads: losses, predictions and tf.keras's metrics are those that TensorFlow 1.15
printed for the same batch, added twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf

EVAL, PREDICT, TRAIN = "eval", "infer", "train"
heads = tf.estimator
LOGITS = np.array([[0.5, -1.0], [2.0, 0.25], [-3.0, 1.5], [0.1, 0.2]], np.float32)
WEIGHTS = np.array([[1.0], [2.0], [0.5], [1.5]], np.float32)
FLAGS = np.array([[0, 1], [1, 0], [1, 1], [0, 0]])

HEADS: dict[str, tuple[Callable[[], Any], Any, Any, dict[str, float]]] = {
    "two classes": (
        lambda: heads.BinaryClassHead("w", thresholds=[0.3], name="top", loss_reduction="sum"),
        LOGITS[:, :1],
        np.array([0, 1, 1, 0]),
        {
            "loss": 4.61882,
            "accuracy/positive_threshold_0.3/top": 0.4,
            "accuracy/top": 0.4,
            "accuracy_baseline/top": 0.5,
            "auc/top": 0.8,
            "auc_precision_recall/top": 0.894639,
            "average_loss/top": 0.773764,
            "label/mean/top": 0.5,
            "precision/positive_threshold_0.3/top": 0.444444,
            "precision/top": 0.444444,
            "prediction/mean/top": 0.639047,
            "recall/positive_threshold_0.3/top": 0.8,
            "recall/top": 0.8,
            "regularization_loss/top": 0.75,
        },
    ),
    "two names": (
        lambda: heads.BinaryClassHead(label_vocabulary=["a", "b"], loss_reduction="auto"),
        LOGITS[:, :1],
        np.array(["a", "b", "b", "b"]),
        {
            "loss": 1.1985 + 0.75,
            "accuracy": 0.5,
            "accuracy_baseline": 0.75,
            "auc": 0.333333,
            "auc_precision_recall": 0.768951,
            "average_loss": 1.1985,
            "label/mean": 0.75,
            "precision": 0.666667,
            "prediction/mean": 0.518915,
            "recall": 0.666667,
            "regularization_loss": 0.75,
        },
    ),
    "three classes": (
        lambda: heads.MultiClassHead(3, "w"),
        np.concatenate([LOGITS, LOGITS[:, :1] * LOGITS[:, 1:]], 1),
        np.array([0, 2, 1, 1]),
        {"loss": 2.16291, "accuracy": 0.6, "average_loss": 1.13033, "regularization_loss": 0.75},
    ),
    "labels": (
        lambda: heads.MultiLabelHead(
            2,
            "w",
            thresholds=[0.4],
            classes_for_class_based_metrics=["yes"],
            label_vocabulary=["no", "yes"],
            name="h",
        ),
        LOGITS,
        FLAGS,
        {
            "loss": 1.76648,
            "accuracy/positive_threshold_0.4/h": 0.25,
            "auc/h": 0.625,
            "auc/yes/h": 0.333333,
            "auc_precision_recall/h": 0.756222,
            "auc_precision_recall/yes/h": 0.479332,
            "average_loss/h": 0.813188,
            "precision/positive_threshold_0.4/h": 0.294118,
            "probability_mean/yes/h": 0.525366,
            "recall/positive_threshold_0.4/h": 0.625,
            "regularization_loss/h": 0.75,
        },
    ),
    "numbers": (
        lambda: heads.RegressionHead(2, "w"),
        LOGITS,
        FLAGS.astype(np.float32),
        {
            "loss": 2.57188,
            "average_loss": 1.4575,
            "label/mean": 0.4,
            "prediction/mean": 0.37,
            "regularization_loss": 0.75,
        },
    ),
    "counts": (
        lambda: heads.PoissonRegressionHead(weight_column="w", loss_reduction="sum"),
        LOGITS[:, :1],
        np.array([1.0, 3.0, 2.0, 0.0], np.float32),
        {
            "loss": 13.2136,
            "average_loss": 2.49271,
            "label/mean": 1.6,
            "prediction/mean": 3.6219,
            "regularization_loss": 0.75,
        },
    ),
    "chances": (
        lambda: heads.LogisticRegressionHead("w"),
        LOGITS[:, :1],
        np.array([[0.1], [0.3], [1.0], [0.0]], np.float32),
        {
            "loss": 2.40471,
            "average_loss": 1.32376,
            "label/mean": 0.24,
            "prediction/mean": 0.639047,
            "regularization_loss": 0.75,
        },
    ),
    "several": (
        lambda: heads.MultiHead(
            [heads.RegressionHead(name="a"), heads.BinaryClassHead("w", name="b")], [2.0, 1.0]
        ),
        LOGITS,
        {"a": np.array([1.0, 2.0, 3.0, 4.0], np.float32), "b": np.array([0, 1, 1, 0])},
        {
            "loss": 27.1708,
            "accuracy/b": 0.7,
            "accuracy_baseline/b": 0.5,
            "auc/b": 1.0,
            "auc_precision_recall/b": 1.0,
            "average_loss/a": 12.865,
            "average_loss/b": 0.552611,
            "label/mean/a": 2.5,
            "label/mean/b": 0.5,
            "loss/a": 12.865,
            "loss/b": 0.690764,
            "precision/b": 0.625,
            "prediction/mean/a": -0.1,
            "prediction/mean/b": 0.525366,
            "recall/b": 1.0,
            "regularization_loss/a_b": 0.75,
        },
    ),
}


def given(labels: Any) -> Any:
    """Tensors of labels."""
    if isinstance(labels, dict):
        return {name: tf.constant(each) for name, each in labels.items()}
    return tf.constant(labels)


@pytest.mark.parametrize("kind", HEADS)
def test_evaluation(kind: str) -> None:
    make, logits, labels, expected = HEADS[kind]
    head = make()
    assert isinstance(head, heads.Head)
    with tf.Graph().as_default(), tf.Session() as session:
        spec = head.create_estimator_spec(
            features={"w": tf.constant(WEIGHTS)},
            mode=EVAL,
            logits=tf.constant(logits),
            labels=given(labels),
            regularization_losses=[tf.constant(0.25), tf.constant(0.5)],
        )
        session.run([tf.local_variables_initializer(), tf.tables_initializer()])
        updates = {key: update for key, (_, update) in spec.eval_metric_ops.items()}
        found = {"loss": session.run([spec.loss, updates])[0]}
        session.run(updates)
        found |= session.run({key: value for key, (value, _) in spec.eval_metric_ops.items()})
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_metrics_are_made_and_updated_by_hand() -> None:
    """Metrics without losses of weights have none of them, and go on over calls."""
    head = heads.BinaryClassHead()
    with tf.Graph().as_default(), tf.Session() as session:
        metrics = head.metrics()
        assert "regularization_loss" not in metrics
        assert isinstance(metrics["auc"], tf.keras.metrics.AUC)
        for labels in ([0, 1, 1, 0], [0, 0, 0, 0]):
            updated = head.update_metrics(
                metrics, {}, tf.constant(LOGITS[:, :1]), tf.constant(labels)
            )
            assert updated is metrics
        session.run([each.initializer for metric in metrics.values() for each in metric.variables])
        session.run([metric.updates for metric in metrics.values()])
        # Of eight labels two are ones; two logits have the sign that they should have.
        assert session.run(metrics["label/mean"].result()) == 0.25
        assert session.run(metrics["accuracy_baseline"].result()) == 0.75
        assert session.run(metrics["accuracy"].result()) == 0.25


def test_predictions_that_are_asked_for() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        head = heads.BinaryClassHead()
        some = head.predictions(tf.constant(LOGITS[:, :1]), ["class_ids", "logistic"])
        assert list(some) == ["class_ids", "logistic"]
        assert session.run(some["class_ids"]).tolist() == [[1], [1], [0], [1]]
        with pytest.raises(ValueError, match=r"must be in PredictionKeys, given: nope\.Valid"):
            head.predictions(tf.constant(LOGITS[:, :1]), ["nope"])
        both = heads.MultiHead([heads.RegressionHead(name="a"), heads.RegressionHead(name="b")])
        found = both.predictions(tf.constant(LOGITS))
        assert list(found) == [("a", "predictions"), ("b", "predictions")]
        np.testing.assert_array_equal(session.run(found["b", "predictions"]), LOGITS[:, 1:])


def test_training() -> None:
    """With an optimizer of tf.keras, updates that are asked for, and TensorFlow 1.15's numbers."""
    with tf.Graph().as_default(), tf.Session() as session:
        head = heads.BinaryClassHead("w", name="top")
        slope = tf.Variable([[0.5]], use_resource=True)
        counter = tf.Variable(0)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, counter.assign_add(10))
        spec = head.create_estimator_spec(
            {"w": tf.constant(WEIGHTS)},
            TRAIN,
            tf.constant(LOGITS[:, :1]) * slope,
            tf.constant([0, 1, 1, 0]),
            tf.keras.optimizers.SGD(0.1),
            [slope],
            update_ops=[counter.assign_add(1)],
            regularization_losses=[tf.constant(1.0)],
        )
        session.run(tf.global_variables_initializer())
        session.run(spec.train_op)
        np.testing.assert_allclose(session.run(slope), [[0.48728603]], rtol=1e-6)
        assert session.run(counter) == 1
        told = tf.Summary.FromString(session.run(tf.summary.merge_all())).value
    assert {each.tag: each.simple_value for each in told} == pytest.approx(
        {"loss/top": 1.84365, "regularization_loss/top": 1.0}, rel=1e-5
    )


def test_a_head_of_a_program_s_own() -> None:
    """Is a head if it has all members, and says how to give an EstimatorSpec."""
    with pytest.raises(TypeError, match=r"(?s)abstract.*update_metrics"):
        heads.Head()

    class Own(heads.Head):
        name = logits_dimension = loss_reduction = None  # type: ignore[assignment]
        loss = predictions = metrics = update_metrics = None  # type: ignore[assignment]

    with pytest.raises(NotImplementedError, match="must implement `create_estimator_spec"):
        Own().create_estimator_spec({}, EVAL, None)

    class Made(Own):
        def _create_tpu_estimator_spec(self, mode: Any, **given: Any) -> Any:
            class Spec:
                def as_estimator_spec(self) -> Any:
                    return (mode, given["logits"])

            return Spec()

    assert Made().create_estimator_spec({}, EVAL, 5) == (EVAL, 5)


def trains(**options: Any) -> Any:
    ones = tf.constant([[1.0]])
    return heads.RegressionHead().create_estimator_spec({}, TRAIN, ones, ones, **options)


def of(name: str = "a", **options: Any) -> Any:
    return heads.MultiHead([heads.RegressionHead(name=name, **options)])


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: heads.BinaryClassHead(loss_reduction="weighted_sum"), "weighted_sum. See `tf.losses"),
    (lambda: heads.BinaryClassHead(loss_reduction="none"), "Invalid loss_reduction: none"),
    (lambda: heads.MultiLabelHead(1), "must be > 1 for multi-label classification. Given: 1"),
    (lambda: heads.MultiLabelHead(2, thresholds=[2.0]), "must be in .0, 1. range. Given: 2.0"),
    (
        lambda: (
            heads.MultiHead(
                [
                    heads.RegressionHead(name="a", loss_reduction="sum"),
                    heads.RegressionHead(name="b"),
                ]
            ).loss_reduction
        ),
        "must be the same for different heads. Given: ..sum., .sum_over_batch_size..",
    ),
    (lambda: of().loss({"b": 1}, {"b": 1}), "logits has missing values for head.s.: ..a.."),
    (lambda: of().loss({"b": 1}, tf.zeros([1, 1])), "labels has missing values for head.s.: ..a.."),
    (lambda: of().loss([1], tf.zeros([1, 1])), "labels must be a dict. Given: .1."),
    (lambda: trains(train_op_fn=tf.identity, update_ops=1), "update_ops should be a list or a tup"),
    (
        lambda: trains(optimizer=tf.train.AdamOptimizer()),
        "not a tf.keras.optimizers.Optimizer instance. Given: ",
    ),
    (
        lambda: trains(optimizer=tf.keras.optimizers.SGD()),
        "trainable_variables cannot be None. Given None",
    ),
    (lambda: trains(), "train_op_fn and optimizer cannot both be None"),
    (
        lambda: of().create_estimator_spec({}, "what", tf.zeros([1, 1]), {"a": tf.zeros([1, 1])}),
        "mode=what unrecognized",
    ),
]


@pytest.mark.parametrize(("what", "message"), REFUSED)
def test_what_is_refused(what: Callable[[], Any], message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        what()


def test_chances_above_one_fail_the_step() -> None:
    head = heads.LogisticRegressionHead()
    with tf.Graph().as_default(), tf.Session() as session:
        loss = head.loss(tf.constant([[1.5]]), tf.constant([[1.0]]))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be in range \[0, 1\]"):
            session.run(loss)

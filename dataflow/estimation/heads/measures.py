"""The metrics of heads: means, areas and what is counted at thresholds, by TensorFlow's names."""

from __future__ import annotations

from typing import Any, Final

import dataflow.ops.array.shape as array_shape
from dataflow.graph.scopes import name_scope
from dataflow.library.metrics.curves import auc
from dataflow.library.metrics.means import accuracy, mean
from dataflow.library.metrics.thresholds import precision_at_thresholds, recall_at_thresholds
from dataflow.library.weights import broadcast_weights
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import greater_equal
from dataflow.values import dtypes


class MetricKeys:
    """The names of metrics of the estimators that TensorFlow comes with."""

    LOSS: Final = "loss"
    LOSS_MEAN: Final = "average_loss"
    LOSS_REGULARIZATION: Final = "regularization_loss"
    ACCURACY: Final = "accuracy"
    PRECISION: Final = "precision"
    RECALL: Final = "recall"
    ACCURACY_BASELINE: Final = "accuracy_baseline"
    AUC: Final = "auc"
    AUC_PR: Final = "auc_precision_recall"
    LABEL_MEAN: Final = "label/mean"
    PREDICTION_MEAN: Final = "prediction/mean"
    ACCURACY_AT_THRESHOLD: Final = "accuracy/positive_threshold_%g"
    PRECISION_AT_THRESHOLD: Final = "precision/positive_threshold_%g"
    RECALL_AT_THRESHOLD: Final = "recall/positive_threshold_%g"
    PROBABILITY_MEAN_AT_CLASS: Final = "probability_mean/class%d"
    AUC_AT_CLASS: Final = "auc/class%d"
    AUC_PR_AT_CLASS: Final = "auc_precision_recall/class%d"
    PROBABILITY_MEAN_AT_NAME: Final = "probability_mean/%s"
    AUC_AT_NAME: Final = "auc/%s"
    AUC_PR_AT_NAME: Final = "auc_precision_recall/%s"


class PredictionKeys:
    """The names of predictions of the estimators that TensorFlow comes with."""

    CLASSES: Final = "classes"
    CLASS_IDS: Final = "class_ids"
    ALL_CLASSES: Final = "all_classes"
    ALL_CLASS_IDS: Final = "all_class_ids"
    LOGISTIC: Final = "logistic"
    LOGITS: Final = "logits"
    PREDICTIONS: Final = "predictions"
    PROBABILITIES: Final = "probabilities"
    TOP_K: Final = "top_k"


def mean_of(values: Any, weights: Any, name: str) -> tuple[Any, Any]:
    """The mean of numbers, as float32, with weights that are broadcast to them."""
    values = cast(values, dtypes.float32)
    return mean(values, broadcast_weights(weights, values), name=name)


def area(labels: Any, predictions: Any, weights: Any, curve: str, name: str) -> tuple[Any, Any]:
    """The area below a curve, "ROC" or "PR"."""
    weights = broadcast_weights(weights, predictions)
    return auc(labels, predictions, weights, curve=curve, name=name)


def accuracy_baseline(labels_mean: tuple[Any, Any]) -> tuple[Any, Any]:
    """The accuracy of one who always predicts the more frequent of two classes."""
    with name_scope(None, "accuracy_baseline"):
        value, update = labels_mean
        return (
            maximum(value, 1.0 - value, name="value"),
            maximum(update, 1.0 - update, name="update_op"),
        )


def at_thresholds(
    labels: Any, probabilities: Any, weights: Any, thresholds: tuple[float, ...]
) -> dict[str, tuple[Any, Any]]:
    """Accuracy, precision and recall where a class counts as predicted from a threshold on."""
    found: dict[str, tuple[Any, Any]] = {}
    for threshold in thresholds:
        key = MetricKeys.ACCURACY_AT_THRESHOLD % threshold
        predicted = cast(greater_equal(probabilities, threshold), dtypes.float32)
        found[key] = accuracy(labels, predicted, weights, name=key)
        for name, metric in (
            (MetricKeys.PRECISION_AT_THRESHOLD, precision_at_thresholds),
            (MetricKeys.RECALL_AT_THRESHOLD, recall_at_thresholds),
        ):
            key = name % threshold
            value, update = metric(labels, probabilities, (threshold,), weights, name=key)
            found[key] = array_shape.squeeze(value), array_shape.squeeze(update)
    return found

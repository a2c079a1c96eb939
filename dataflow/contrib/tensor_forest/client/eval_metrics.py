"""tf.contrib.tensor_forest.client.eval_metrics: metrics of forests by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.contrib.losses import classes_and_numbers as losses
from dataflow.library.metrics import means, thresholds
from dataflow.library.metrics.counts import precision, recall
from dataflow.library.metrics.curves import auc
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.shape import shape as shape_of
from dataflow.ops.array.shape import squeeze
from dataflow.ops.array.slice import slice as sliced
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import squared_difference
from dataflow.ops.nn.topk import in_top_k
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.values import dtypes

INFERENCE_PROB_NAME: Final = PredictionKey.PROBABILITIES
INFERENCE_PRED_NAME: Final = PredictionKey.CLASSES

FEATURE_IMPORTANCE_NAME: Final = "global_feature_importance"

_THRESHOLDS: Final = np.arange(0, 1, 0.01, dtype=np.float32).tolist()


def _top_k_generator(k: int) -> Callable[[Any, Any], Any]:
    def top_k(probabilities: Any, targets: Any) -> Any:
        targets = cast(targets, dtypes.int32)
        if (targets.shape.rank or 0) > 1:
            targets = squeeze(targets, axis=[1])
        return means.mean(in_top_k(probabilities, targets, k))

    return top_k


def _accuracy(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return means.accuracy(labels=targets, predictions=predictions, weights=weights)


def _r2(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    targets = cast(targets, dtypes.float32)
    total = reduce_sum(squared_difference(targets, reduce_mean(targets, 0)), 0)
    residual = reduce_sum(squared_difference(targets, probabilities), 0)
    return means.mean(1 - reduce_sum(residual / total), weights=weights)


def _one_hot_like(probabilities: Any, targets: Any) -> Any:
    classes = cast(squeeze(targets, axis=[1]), dtypes.int32)
    return one_hot(classes, shape_of(probabilities)[1])


def _sigmoid_entropy(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    labels = _one_hot_like(probabilities, targets)
    return means.mean(losses.sigmoid_cross_entropy(probabilities, labels), weights=weights)


def _softmax_entropy(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    loss = losses.sparse_softmax_cross_entropy(probabilities, cast(targets, dtypes.int32))
    return means.mean(loss, weights=weights)


def _predictions(predictions: Any, unused_targets: Any, **unused_kwargs: Any) -> Any:
    return predictions


def _class_log_loss(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    labels = _one_hot_like(probabilities, targets)
    return means.mean(losses.log_loss(probabilities, labels), weights=weights)


def _precision(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return precision(labels=targets, predictions=predictions, weights=weights)


def _recall(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return recall(labels=targets, predictions=predictions, weights=weights)


def _of_class_1(predictions: Any) -> Any:
    return sliced(predictions, [0, 1], [-1, 1])


def _precision_at_thresholds(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return thresholds.precision_at_thresholds(
        labels=targets,
        predictions=_of_class_1(predictions),
        thresholds=_THRESHOLDS,
        weights=weights,
    )


def _recall_at_thresholds(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return thresholds.recall_at_thresholds(
        labels=targets,
        predictions=_of_class_1(predictions),
        thresholds=_THRESHOLDS,
        weights=weights,
    )


def _auc(probs: Any, targets: Any, weights: Any = None) -> Any:
    return auc(labels=targets, predictions=_of_class_1(probs), weights=weights)


_EVAL_METRICS: Final[dict[str, tuple[Callable[..., Any], str]]] = {
    "auc": (_auc, INFERENCE_PROB_NAME),
    "sigmoid_entropy": (_sigmoid_entropy, INFERENCE_PROB_NAME),
    "softmax_entropy": (_softmax_entropy, INFERENCE_PROB_NAME),
    "accuracy": (_accuracy, INFERENCE_PRED_NAME),
    "r2": (_r2, PredictionKey.SCORES),
    "predictions": (_predictions, INFERENCE_PRED_NAME),
    "classification_log_loss": (_class_log_loss, INFERENCE_PROB_NAME),
    "precision": (_precision, INFERENCE_PRED_NAME),
    "precision_at_thresholds": (_precision_at_thresholds, INFERENCE_PROB_NAME),
    "recall": (_recall, INFERENCE_PRED_NAME),
    "recall_at_thresholds": (_recall_at_thresholds, INFERENCE_PROB_NAME),
    "top_5": (_top_k_generator(5), INFERENCE_PROB_NAME),
}
"""Name -> the metric, and of which prediction it is."""


def get_metric(metric_name: str) -> Callable[..., Any]:
    """The metric of a name: a function of predictions and labels, and of weights mostly.

    Raises:
      KeyError: There is none.
    """
    return _EVAL_METRICS[metric_name][0]


def get_prediction_key(metric_name: str) -> str:
    """The prediction that a metric is of.

    Raises:
      KeyError: There is no such metric.
    """
    return _EVAL_METRICS[metric_name][1]

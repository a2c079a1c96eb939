"""Programs with metrics, for both libraries: a name, and what makes the metric from arguments.

`y` and `p` are 0 or 1 and floats of shape `[batch, 3]`, `w` their weights; `i` and `j` classes of
shape `[batch]`, `v` their weights; `c` several classes, of shape `[batch, 2]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Make = Callable[..., Any]

THRESHOLDS = [0.3, 0.6]
OF_NUMBERS: dict[str, Make] = {
    "mean": lambda tf, y, p, w: tf.metrics.mean(p, w),
    "percentage_below": lambda tf, y, p, w: tf.metrics.percentage_below(p, 0.5, w),
    "accuracy": lambda tf, y, p, w: tf.metrics.accuracy(y, tf.cast(p > 0.5, tf.int32), w),
    "mean_absolute_error": lambda tf, y, p, w: tf.metrics.mean_absolute_error(y, p, w),
    "mean_squared_error": lambda tf, y, p, w: tf.metrics.mean_squared_error(y, p, w),
    "root_mean_squared_error": lambda tf, y, p, w: tf.metrics.root_mean_squared_error(y, p, w),
    "mean_relative_error": lambda tf, y, p, w: tf.metrics.mean_relative_error(y, p, y, w),
    "mean_cosine_distance": lambda tf, y, p, w: tf.metrics.mean_cosine_distance(y, p, 1, w),
}
OF_BOOLS: dict[str, Make] = {
    "true_positives": lambda tf, y, p, w: tf.metrics.true_positives(y, p > 0.5, w),
    "true_negatives": lambda tf, y, p, w: tf.metrics.true_negatives(y, p > 0.5, w),
    "false_positives": lambda tf, y, p, w: tf.metrics.false_positives(y, p > 0.5, w),
    "false_negatives": lambda tf, y, p, w: tf.metrics.false_negatives(y, p > 0.5, w),
    "precision": lambda tf, y, p, w: tf.metrics.precision(y, p > 0.5, w),
    "recall": lambda tf, y, p, w: tf.metrics.recall(y, p > 0.5, w),
}
AT_THRESHOLDS: dict[str, Make] = {
    "true_positives_at_thresholds": lambda tf, y, p, w: tf.metrics.true_positives_at_thresholds(
        y, p, THRESHOLDS, w
    ),
    "true_negatives_at_thresholds": lambda tf, y, p, w: tf.metrics.true_negatives_at_thresholds(
        y, p, THRESHOLDS, w
    ),
    "false_positives_at_thresholds": lambda tf, y, p, w: tf.metrics.false_positives_at_thresholds(
        y, p, THRESHOLDS, w
    ),
    "false_negatives_at_thresholds": lambda tf, y, p, w: tf.metrics.false_negatives_at_thresholds(
        y, p, THRESHOLDS, w
    ),
    "precision_at_thresholds": lambda tf, y, p, w: tf.metrics.precision_at_thresholds(
        y, p, THRESHOLDS, w
    ),
    "recall_at_thresholds": lambda tf, y, p, w: tf.metrics.recall_at_thresholds(
        y, p, THRESHOLDS, w
    ),
    "sensitivity_at_specificity": lambda tf, y, p, w: tf.metrics.sensitivity_at_specificity(
        y, p, 0.6, w, 12
    ),
    "specificity_at_sensitivity": lambda tf, y, p, w: tf.metrics.specificity_at_sensitivity(
        y, p, 0.6, w, 12
    ),
    "auc": lambda tf, y, p, w: tf.metrics.auc(y, p, w, 12),
    "auc of given thresholds": lambda tf, y, p, w: tf.metrics.auc(y, p, w, thresholds=[0.7, 0.2]),
    "auc PR": lambda tf, y, p, w: tf.metrics.auc(y, p, w, 12, curve="PR"),
    "auc PR careful": lambda tf, y, p, w: tf.metrics.auc(
        y, p, w, 12, curve="PR", summation_method="careful_interpolation"
    ),
    "auc careful": lambda tf, y, p, w: tf.metrics.auc(
        y, p, w, 12, summation_method="careful_interpolation"
    ),
    "auc minoring": lambda tf, y, p, w: tf.metrics.auc(y, p, w, 12, summation_method="minoring"),
    "auc majoring": lambda tf, y, p, w: tf.metrics.auc(y, p, w, 12, summation_method="majoring"),
}
ELEMENTWISE = {**OF_NUMBERS, **OF_BOOLS, **AT_THRESHOLDS}
OF_CLASSES: dict[str, Make] = {
    "mean_iou": lambda tf, i, j, v: tf.metrics.mean_iou(i, j, 4, v),
    "mean_per_class_accuracy": lambda tf, i, j, v: tf.metrics.mean_per_class_accuracy(i, j, 4, v),
}
AT_K: dict[str, Make] = {
    "recall_at_k": lambda tf, c, p, v: tf.metrics.recall_at_k(c, p, 2, weights=v),
    "recall_at_k of a class": lambda tf, c, p, v: tf.metrics.recall_at_k(c, p, 2, 1, v),
    "recall_at_top_k": lambda tf, c, p, v: tf.metrics.recall_at_top_k(
        c, tf.nn.top_k(p, 2).indices, weights=v
    ),
    "precision_at_k": lambda tf, c, p, v: tf.metrics.precision_at_k(c, p, 2, weights=v),
    "precision_at_k of a class": lambda tf, c, p, v: tf.metrics.precision_at_k(c, p, 2, 1, v),
    "precision_at_top_k": lambda tf, c, p, v: tf.metrics.precision_at_top_k(
        c, tf.nn.top_k(p, 2).indices, 2, 0, v
    ),
    "sparse_precision_at_k": lambda tf, c, p, v: tf.metrics.sparse_precision_at_k(
        c, p, 2, weights=v
    ),
    "average_precision_at_k": lambda tf, c, p, v: tf.metrics.average_precision_at_k(
        c, p, 3, weights=v
    ),
    "average_precision_at_1": lambda tf, c, p, v: tf.metrics.sparse_average_precision_at_k(
        c, p, 1, weights=v
    ),
}

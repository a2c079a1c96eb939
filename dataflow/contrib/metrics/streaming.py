"""The metrics of tf.metrics in the order of arguments that they had here: predictions first."""

from __future__ import annotations

from typing import Any

import dataflow.library.metrics.at_k as at_k
import dataflow.library.metrics.average_precision as average
import dataflow.library.metrics.classes as classes
import dataflow.library.metrics.counts as counts
import dataflow.library.metrics.curves as curves
import dataflow.library.metrics.errors_of_numbers as errors_of_numbers
import dataflow.library.metrics.means as means
import dataflow.library.metrics.thresholds as at_thresholds
from dataflow.library.metrics.state import published
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.division import div_no_nan
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope

Metric = tuple[Any, Any]


def streaming_mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of values; see `tf.metrics.mean`."""
    return means.mean(values, weights, metrics_collections, updates_collections, name)


def streaming_mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of each element; see `tf.metrics.mean_tensor`."""
    return means.mean_tensor(values, weights, metrics_collections, updates_collections, name)


def streaming_accuracy(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The share of right predictions; see `tf.metrics.accuracy`."""
    return means.accuracy(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


def streaming_percentage_less(
    values: Any,
    threshold: float,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The share of values below a threshold; see `tf.metrics.percentage_below`."""
    return means.percentage_below(
        values, threshold, weights, metrics_collections, updates_collections, name
    )


def streaming_true_positives(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How many there are; see `tf.metrics.true_positives`."""
    return counts.true_positives(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


def streaming_true_negatives(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How many there are; see `tf.metrics.true_negatives`."""
    return counts.true_negatives(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


def streaming_false_positives(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How many there are; see `tf.metrics.false_positives`."""
    return counts.false_positives(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


def streaming_false_negatives(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How many there are; see `tf.metrics.false_negatives`."""
    return counts.false_negatives(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


def streaming_precision(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.precision`."""
    return counts.precision(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


def streaming_recall(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.recall`."""
    return counts.recall(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


def streaming_mean_absolute_error(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.mean_absolute_error`."""
    return errors_of_numbers.mean_absolute_error(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


def streaming_mean_squared_error(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.mean_squared_error`."""
    return errors_of_numbers.mean_squared_error(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


def streaming_root_mean_squared_error(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.root_mean_squared_error`."""
    return errors_of_numbers.root_mean_squared_error(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


def streaming_mean_relative_error(
    predictions: Any,
    labels: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.mean_relative_error`."""
    return errors_of_numbers.mean_relative_error(
        labels, predictions, normalizer, weights, metrics_collections, updates_collections, name
    )


def streaming_mean_cosine_distance(
    predictions: Any,
    labels: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.mean_cosine_distance`."""
    return errors_of_numbers.mean_cosine_distance(
        labels, predictions, dim, weights, metrics_collections, updates_collections, name
    )


def streaming_mean_iou(
    predictions: Any,
    labels: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.mean_iou`."""
    return classes.mean_iou(
        labels, predictions, num_classes, weights, metrics_collections, updates_collections, name
    )


def streaming_precision_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.precision_at_thresholds`."""
    return at_thresholds.precision_at_thresholds(
        labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
    )


def streaming_recall_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.recall_at_thresholds`."""
    return at_thresholds.recall_at_thresholds(
        labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
    )


def streaming_true_positives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Any, weights: Any = None
) -> Metric:
    """How many there are for each threshold; see `tf.metrics.true_positives_at_thresholds`."""
    return at_thresholds.counted_side("true_positives", labels, predictions, thresholds, weights)


def streaming_false_negatives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Any, weights: Any = None
) -> Metric:
    """How many there are for each threshold; see `tf.metrics.false_negatives_at_thresholds`."""
    return at_thresholds.counted_side("false_negatives", labels, predictions, thresholds, weights)


def streaming_false_positives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Any, weights: Any = None
) -> Metric:
    """How many there are for each threshold; see `tf.metrics.false_positives_at_thresholds`."""
    return at_thresholds.counted_side("false_positives", labels, predictions, thresholds, weights)


def streaming_true_negatives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Any, weights: Any = None
) -> Metric:
    """How many there are for each threshold; see `tf.metrics.true_negatives_at_thresholds`."""
    return at_thresholds.counted_side("true_negatives", labels, predictions, thresholds, weights)


def streaming_auc(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
) -> Metric:
    """The area under a curve; see `tf.metrics.auc`."""
    return curves.auc(
        labels,
        predictions,
        weights,
        num_thresholds,
        metrics_collections,
        updates_collections,
        curve,
        name,
    )


def streaming_specificity_at_sensitivity(
    predictions: Any,
    labels: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.specificity_at_sensitivity`."""
    return curves.specificity_at_sensitivity(
        labels,
        predictions,
        sensitivity,
        weights,
        num_thresholds,
        metrics_collections,
        updates_collections,
        name,
    )


def streaming_sensitivity_at_specificity(
    predictions: Any,
    labels: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.sensitivity_at_specificity`."""
    return curves.sensitivity_at_specificity(
        labels,
        predictions,
        specificity,
        weights,
        num_thresholds,
        metrics_collections,
        updates_collections,
        name,
    )


def streaming_sparse_recall_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.recall_at_k`."""
    return at_k.recall_at_k(
        labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
    )


def streaming_sparse_precision_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.precision_at_k`."""
    return at_k.precision_at_k(
        labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
    )


def streaming_sparse_precision_at_top_k(
    top_k_predictions: Any,
    labels: Any,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.precision_at_top_k`."""
    return at_k.precision_at_top_k(
        labels,
        top_k_predictions,
        None,
        class_id,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def sparse_recall_at_top_k(
    labels: Any,
    top_k_predictions: Any,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.recall_at_top_k`."""
    return at_k.recall_at_top_k(
        labels,
        top_k_predictions,
        None,
        class_id,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def streaming_sparse_average_precision_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """See `tf.metrics.average_precision_at_k`."""
    return average.average_precision_at_k(
        labels, predictions, k, weights, metrics_collections, updates_collections, name
    )


def streaming_false_positive_rate(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The share of negatives that were taken for positives."""
    with variable_scope(name, "false_positive_rate", (predictions, labels, weights)):
        predictions, labels = cast(predictions, dtypes.bool), cast(labels, dtypes.bool)
        wrong, add_wrong = counts.false_positives(labels, predictions, weights)
        right, add_right = counts.true_negatives(labels, predictions, weights)
        value: Any = div_no_nan(wrong, wrong + right, name="value")
        update: Any = div_no_nan(add_wrong, add_wrong + add_right, name="update_op")
        return published(value, update, metrics_collections, updates_collections)


def streaming_false_positive_rate_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The share of negatives that were taken for positives, for each threshold."""
    inputs = (predictions, labels, weights)
    with variable_scope(name, "false_positive_rate_at_thresholds", inputs):
        found, updates = at_thresholds.counted_at(
            labels, predictions, thresholds, weights, ("true_negatives", "false_positives")
        )
        rates = [
            each.false_positives / (1e-7 + each.false_positives + each.true_negatives)
            for each in (found, updates)
        ]
        return published(rates[0], rates[1], metrics_collections, updates_collections)


def streaming_false_negative_rate(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The share of positives that were taken for negatives."""
    with variable_scope(name, "false_negative_rate", (predictions, labels, weights)):
        predictions, labels = cast(predictions, dtypes.bool), cast(labels, dtypes.bool)
        wrong, add_wrong = counts.false_negatives(labels, predictions, weights)
        right, add_right = counts.true_positives(labels, predictions, weights)
        value: Any = div_no_nan(wrong, wrong + right, name="value")
        update: Any = div_no_nan(add_wrong, add_wrong + add_right, name="update_op")
        return published(value, update, metrics_collections, updates_collections)


def streaming_false_negative_rate_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The share of positives that were taken for negatives, for each threshold."""
    inputs = (predictions, labels, weights)
    with variable_scope(name, "false_negative_rate_at_thresholds", inputs):
        found, updates = at_thresholds.counted_at(
            labels, predictions, thresholds, weights, ("true_positives", "false_negatives")
        )
        rates = [
            each.false_negatives / (1e-7 + each.false_negatives + each.true_positives)
            for each in (found, updates)
        ]
        return published(rates[0], rates[1], metrics_collections, updates_collections)

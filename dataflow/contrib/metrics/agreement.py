"""How far predictions and labels go together: covariance, correlation, kappa, F1, accuracy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.confusion_matrix import confusion_matrix
from dataflow.library.metrics.state import fitted, metric_variable, published
from dataflow.library.metrics.thresholds import Counts, counted_at
from dataflow.library.weights import broadcast_weights
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import diag_part
from dataflow.ops.math.division import div_no_nan, truediv
from dataflow.ops.reductions.arg import argmax, argmin
from dataflow.ops.state.reference import assign_add
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope

_TINY = 1e-7

Metric = tuple[Any, Any]

# What is counted at thresholds, in the order of its variables.
_ALL_COUNTS = ("true_positives", "false_negatives", "true_negatives", "false_positives")


def accuracy(predictions: Any, labels: Any, weights: Any = None, name: str | None = None) -> Tensor:
    """The share of right predictions of this step.

    Args:
      predictions: Integers, strings or bools.
      labels: Of the same type and shape.
      weights: Broadcast to them.
      name: Name scope of the operations.

    Raises:
      ValueError: The types differ, or are others.
    """
    predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
    if not (labels.dtype.is_integer or labels.dtype in (dtypes.bool, dtypes.string)):
        raise ValueError(f"Labels should have bool, string or integer type, not {labels.dtype}.")
    if labels.dtype != predictions.dtype:
        raise ValueError(
            f"Dtypes of predictions and labels should match. Given: predictions "
            f"({predictions.dtype}) and labels ({labels.dtype})"
        )
    labels.shape.assert_is_compatible_with(predictions.shape)
    with name_scope(name, "accuracy", [predictions, labels]):
        is_correct: Any = cast(math_compare.equal(predictions, labels), dtypes.float32)
        if weights is None:
            return reductions.reduce_mean(is_correct)
        weights = cast(weights, dtypes.float32)
        total = reductions.reduce_sum(broadcast_weights(weights, is_correct))
        return truediv(reductions.reduce_sum(is_correct * weights), total)


def streaming_covariance(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The unbiased covariance of all so far; no number of one alone.

    Args:
      predictions: Floats.
      labels: Floats of the same shape.
      weights: How often each counts.
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      name: Variable scope.
    """
    with variable_scope(name, "covariance", (predictions, labels, weights)):
        predictions, labels, weights = fitted(predictions, labels, weights)
        count, mean_prediction, mean_label, comoment = (
            metric_variable([], dtypes.float32, name=each)
            for each in ("count", "mean_prediction", "mean_label", "comoment")
        )
        if weights is None:
            weights = 1.0
        weights = broadcast_weights(cast(weights, dtypes.float32), labels)
        number: Any = reductions.reduce_sum(weights)
        new_count: Any = assign_add(count, number)
        old_count: Any = new_count - number
        means, olds = [], []
        for values, mean in ((predictions, mean_prediction), (labels, mean_label)):
            batch_mean: Any = div_no_nan(reductions.reduce_sum(values * weights), number)
            change: Any = div_no_nan((batch_mean - mean) * number, new_count)
            olds.append(assign_add(mean, change) - change)
            means.append(batch_mean)
        together: Any = reductions.reduce_sum(
            (predictions - means[0]) * (labels - means[1]) * weights
        )
        apart: Any = (olds[0] - means[0]) * (olds[1] - means[1])
        update_comoment = assign_add(comoment, together + apart * (old_count * number / new_count))

        def covariance(name: str) -> Tensor:
            return array_select.where(
                math_compare.less_equal(count, 1.0),
                float("nan"),
                truediv(comoment, count - 1.0),
                name=name,
            )

        value = covariance("covariance")
        with control_dependencies([update_comoment]):
            update = covariance("update_op")
    return published(value, update, metrics_collections, updates_collections)


def streaming_pearson_correlation(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Pearson's coefficient of correlation of all so far; see `streaming_covariance`."""
    with variable_scope(name, "pearson_r", (predictions, labels, weights)):
        predictions, labels, weights = fitted(predictions, labels, weights)
        pairs = [
            streaming_covariance(x, y, weights, name=each)
            for x, y, each in (
                (predictions, labels, "covariance"),
                (predictions, predictions, "variance_predictions"),
                (labels, labels, "variance_labels"),
            )
        ]
        value, update = (
            truediv(
                found[0],
                math_binary.multiply(math_unary.sqrt(found[1]), math_unary.sqrt(found[2])),
                name=each,
            )
            for found, each in zip(
                zip(*pairs, strict=True), ("pearson_r", "update_op"), strict=True
            )
        )
    return published(value, update, metrics_collections, updates_collections)


def cohen_kappa(
    labels: Any,
    predictions_idx: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Cohen's kappa: how far two raters agree beyond chance.

    Args:
      labels: Classes.
      predictions_idx: Classes, of the same shape.
      num_classes: How many classes there are.
      weights: How often each counts.
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      name: Variable scope.

    Raises:
      ValueError: There are fewer than two classes.
    """
    if num_classes < 2:
        raise ValueError(f"`num_classes` must be >= 2.Found: {num_classes}")
    with variable_scope(name, "cohen_kappa", (labels, predictions_idx, weights)):
        labels = convert_to_tensor(labels)
        if labels.shape.rank == 2:
            labels = array_shape.squeeze(labels, [-1])
        predictions_idx, labels, weights = fitted(predictions_idx, labels, weights)
        kind = dtypes.int64
        if weights is not None and not weights.dtype.is_integer:
            kind = dtypes.float32
        states = [
            metric_variable([num_classes], kind, name=each) for each in ("po", "pe_row", "pe_col")
        ]
        table = confusion_matrix(
            labels, predictions_idx, num_classes, kind, name="counts_in_table", weights=weights
        )
        seen = [diag_part(table), reductions.reduce_sum(table, 0), reductions.reduce_sum(table, 1)]
        updates = [assign_add(*each) for each in zip(states, seen, strict=True)]

        def kappa(agreed: Any, rows: Any, columns: Any, name: str) -> Tensor:
            total: Any = cast(reductions.reduce_sum(rows), dtypes.float64)
            products = cast(rows * columns, dtypes.float64)
            chance: Any = reductions.reduce_sum(div_no_nan(products, total))
            right: Any = cast(reductions.reduce_sum(agreed), dtypes.float64)
            return div_no_nan(right - chance, math_binary.maximum(total - chance, 0.0), name=name)

        value = kappa(states[0], states[1], states[2], "value")
        update = kappa(updates[0], updates[1], updates[2], "update_op")
    return published(value, update, metrics_collections, updates_collections)


def f1_score(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The best F1 score over thresholds.

    Args:
      labels: Bools.
      predictions: Floats from 0 to 1.
      weights: Broadcast to them.
      num_thresholds: How many thresholds.
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      name: Variable scope.
    """

    def best(found: Counts, name: str) -> Tensor:
        true: Any = found.true_positives
        precision: Any = truediv(true, _TINY + true + found.false_positives, f"precision_{name}")
        recall: Any = truediv(true, _TINY + true + found.false_negatives, f"recall_{name}")
        return reductions.reduce_max(2.0 * precision * recall / (precision + recall + _TINY))

    with variable_scope(name, "f1", (labels, predictions, weights)):
        return _at_thresholds(
            labels,
            predictions,
            weights,
            num_thresholds,
            best,
            metrics_collections,
            updates_collections,
            ("true_positives", "false_negatives", "false_positives"),
        )


def recall_at_precision(
    labels: Any,
    predictions: Any,
    precision: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
    strict_mode: bool = False,
) -> Metric:
    """The recall at the threshold whose precision is nearest to a given one.

    Args:
      labels: Bools.
      predictions: Floats from 0 to 1.
      precision: From 0 to 1.
      weights: Broadcast to them.
      num_thresholds: How many thresholds.
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      name: Variable scope.
      strict_mode: Whether only thresholds of a higher precision count, and 0 is given without one.

    Raises:
      ValueError: `precision` is out of its range.
    """
    if not 0 <= precision <= 1:
        raise ValueError("`precision` must be in the range [0, 1].")

    def recall(found: Counts, name: str) -> Tensor:
        true: Any = found.true_positives
        all_precisions: Any = truediv(true, true + found.false_positives + _TINY)
        if not strict_mode:
            best = argmin(math_unary.abs(all_precisions - precision), 0)
            return _recall(found, best, name)
        # The reciprocal is largest just above the wanted precision, and below it less than 0.
        nearness: Any = truediv(1.0, all_precisions - precision + _TINY)
        best = argmax(nearness, 0)
        is_reached = math_compare.greater_equal(all_precisions[best], precision)
        chosen: Tensor = cond(is_reached, lambda: _recall(found, best, name), lambda: 0.0)
        return chosen

    with variable_scope(name, "recall_at_precision", (predictions, labels, weights)):
        return _at_thresholds(
            labels,
            predictions,
            weights,
            num_thresholds,
            recall,
            metrics_collections,
            updates_collections,
        )


def precision_at_recall(
    labels: Any,
    predictions: Any,
    target_recall: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The precision at the highest threshold whose recall is not below a given one.

    Args:
      labels: Bools.
      predictions: Floats from 0 to 1.
      target_recall: From 0 to 1.
      weights: Broadcast to them.
      num_thresholds: How many thresholds.
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      name: Variable scope.

    Raises:
      ValueError: `target_recall` is out of its range.
    """
    if not 0 <= target_recall <= 1:
        raise ValueError("`target_recall` must be in the range [0, 1].")

    def precision(found: Counts, name: str) -> Tensor:
        recalls = truediv(
            found.true_positives, found.true_positives + found.false_negatives + _TINY
        )
        reached: Any = cast(math_compare.greater_equal(recalls, target_recall), dtypes.int64)
        last = reductions.reduce_sum(reached) - 1
        true: Any = gather(found.true_positives, last)
        return truediv(true + _TINY, true + gather(found.false_positives, last) + _TINY, name=name)

    with variable_scope(name, "precision_at_recall", (predictions, labels, weights)):
        return _at_thresholds(
            labels,
            predictions,
            weights,
            num_thresholds,
            precision,
            metrics_collections,
            updates_collections,
        )


def _recall(found: Counts, index: Any, name: str) -> Tensor:
    true: Any = gather(found.true_positives, index)
    return truediv(true, true + gather(found.false_negatives, index) + _TINY, name=name)


def _at_thresholds(
    labels: Any,
    predictions: Any,
    weights: Any,
    num_thresholds: int,
    of_counts: Callable[[Counts, str], Tensor],
    metrics_collections: Any,
    updates_collections: Any,
    wanted: Sequence[str] = _ALL_COUNTS,
) -> Metric:
    thresholds = [index / (num_thresholds - 1) for index in range(1, num_thresholds - 1)]
    found, updates = counted_at(
        labels,
        predictions,
        [-_TINY, *thresholds, 1.0 + _TINY],
        weights,
        wanted,
    )
    value, update = of_counts(found, "value"), of_counts(updates, "update")
    return published(value, update, metrics_collections, updates_collections)

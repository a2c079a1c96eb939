"""Curves of predictions at thresholds, as points or as all that is counted there."""

from __future__ import annotations

from typing import Any, NamedTuple

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.library.check_types import assert_type
from dataflow.library.check_values import assert_greater_equal, assert_less_equal
from dataflow.library.metrics.at_k import name_at_k
from dataflow.library.metrics.average_precision import streamed
from dataflow.library.metrics.means import mean
from dataflow.library.metrics.state import fitted, metric_variable, published
from dataflow.library.metrics.thresholds import counted_at
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.math.division import truediv
from dataflow.ops.math.linspace import linspace
from dataflow.ops.math.rounding import floor
from dataflow.ops.nn.topk import in_top_k
from dataflow.ops.reductions.scan import cumsum
from dataflow.ops.state.scatter import scatter_add
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope

_TINY = 1e-7

Metric = tuple[Any, Any]


def streaming_curve_points(
    labels: Any = None,
    predictions: Any = None,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
) -> Metric:
    """The points of a curve.

    Args:
      labels: Bools.
      predictions: Floats from 0 to 1.
      weights: Broadcast to them.
      num_thresholds: How many points.
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      curve: "ROC": false positive rates and recalls, or "PR": recalls and precisions.
      name: Variable scope.

    Returns:
      The points, `[num_thresholds, 2]`, and the update.

    Raises:
      ValueError: It is another curve.
    """
    with variable_scope(name, "curve_points", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
        inner = [index / (num_thresholds - 1) for index in range(1, num_thresholds - 1)]
        thresholds = [-_TINY, *inner, 1.0 + _TINY]
        counts, updates = counted_at(labels, predictions, thresholds, weights)
        small = 1e-6
        hits = counts.true_positives + small
        recall = truediv(hits, counts.true_positives + counts.false_negatives + small)
        if curve == "ROC":
            negatives = counts.false_positives + counts.true_negatives
            pairs = [truediv(counts.false_positives, negatives + small), recall]
        else:
            found = counts.true_positives + counts.false_positives
            pairs = [recall, truediv(hits, found + small)]
        points = array_concat.stack(pairs, axis=1)
        return published(points, group(*updates), metrics_collections, updates_collections)


class PrecisionRecallData(NamedTuple):
    """Counts and shares at thresholds, of the type of predictions."""

    tp: Any
    fp: Any
    tn: Any
    fn: Any
    precision: Any
    recall: Any
    thresholds: Any


def precision_recall_at_equal_thresholds(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Metric:
    """Counts, precisions and recalls at thresholds that are equally far apart, in one pass.

    Args:
      labels: Bools.
      predictions: Floats from 0 to 1 of the same shape.
      weights: Broadcast to them.
      num_thresholds: How many thresholds, from 0 to 1; 201 if None.
      use_locking: Whether updates wait for each other; they do if None.
      name: Variable scope.

    Returns:
      What is counted, vectors of the type of predictions, and the update.

    Raises:
      TypeError: Labels are no bools.
      ValueError: The shapes differ.
    """
    count = 201 if num_thresholds is None else num_thresholds
    weights = 1.0 if weights is None else weights
    locks = True if use_locking is None else use_locking
    assert_type(labels, dtypes.bool)
    text = "predictions must be in [0, 1]"
    values = (labels, predictions, weights)
    with variable_scope(name, "precision_recall_at_equal_thresholds", values):
        kind = predictions.dtype
        with control_dependencies(
            [
                assert_greater_equal(predictions, cast(0.0, kind), message=text),
                assert_less_equal(predictions, cast(1.0, kind), message=text),
            ]
        ):
            predictions, labels, weights = fitted(predictions, labels, weights)
        predictions.shape.assert_is_compatible_with(labels.shape)
        is_true: Any = cast(labels, dtypes.float64)
        weights = cast(weights, dtypes.float64)
        flat: Any = array_shape.reshape(predictions, [-1])
        buckets = cast(floor(flat * (count - 1)), dtypes.int32)
        with name_scope("variables"):
            kept = [
                metric_variable([count], dtypes.float64, name=f"{which}_buckets")
                for which in ("tp", "fp")
            ]
        with name_scope("update_op"):
            updates = [
                scatter_add(
                    each, buckets, array_shape.reshape(share * weights, [-1]), use_locking=locks
                )
                for each, share in zip(kept, (is_true, 1.0 - is_true), strict=True)
            ]
        tp: Any = cumsum(kept[0], reverse=True, name="tp")
        fp: Any = cumsum(kept[1], reverse=True, name="fp")
        tn, fn = fp[0] - fp, tp[0] - tp
        tiny = convert_to_tensor(_TINY, dtype=dtypes.float64)
        found = (
            tp,
            fp,
            tn,
            fn,
            tp / math_binary.maximum(tiny, tp + fp),
            tp / math_binary.maximum(tiny, tp + fn),
            linspace(0.0, 1.0, count),
        )
        result = PrecisionRecallData(*(cast(each, kind) for each in found))
        return result, group(*updates)


def streaming_recall_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The share of examples whose class is among the k best.

    Args:
      predictions: `[batch, classes]`.
      labels: The classes, `[batch]`.
      k: How many.
      weights: Of the examples.
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      name: Variable scope.
    """
    hits = cast(in_top_k(predictions, labels, k), dtypes.float32)
    scope = name or name_at_k("recall", k, None)
    return mean(hits, weights, metrics_collections, updates_collections, scope)


def streaming_sparse_average_precision_at_top_k(
    top_k_predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of the average precision of classes in order, the best first.

    Args:
      top_k_predictions: The k best classes, int64, `[..., k]`.
      labels: The true classes, a tensor or sparse tensor, `[..., n]`.
      weights: Of examples.
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      name: Name scope.

    Raises:
      ValueError: It is not known how many classes there are.
    """
    with name_scope(name, "average_precision_at_top_k", (top_k_predictions, labels)) as scope:
        return streamed(
            labels, top_k_predictions, weights, metrics_collections, updates_collections, scope
        )

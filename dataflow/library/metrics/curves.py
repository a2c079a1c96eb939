"""Metrics of the curve that counts describe as the threshold moves: areas, and points on it.

`labels` and `predictions` are those of `thresholds`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.arg as reductions_arg
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.tensor import Tensor
from dataflow.library.metrics.state import published, safe_ratio
from dataflow.library.metrics.thresholds import Counts, counted_at
from dataflow.ops.basic.cast import cast
from dataflow.ops.reductions.scan import cumsum
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope

_log = logging.getLogger(__name__)

_TINY = 1e-7
"""Keeps quotients of counts finite, and puts thresholds around 0 and 1."""

_TINY_RATE = 1e-6
"""Keeps the rates that an area is made of finite."""

_HEIGHTS: dict[str, Callable[[Any, Any], Any]] = {
    "trapezoidal": lambda left, right: (left + right) / 2.0,
    "careful_interpolation": lambda left, right: (left + right) / 2.0,
    "minoring": math_binary.minimum,
    "majoring": math_binary.maximum,
}
"""The height of a strip of the area, of those on its two sides."""


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> tuple[Tensor, Any]:
    """The area under a curve, made of strips between thresholds.

    Args:
      labels: See above.
      predictions: See above.
      weights: See above.
      num_thresholds: Number of thresholds, evenly spaced from 0 to 1.
      metrics_collections: See above.
      updates_collections: See above.
      curve: "ROC": true positives over false positives; "PR": precision over recall.
      name: See above.
      summation_method: "trapezoidal"; "careful_interpolation", which for "PR" interpolates the
        counts rather than the precision; "minoring" or "majoring", the lower or higher side.
      thresholds: Thresholds between 0 and 1, instead of `num_thresholds`.

    Raises:
      ValueError: The curve or the method is unknown.
    """
    with variable_scope(name, "auc", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
        inner = _inner_thresholds(num_thresholds) if thresholds is None else sorted(thresholds)
        counts, updates = counted_at(labels, predictions, _with_ends(inner), weights)
        value = _area(counts, curve, summation_method, "value")
        update = _area(updates, curve, summation_method, "update_op")
        return published(value, update, metrics_collections, updates_collections)


def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The share of true labels that are predicted, at the threshold with a given specificity.

    Args:
      labels: See above.
      predictions: See above.
      specificity: The share of false labels that are not predicted, from 0 to 1.
      weights: See above.
      num_thresholds: As in `auc`.
      metrics_collections: See above.
      updates_collections: See above.
      name: See above.

    Raises:
      ValueError: The specificity is outside.
    """
    if specificity < 0 or specificity > 1:
        raise ValueError(
            "`specificity` must be in the range [0, 1]. "
            f"Currently, `specificity` got {specificity}."
        )
    with variable_scope(name, "sensitivity_at_specificity", (predictions, labels, weights)):
        inner = _inner_thresholds(num_thresholds)
        counts, updates = counted_at(labels, predictions, _with_ends(inner), weights)

        def compute(counts: Counts, name: str) -> Tensor:
            specificities: Any = _share(counts.true_negatives, counts.false_positives)
            distance = math_unary.abs(specificities - specificity)
            place = cast(reductions_arg.argmin(distance, 0), dtypes.int32)
            return _share_at(counts.true_positives, counts.false_negatives, place, name)

        value, update = compute(counts, "value"), compute(updates, "update_op")
        return published(value, update, metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The share of false labels that are not predicted, at the threshold with a sensitivity.

    Args:
      labels: See above.
      predictions: See above.
      sensitivity: The share of true labels that are predicted, from 0 to 1; the highest of several
        thresholds that come as close is taken.
      weights: See above.
      num_thresholds: As in `auc`.
      metrics_collections: See above.
      updates_collections: See above.
      name: See above.

    Raises:
      ValueError: The sensitivity is outside.
    """
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError(
            f"`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}."
        )
    with variable_scope(name, "specificity_at_sensitivity", (predictions, labels, weights)):
        inner = _inner_thresholds(num_thresholds)
        # A prediction of 1 is above the last threshold, as in TensorFlow.
        ends = _with_ends(inner, 1.0 - _TINY)
        counts, updates = counted_at(labels, predictions, ends, weights)

        def compute(counts: Counts, name: str) -> Tensor:
            sensitivities: Any = _share(counts.true_positives, counts.false_negatives)
            least = reductions.reduce_min(math_unary.abs(sensitivities - sensitivity))
            is_closest = math_compare.equal(math_unary.abs(sensitivities - sensitivity), least)
            # The sum grows up to the last that is as close.
            last = reductions_arg.argmax(cumsum(cast(is_closest, dtypes.int64)), 0)
            place = cast(last, dtypes.int32)
            return _share_at(counts.true_negatives, counts.false_positives, place, name)

        value, update = compute(counts, "value"), compute(updates, "update_op")
        return published(value, update, metrics_collections, updates_collections)


def _inner_thresholds(count: int) -> list[float]:
    """Even steps strictly between 0 and 1, two less than `count`."""
    return [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)]


def _with_ends(inner: Sequence[float], last: float = 1.0 + _TINY) -> list[float]:
    return [0.0 - _TINY, *inner, last]


def _share(hits: Any, others: Any) -> Any:
    return math_division.divide(hits, hits + others + _TINY)


def _share_at(hits: Any, others: Any, place: Any, name: str) -> Tensor:
    return math_division.divide(hits[place], hits[place] + others[place] + _TINY, name)


def _area(counts: Counts, curve: str, method: str, name: str) -> Tensor:
    """The area under the curve; thresholds grow, so both its axes fall."""
    if curve == "PR" and method == "trapezoidal":
        _log.warning(
            "Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "
            '"careful_interpolation" instead.'
        )
    if curve == "PR" and method == "careful_interpolation":
        return _interpolated_area(counts)
    hits, misses = counts.true_positives, counts.false_negatives
    recalls: Any = math_division.divide(hits + _TINY_RATE, hits + misses + _TINY_RATE)
    wrong: Any = counts.false_positives
    if curve == "ROC":
        x = math_division.divide(wrong, wrong + counts.true_negatives + _TINY_RATE)
        y = recalls
    else:
        x = recalls
        y = math_division.divide(hits + _TINY_RATE, hits + wrong + _TINY_RATE)
    if method not in _HEIGHTS:
        raise ValueError(
            f"Invalid summation_method: {method} summation_method should be 'trapezoidal', "
            "'careful_interpolation', 'minoring', or 'majoring'."
        )
    width = _left(x) - _right(x)
    height = _HEIGHTS[method](_left(y), _right(y))
    return reductions.reduce_sum(math_binary.multiply(width, height), name=name)


def _interpolated_area(counts: Counts) -> Tensor:
    """The area under precision over recall, if counts are linear between thresholds.

    J. Davis and M. Goadrich, The Relationship Between Precision-Recall and ROC Curves, 2006. With
    `t` true positives among `p` positives and `t = a * p + b` in a strip, its area is the integral
    of `t / p` over `t`, divided by all true labels: `a * (dt + b * log(p_left / p_right))`.
    """
    hits = counts.true_positives
    rise = _left(hits) - _right(hits)
    positives = hits + counts.false_positives
    slope: Any = safe_ratio(rise, _left(positives) - _right(positives), name="prec_slope")
    intercept = _right(hits) - math_binary.multiply(slope, _right(positives))
    ratio = array_select.where(
        math_compare.logical_and(_left(positives) > 0, _right(positives) > 0),
        safe_ratio(_left(positives), _right(positives), name="recall_relative_ratio"),
        array_fill.ones_like(_right(positives)),
    )
    area = slope * (rise + intercept * math_unary.log(ratio))
    labels = _right(hits) + _right(counts.false_negatives)
    parts = safe_ratio(area, labels, name="pr_auc_increment")
    return reductions.reduce_sum(parts, name="interpolate_pr_auc")


def _left(values: Any) -> Any:
    return values[: values.shape.as_list()[0] - 1]


def _right(values: Any) -> Any:
    return values[1:]

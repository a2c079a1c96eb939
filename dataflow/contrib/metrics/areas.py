"""Areas under curves: of all predictions so far, with their confidence, or by histograms."""

from __future__ import annotations

from typing import Any, NamedTuple

import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.contrib.metrics.collecting import streaming_concat
from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.library.check_values import assert_greater_equal, assert_less_equal
from dataflow.library.confusion_matrix import remove_squeezable_dimensions
from dataflow.library.distributions.normal import Normal
from dataflow.library.metrics.state import fitted, published
from dataflow.ops.array.fill import ones_like, zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.array.pad import pad
from dataflow.ops.array.transpose import reverse
from dataflow.ops.array.unique import unique, unique_with_counts
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.math.division import truediv
from dataflow.ops.nn.topk import top_k
from dataflow.ops.reductions.bincount import histogram_fixed_width
from dataflow.ops.reductions.scan import cumsum
from dataflow.ops.reductions.segment import segment_sum
from dataflow.values import dtypes
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable, variable_scope

_TINY = 1e-7

Metric = tuple[Any, Any]


def streaming_dynamic_auc(
    labels: Any,
    predictions: Any,
    curve: str = "ROC",
    metrics_collections: Any = (),
    updates_collections: Any = (),
    name: str | None = None,
    weights: Any = None,
) -> Metric:
    """The area under a curve at all predictions so far, which are kept.

    Args:
      labels: 0 and 1.
      predictions: Numbers of the same shape.
      curve: "ROC" or "PR".
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      name: Variable scope.
      weights: Of the same shape.

    Returns:
      The area, a float64 scalar that is 0 if all labels are equal, and the update.

    Raises:
      ValueError: It is another curve, or the shapes differ.
    """
    if curve not in ("PR", "ROC"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    with variable_scope(name, "dynamic_auc"):
        labels.shape.assert_is_compatible_with(predictions.shape)
        predictions = array_shape.reshape(cast(predictions, dtypes.float64), [-1])
        labels = array_shape.reshape(cast(labels, dtypes.int64), [-1])
        with control_dependencies(_are_0_or_1(labels)):
            kept_predictions, update_predictions = streaming_concat(
                predictions, name="concat_preds"
            )
            kept_labels, update_labels = streaming_concat(labels, name="concat_labels")
            updates = [update_labels, update_predictions]
            kept_weights: Any = ones_like(kept_labels, dtype=dtypes.float64)
            if weights is not None:
                weights = array_shape.reshape(cast(weights, dtypes.float64), [-1])
                kept_weights, update_weights = streaming_concat(weights, name="concat_weights")
                updates.append(update_weights)
            update = group(*updates)
            area = _area_at_all(kept_labels, kept_predictions, kept_weights, curve)
            return published(area, update, metrics_collections, updates_collections)


def _area_at_all(labels: Any, predictions: Any, weights: Any, curve: str) -> Any:
    whole: Any = reductions.reduce_sum(weights)
    nothing = zeros_like(weights)
    is_true = math_compare.greater(labels, 0)
    all_true: Any = reductions.reduce_sum(array_select.where(is_true, weights, nothing))

    def area() -> Any:
        ordered, order = top_k(predictions, k=array_shape.size(predictions))
        ordered_labels, ordered_weights = gather(labels, order), gather(weights, order)
        _, _, counts = unique_with_counts(ordered)
        # Equal predictions are one point of the curve.
        ends = cast(pad(cumsum(counts), [[1, 0]]), dtypes.int32)

        def so_far(chosen: Any) -> Any:
            return gather(pad(cumsum(chosen), [[1, 0]]), ends)

        is_hit = math_compare.greater(ordered_labels, 0)
        hits = so_far(array_select.where(is_hit, ordered_weights, nothing))
        share: Any = truediv(hits, all_true)
        x: Any
        y: Any
        if curve == "ROC":
            misses = so_far(array_select.where(is_hit, nothing, ordered_weights))
            x, y = truediv(misses, whole - all_true), share
        else:
            is_later = math_compare.greater(ends, 0)
            precision = truediv(hits, so_far(ordered_weights))
            x, y = share, array_select.where(is_later, precision, ones_like(hits))
        return reductions.reduce_sum((y[1:] + y[:-1]) / 2.0 * math_unary.abs(x[1:] - x[:-1]))

    is_trivial = math_compare.logical_or(
        math_compare.equal(all_true, 0.0), math_compare.equal(all_true, whole)
    )
    return cond(is_trivial, lambda: constant(0, dtypes.float64), area)


class AucData(NamedTuple):
    """An area, and between what it lies."""

    auc: Any
    lower: Any
    upper: Any


def auc_with_confidence_intervals(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    alpha: float = 0.95,
    logit_transformation: bool = True,
    metrics_collections: Any = (),
    updates_collections: Any = (),
    name: str | None = None,
) -> Metric:
    """The area under the ROC curve at all predictions so far, and its confidence interval.

    By placement values (DeLong and others, 1988); the interval is one of the area's logit, if that
    is asked for (Qin and Hotilovac, 2008).

    Args:
      labels: 0 and 1.
      predictions: Numbers of the same shape.
      weights: Of the same shape.
      alpha: The confidence, between 0 and 1.
      logit_transformation: Whether the interval is symmetric around the logit.
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      name: Variable scope.

    Returns:
      The area and both ends, float32 scalars that are 0 as long as one of the labels is missing in
      a batch, and the update.

    Raises:
      ValueError: `alpha` is out of its range, or the shapes do not fit.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1; currently {alpha:.2f}")
    if weights is None:
        weights = ones_like(predictions)
    values = [labels, predictions, weights]
    with variable_scope(name, "auc_with_confidence_intervals", values=values):
        predictions, labels, weights = fitted(predictions, labels, weights)
        total = reductions.reduce_sum(weights)
        weights = array_shape.reshape(weights, [-1])
        predictions = array_shape.reshape(cast(predictions, dtypes.float64), [-1])
        labels = array_shape.reshape(cast(labels, dtypes.int64), [-1])
        with control_dependencies(_are_0_or_1(labels)):
            kept_predictions, update_predictions = streaming_concat(
                predictions, name="concat_preds"
            )
            kept_labels, update_labels = streaming_concat(labels, name="concat_labels")
            kept_weights, update_weights = streaming_concat(weights, name="concat_weights")
            updates = group(update_labels, update_predictions, update_weights)
            has_both = math_compare.logical_and(
                math_compare.equal(reductions.reduce_min(labels), 0),
                math_compare.equal(reductions.reduce_max(labels), 1),
            )
            has_weight = math_compare.greater_equal(total, 1.0)
            update = cond(has_weight, lambda: updates, no_op)
            area, lower, upper = _by_placements(
                kept_labels, kept_predictions, kept_weights, alpha, logit_transformation
            )
            zero = constant(0.0)
            found = cond(
                math_compare.logical_and(has_both, has_weight),
                lambda: [area, lower, upper],
                lambda: [zero, zero, zero],
            )
            return published(AucData(*found), update, metrics_collections, updates_collections)


def _by_placements(
    labels: Any, predictions: Any, weights: Any, alpha: float, by_logit: bool
) -> tuple[Any, Any, Any]:
    order: Any = top_k(predictions, k=array_shape.size(predictions), sorted=True)[1]
    order = reverse(order, [0])
    true: Any = cast(gather(labels, order), dtypes.float32)
    weight: Any = gather(weights, order)
    _, group_of = unique(gather(predictions, order))
    of_true, of_false = weight * true, weight * (1.0 - true)

    def placements(others: Any) -> Any:
        """Which share of the others each group lies above, where equals count half."""
        sums: Any = segment_sum(others, group_of)
        below: Any = cumsum(sums, exclusive=True)
        shares = (below + sums / 2.0) / (reductions.reduce_sum(sums) + _TINY)
        return gather(shares, group_of)

    all_true: Any = reductions.reduce_sum(of_true)
    all_false: Any = reductions.reduce_sum(of_false)
    above = placements(of_false) * true
    not_below = (1.0 - placements(of_true)) * (1.0 - true)
    by_true: Any = reductions.reduce_sum(of_true * above) / (all_true + _TINY)
    by_false: Any = reductions.reduce_sum(of_false * not_below) / (all_false + _TINY)
    area: Any = array_select.where(math_compare.less(all_false, all_true), by_true, by_false)

    def variance(of_one: Any, placed: Any, mean: Any, total: Any) -> Any:
        squares: Any = reductions.reduce_sum(of_one * math_unary.square(placed - mean))
        return squares / (total - 1.0 + _TINY)

    error: Any = math_unary.sqrt(
        variance(of_false, not_below, by_false, all_false) / (all_false + _TINY)
        + variance(of_true, above, by_true, all_true) / (all_true + _TINY)
    )
    z = Normal(0.0, 1.0).quantile((1.0 - alpha) / 2.0)
    if by_logit:
        center: Any = math_unary.log(area / (1.0 - area + _TINY))
        error = error / (area * (1.0 - area + _TINY))
        ends = [
            1.0 / (1.0 + math_unary.exp(-each) + _TINY)
            for each in (center + z * error, center - z * error)
        ]
    else:
        ends = [area + z * error, area - z * error]
    is_extreme = math_compare.logical_or(
        math_compare.equal(area, ones_like(area)), math_compare.equal(area, zeros_like(area))
    )
    lower, upper = (array_select.where(is_extreme, area, each) for each in ends)
    return area, lower, upper


def _are_0_or_1(labels: Any) -> list[Any]:
    zero, one = zeros_like(labels, dtypes.int64), ones_like(labels, dtypes.int64)
    text = "labels must be 0 or 1, at least one is {}"
    return [
        assert_greater_equal(labels, zero, message=text.format("<0")),
        assert_less_equal(labels, one, message=text.format(">1")),
    ]


def auc_using_histogram(
    boolean_labels: Any,
    scores: Any,
    score_range: Any,
    nbins: int = 100,
    collections: Any = None,
    check_shape: bool = True,
    name: str | None = None,
) -> Metric:
    """The area under the ROC curve by histograms of scores (Bouckaert, 2006).

    Args:
      boolean_labels: Bools, a vector.
      scores: Numbers of the same shape.
      score_range: The least and the largest score, of the type of scores; others are taken for
        these.
      nbins: How many bins a histogram has.
      collections: Of the histograms; that of local variables if None.
      check_shape: Whether the step finds both to be vectors.
      name: Variable scope.

    Returns:
      The area, a float32 scalar, and the update.

    Raises:
      ValueError: The labels are no bools.
    """
    collections = [GraphKeys.LOCAL_VARIABLES] if collections is None else collections
    values = [boolean_labels, scores, score_range]
    with variable_scope(name, "auc_using_histogram", values):
        scores, boolean_labels = remove_squeezable_dimensions(scores, boolean_labels)
        limits = convert_to_tensor(score_range, name="score_range")
        labels, scores = _checked(boolean_labels, scores, check_shape)
        with variable_scope(None, "make_auc_histograms", [labels, scores, nbins]):
            new = [
                histogram_fixed_width(
                    boolean_mask(scores, which),
                    limits,
                    nbins=nbins,
                    dtype=dtypes.int64,
                    name=f"hist_{text}",
                )
                for text, which in (("true", labels), ("false", math_compare.logical_not(labels)))
            ]
        with variable_scope(None, "hist_accumulate", new):
            kept = [
                get_variable(
                    f"hist_{text}_acc",
                    shape=[nbins],
                    dtype=dtypes.int64,
                    initializer=Zeros(),
                    collections=collections,
                    trainable=False,
                )
                for text in ("true", "false")
            ]
            added = [all_.assign_add(one) for all_, one in zip(kept, new, strict=True)]
            update = group(*added, name="update_op")
        shares = [truediv(each, reductions.reduce_sum(each)) for each in kept]
        # From the highest score to the lowest.
        up, right = (cast(reverse(each, [0]), dtypes.float32) for each in shares)
        height: Any = cumsum(up)
        across: Any = right
        first = across[0] * height[0] / 2.0
        others: Any = reductions.reduce_sum(across[1:] * (height[1:] + height[:-1]) / 2.0)
        return math_binary.add(first, others, name="auc"), update


def _checked(labels: Any, scores: Any, check_shape: bool) -> tuple[Any, Any]:
    with name_scope("_check_labels_and_scores", values=[labels, scores]):
        labels = convert_to_tensor(labels, name="boolean_labels")
        scores = convert_to_tensor(scores, name="scores")
        if labels.dtype != dtypes.bool:
            raise ValueError(
                f"Argument boolean_labels should have dtype bool.  Found: {labels.dtype}"
            )
        if not check_shape:
            return labels, scores
        checks = [
            Assert(
                math_compare.equal(1, array_shape.rank(each)),
                [
                    f"Argument {text} should have rank 1.  Found: ",
                    each.name,
                    array_shape.shape(each),
                ],
            )
            for text, each in (("boolean_labels", labels), ("scores", scores))
        ]
        with control_dependencies(checks):
            return identity(labels), identity(scores)

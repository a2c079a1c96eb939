"""Losses of numbers that are predicted: how far they are from the true ones.

All take `labels`, the true values, and `predictions` of the same shape, both converted to float32;
`weights`, `scope`, `loss_collection` and `reduction` are those of `compute_weighted_loss`. They
raise
ValueError where an argument is None or shapes do not fit.
"""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.losses.arguments import check_given, floats_of_one_shape
from dataflow.library.losses.collection import add_loss
from dataflow.library.losses.weighted import Reduction, compute_weighted_loss, num_present
from dataflow.library.weights import assert_broadcastable
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.division import div_no_nan
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed


def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The loss `|predictions - labels|`."""
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        predictions, labels = floats_of_one_shape(predictions, labels)
        losses = math_unary.abs(math_binary.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Tensor:
    """The loss `1 - sum(predictions * labels)` over one axis, of vectors of length 1.

    Args:
      labels: See above.
      predictions: See above.
      axis: The axis of the vectors; it stays, with size 1.
      weights: See above.
      scope: See above.
      loss_collection: See above.
      reduction: See above.
      dim: Deprecated name of `axis`.
    """
    axis = renamed("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        predictions, labels = floats_of_one_shape(predictions, labels)
        products = math_binary.multiply(predictions, labels)
        losses = 1 - reductions.reduce_sum(products, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Half the squared difference up to `delta`, from there on a straight line.

    P. J. Huber, Robust Estimation of a Location Parameter, 1964.
    """
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, "huber_loss", [predictions, labels, weights]) as scope:
        predictions, labels = floats_of_one_shape(predictions, labels)
        error = math_unary.abs(math_binary.subtract(predictions, labels))
        quadratic = math_binary.minimum(error, delta)
        linear = math_binary.subtract(error, quadratic)
        half = convert_to_tensor(0.5, dtype=quadratic.dtype)
        losses = math_binary.add(
            math_binary.multiply(half, math_binary.multiply(quadratic, quadratic)),
            math_binary.multiply(delta, linear),
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross entropy of probabilities, to which `epsilon` is added before the logarithm."""
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        predictions, labels = floats_of_one_shape(predictions, labels)
        if_true = -math_binary.multiply(labels, math_unary.log(predictions + epsilon))
        if_false = math_binary.multiply(1 - labels, math_unary.log(1 - predictions + epsilon))
        return compute_weighted_loss(if_true - if_false, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
) -> Tensor:
    """How differences within an entry of the batch differ from those of the labels.

    For each entry, the squared difference of `d[i]` and `d[j]` with `d = predictions - labels`, on
    average over pairs of elements; these are weighted and added up.
    """
    check_given(labels=labels, predictions=predictions)
    default = "mean_pairwise_squared_error"
    with name_scope(scope, default, [predictions, labels, weights]) as scope:
        weights = cast(weights, dtypes.float32)
        labels = cast(labels, dtypes.float32)
        with control_dependencies([assert_broadcastable(weights, labels)]):
            predictions = cast(predictions, dtypes.float32)
            predictions.shape.assert_is_compatible_with(labels.shape)
            differences = math_binary.subtract(predictions, labels)
            axes = range_of(1, array_shape.rank(differences))
            squares: Any = reductions.reduce_sum(
                math_unary.square(differences), axis=axes, keepdims=True
            )
            present = num_present(differences, weights, per_batch=True)
            others = math_binary.maximum(present - 1, 0)
            own = 2.0 * div_no_nan(squares, others, name="value")
            total = reductions.reduce_sum(differences, axis=axes, keepdims=True)
            squared = math_unary.square(total)
            pairs = math_binary.maximum(math_binary.multiply(present, present - 1), 0)
            mixed = 2.0 * div_no_nan(squared, pairs, name="value")
            loss = reductions.reduce_sum(math_binary.multiply(own - mixed, weights))
            counted: Any = reductions.reduce_sum(present)
            mean: Tensor = array_select.where(
                counted > 0, loss, array_fill.zeros_like(loss), name="value"
            )
            add_loss(mean, loss_collection)
            return mean


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The loss `(predictions - labels) ** 2`."""
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        predictions, labels = floats_of_one_shape(predictions, labels)
        losses = math_binary.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)

"""Losses of single examples that can be differentiated twice."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.losses.classification import hinge_loss
from dataflow.ops.array.fill import ones_like, zeros_like
from dataflow.ops.array.select import one_hot, where
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.binary import squared_difference
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.unary import exp, log, square
from dataflow.ops.nn.losses import sigmoid_cross_entropy_with_logits
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes


def _weighted(loss: Any, weights: Any) -> tuple[Any, Any]:
    return (loss if weights is None else loss * weights), no_op()


def per_example_squared_hinge_loss(labels: Any, weights: Any, predictions: Any) -> tuple[Any, Any]:
    """The square of the hinge loss of the batch.

    Args:
      labels: 0 or 1, [batch_size, 1].
      weights: Of examples, [batch_size, 1].
      predictions: Logits, [batch_size, 1].

    Returns:
      The loss, and an operation that does nothing; so do the other losses.
    """
    loss = hinge_loss(labels=labels, logits=predictions, weights=weights)
    return square(loss), no_op()


def per_example_logistic_loss(labels: Any, weights: Any, predictions: Any) -> tuple[Any, Any]:
    """The cross entropy of two classes, [batch_size, 1]; see `per_example_squared_hinge_loss`."""
    loss = sigmoid_cross_entropy_with_logits(
        labels=cast(labels, dtypes.float32), logits=predictions
    )
    return loss * weights, no_op()


def per_example_quantile_regression_loss(
    labels: Any, weights: Any, predictions: Any, quantile: float
) -> tuple[Any, Any]:
    """The loss that a quantile of the labels makes least, squared where it is less than 1.

    Its second derivative may be 0: it is to be used with `l2` or `min_node_weight`.

    Args:
      labels: Numbers, [batch_size, dimension].
      weights: Of examples, [batch_size, 1]; None for 1.
      predictions: Numbers, of the labels' shape.
      quantile: Which one, from 0 to 1.
    """
    error = cast(labels, dtypes.float32) - predictions

    def smooth(loss: Any) -> Any:
        return where(loss < 1.0, square(loss), loss)

    return _weighted(
        where(error > 0, smooth(error * quantile), smooth(error * (quantile - 1))), weights
    )


def per_example_maxent_loss(
    labels: Any, weights: Any, logits: Any, num_classes: int, eps: float = 1e-15
) -> tuple[Any, Any]:
    """The cross entropy of several classes, [batch_size, 1].

    Args:
      labels: Numbers of classes, [batch_size] or [batch_size, 1].
      weights: Of examples, [batch_size, 1]; None for 1.
      logits: [batch_size, num_classes].
      num_classes: How many classes there are.
      eps: By how much chances are kept off 0 and 1.
    """
    labels = cast(labels, dtypes.int64)
    if len(labels.shape) != 2:
        labels = array_shape.expand_dims(labels, 1)
    targets = cast(reduce_sum(one_hot(indices=labels, depth=num_classes), axis=[1]), dtypes.float32)
    powers = exp(logits)
    chances = powers / (reduce_sum(powers, 1, keepdims=True) + eps)
    chance = reduce_sum(targets * chances, 1)
    low = zeros_like(chance, dtype=logits.dtype) + eps
    high = ones_like(chance, dtype=logits.dtype) - eps
    chance = where(chance >= eps, chance, low)
    chance = where(chance <= 1 - eps, chance, high)
    return _weighted(array_shape.expand_dims(-log(chance), 1), weights)


def per_example_squared_loss(labels: Any, weights: Any, predictions: Any) -> tuple[Any, Any]:
    """The squares of errors, [batch_size, 1]; see `per_example_squared_hinge_loss`."""
    loss = reduce_sum(squared_difference(predictions, labels), 1, keepdims=True)
    return loss * weights, no_op()


def per_example_exp_loss(
    labels: Any, weights: Any, predictions: Any, name: str | None = None, eps: float = 0.1
) -> tuple[Any, Any]:
    """exp(-label * prediction), where both are between -1 and 1: it is enough to be right.

    The chance p of the positive class stands for the prediction p / eps - 1 / (2 eps), cut off.

    Args:
      labels: 0 or less, or more, [batch_size, dimension].
      weights: Of examples, [batch_size, 1].
      predictions: Logits, of the labels' shape.
      name: A scope.
      eps: How far from 0.5 a chance is sure.

    Raises:
      ValueError: Labels and logits have different shapes.
    """
    signs, logits = _signs(labels, predictions, name)
    slope = 1.0 / eps
    told = slope * sigmoid(logits) + (-1.0 / 2 / eps)
    least = where(told < -1, -ones_like(logits), told)
    told = where(least > 1, ones_like(logits), least)
    return exp(-told * signs) * weights, no_op()


def per_example_full_exp_loss(
    labels: Any, weights: Any, predictions: Any, name: str | None = None
) -> tuple[Any, Any]:
    """exp(-label * logit), where labels are -1 and 1; see `per_example_exp_loss`."""
    signs, logits = _signs(labels, predictions, name)
    return exp(-1.0 * logits * signs) * weights, no_op()


def _signs(labels: Any, logits: Any, name: str | None) -> tuple[Any, Any]:
    """Labels as -1 and 1, and logits."""
    labels = cast(labels, dtypes.float32)
    with name_scope(name, "exp_loss", [logits, labels]):
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        try:
            labels.shape.merge_with(logits.shape)
        except ValueError:
            raise ValueError(
                f"logits and labels must have the same shape ({logits.shape} vs {labels.shape})"
            ) from None
    ones = ones_like(logits)
    return where(labels > zeros_like(logits), ones, -ones), logits

"""Losses of heads: the mean over examples trains, the weighted average is what is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.library.losses.classification as classification
import dataflow.ops.array.shape as array_shape
from dataflow.estimation.functions import argument_names
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.library.check_types import assert_rank_in
from dataflow.library.losses.weighted import Reduction
from dataflow.library.weights import broadcast_weights
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import multiply, squared_difference
from dataflow.ops.math.division import div
from dataflow.ops.nn.losses import (
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.values import dtypes

Losses = tuple[Any, Any]
"""What trains, and what is reported."""
LossFn = Callable[..., Losses]
"""Takes labels, logits and weights."""


def weighted(loss: Any, weights: Any) -> Losses:
    """The mean of losses times weights, and their sum over the sum of weights."""
    with name_scope("loss", values=[loss] if weights is None else [loss, weights]) as scope:
        if weights is None:
            mean = reduce_mean(loss, name=scope)
            return mean, mean
        weights = broadcast_weights(weights, loss)
        with name_scope(None, "weighted_loss", [loss, weights]) as name:
            each = multiply(loss, weights, name=name)
        mean = reduce_mean(each, name=scope)
        total = cast(reduce_sum(weights), dtypes.float32)
        return mean, div(reduce_sum(each), total, name="weighted_average_loss")


def squares(labels: Any, logits: Any, weights: Any = None) -> Losses:
    """Of numbers: the squares of errors."""
    with name_scope(None, "mean_squared_loss", (logits, labels)) as name:
        labels, logits = _columns(labels, logits)
        loss = squared_difference(logits, cast(labels, dtypes.float32), name=name)
        return weighted(loss, weights)


def poisson(labels: Any, logits: Any, weights: Any = None) -> Losses:
    """Of counts: the negative log likelihood of a Poisson distribution."""
    with name_scope(None, "_poisson_loss", (logits, labels)) as name:
        labels, logits = _columns(labels, logits)
        loss = log_poisson_loss(labels, logits, compute_full_loss=True, name=name)
        return weighted(loss, weights)


def two_classes(labels: Any, logits: Any, weights: Any = None) -> Losses:
    """Of 0 and 1: the cross entropy."""
    with name_scope(None, "log_loss_with_two_classes", (logits, labels)) as name:
        logits = convert_to_tensor(logits)
        labels = _column(cast(labels, dtypes.float32))
        loss = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name=name)
        return weighted(loss, weights)


def several_classes(labels: Any, logits: Any, weights: Any = None) -> Losses:
    """Of numbers of classes: the cross entropy.

    Raises:
      ValueError: They are no integers.
    """
    with name_scope(None, "softmax_cross_entropy_loss", (logits, labels)) as name:
        labels = convert_to_tensor(labels)
        if not labels.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer Instead got {labels.dtype}.")
        is_column = labels.shape.ndims == 2
        if is_column:
            labels = array_shape.squeeze(labels, axis=(1,))
        loss = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)
        return weighted(array_shape.expand_dims(loss, axis=1) if is_column else loss, weights)


def several_labels(labels: Any, logits: Any, weights: Any = None) -> Losses:
    """Of classes each of which is there or not: the cross entropy."""
    with name_scope(None, "sigmoid_cross_entropy_loss", (logits, labels)) as name:
        loss = sigmoid_cross_entropy_with_logits(
            labels=cast(labels, dtypes.float32), logits=logits, name=name
        )
        return weighted(loss, weights)


def hinge(labels: Any, logits: Any, weights: Any = None) -> Losses:
    """Of 0 and 1: the hinge loss."""
    with name_scope(None, "hinge_loss", (logits, labels)) as name:
        message = "labels shape should be either [batch_size, 1] or [batch_size]"
        checks = [assert_rank_in(labels, (0, 1, 2), message=message)]
        with control_dependencies(checks):
            labels = array_shape.reshape(labels, (-1, 1))
        loss = classification.hinge_loss(
            labels=labels, logits=logits, scope=name, reduction=Reduction.NONE
        )
        return weighted(loss, weights)


def own(loss_fn: Callable[..., Any]) -> LossFn:
    """A program's own.

    Args:
      loss_fn: Takes `labels`, `logits` and `weights`, and gives a scalar.

    Raises:
      ValueError: It does not take one of them.
    """
    names = argument_names(loss_fn)
    for name in ("labels", "logits", "weights"):
        if name not in names:
            raise ValueError(f"Argument {name} not found in loss_fn.")

    def call(labels: Any, logits: Any, weights: Any = None) -> Losses:
        loss = loss_fn(labels, logits, *([] if weights is None else [weights]))
        return loss, loss

    return call


def _columns(labels: Any, logits: Any) -> tuple[Any, Any]:
    labels, logits = _column(convert_to_tensor(labels)), _column(convert_to_tensor(logits))
    logits.shape.assert_is_compatible_with(labels.shape)
    return labels, logits


def _column(tensor: Any) -> Any:
    return array_shape.expand_dims(tensor, axis=1) if tensor.shape.ndims == 1 else tensor

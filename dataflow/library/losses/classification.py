"""Losses of classes that are predicted, from logits.

`weights`, `scope`, `loss_collection` and `reduction` are those of `compute_weighted_loss`. All
raise
ValueError where an argument is None or shapes do not fit.
"""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.confusion_matrix import remove_squeezable_dimensions
from dataflow.library.losses.arguments import check_given, floats_of_one_shape
from dataflow.library.losses.weighted import Reduction, compute_weighted_loss
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.nn.activation import relu
from dataflow.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The loss `max(0, 1 - y * logits)`, y being -1 for the label 0 and 1 for the label 1.

    Args:
      labels: 0 or 1.
      logits: Of the same shape; its sign tells the class.
      weights: See above.
      scope: See above.
      loss_collection: See above.
      reduction: See above.
    """
    check_given(labels=labels, logits=logits)
    with name_scope(scope, "hinge_loss", [logits, labels, weights]) as scope:
        logits, labels = floats_of_one_shape(logits, labels)
        ones = array_fill.ones_like(labels)
        signs = math_binary.subtract(2 * labels, ones)
        losses = relu(math_binary.subtract(ones, math_binary.multiply(signs, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross entropy of classes that do not exclude each other.

    Args:
      multi_class_labels: 0 or 1, shape `[batch, classes]`.
      logits: Of the same shape.
      weights: See above.
      label_smoothing: Above 0, labels move towards 1/2 by this share.
      scope: See above.
      loss_collection: See above.
      reduction: See above.
    """
    check_given(multi_class_labels=multi_class_labels, logits=logits)
    values = [logits, multi_class_labels, weights]
    with name_scope(scope, "sigmoid_cross_entropy_loss", values) as scope:
        logits = convert_to_tensor(logits)
        labels: Any = cast(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross entropy of classes that exclude each other; labels get no gradient.

    Args:
      onehot_labels: Probabilities of the classes, shape `[batch, classes]`.
      logits: Of the same shape.
      weights: A scalar, or of the shape `[batch]`.
      label_smoothing: Above 0, labels move towards `1 / classes` by this share.
      scope: See above.
      loss_collection: See above.
      reduction: See above.
    """
    check_given(onehot_labels=onehot_labels, logits=logits)
    values = [logits, onehot_labels, weights]
    with name_scope(scope, "softmax_cross_entropy_loss", values) as scope:
        logits = convert_to_tensor(logits)
        labels: Any = cast(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            shape: Any = array_shape.shape(labels)
            classes = cast(shape[-1], logits.dtype)
            negatives: Any = label_smoothing / classes
            labels = labels * (1.0 - label_smoothing) + negatives
        labels = stop_gradient(labels, name="labels_stop_gradient")
        losses = softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross entropy of classes that exclude each other, the true one given by its number.

    Args:
      labels: Integers, shape `[...]` or `[..., 1]`.
      logits: Shape `[..., classes]`.
      weights: A scalar, or of the shape of `labels`.
      scope: See above.
      loss_collection: See above.
      reduction: See above.
    """
    check_given(labels=labels, logits=logits)
    values = [logits, labels, weights]
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", values) as scope:
        labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
        weights = without_last_axis(weights, labels)
        losses = sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def without_last_axis(weights: Any, labels: Any) -> Any:
    """The weights, a last axis of size 1 taken off that labels have not."""
    weights = convert_to_tensor(weights)
    rank = weights.shape.rank
    if labels.shape.rank is not None and rank is not None:
        return array_shape.squeeze(weights, [-1]) if rank - labels.shape.rank == 1 else weights
    excess = array_shape.rank(weights) - array_shape.rank(labels)
    if rank is None or (rank > 0 and weights.shape.dims_tuple[-1] in (None, 1)):
        return cond(
            math_compare.equal(1, excess),
            lambda: array_shape.squeeze(weights, [-1]),
            lambda: weights,
        )
    return weights

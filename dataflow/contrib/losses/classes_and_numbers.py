"""The losses of tf.losses in the order of arguments that they had here.

All are the mean over the elements whose weight is not 0, and are added to the graph's losses.
`weights` is a scalar, or a tensor of the leading axes of the losses.
"""

from __future__ import annotations

from typing import Any

import dataflow.library.losses.classification as classification
import dataflow.library.losses.regression as regression
import dataflow.library.losses.weighted as weighted
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.losses.collection import add_loss, get_losses, get_regularization_losses
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.division import div_no_nan
from dataflow.ops.reductions.sum import add_n
from dataflow.values import dtypes


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """Weighs losses and takes their mean.

    Args:
      losses: Of any shape.
      weights: See above.
      scope: Name scope of the operations.

    Raises:
      ValueError: A shape is not known, or the weights do not fit.
    """
    losses = cast(convert_to_tensor(losses), dtypes.float32)
    weights = convert_to_tensor(weights)
    if losses.shape.rank is None:
        raise ValueError("losses.get_shape().ndims cannot be None")
    if weights.shape.rank is None:
        raise ValueError("weights.get_shape().ndims cannot be None")
    return weighted.compute_weighted_loss(losses, _behind(weights, losses), scope)


def _behind(weights: Any, losses: Tensor) -> Tensor:
    """Weights with axes of size 1 behind, so that they have the rank of the losses."""
    weights = convert_to_tensor(weights)
    rank = losses.shape.rank or 0
    if weights.shape.rank and weights.shape.rank < rank:
        for _ in range(rank - weights.shape.rank):
            weights = array_shape.expand_dims(weights, -1)
    elif weights.shape.rank == rank + 1:
        weights = array_shape.squeeze(weights, [-1])
    return weights


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> Tensor:
    """The sum of the graph's losses, with those of regularization if wanted."""
    losses = get_losses()
    if add_regularization_losses:
        losses += get_regularization_losses()
    return add_n(losses, name=name)


def absolute_difference(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The loss `|predictions - labels|`."""
    weights = _behind(weights, convert_to_tensor(predictions))
    return regression.absolute_difference(labels, predictions, weights, scope)


def sigmoid_cross_entropy(
    logits: Any,
    multi_class_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Tensor:
    """The cross entropy of classes that do not exclude each other; see `tf.losses`."""
    weights = _behind(weights, convert_to_tensor(logits))
    return classification.sigmoid_cross_entropy(
        multi_class_labels, logits, weights, label_smoothing, scope
    )


def softmax_cross_entropy(
    logits: Any,
    onehot_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Tensor:
    """The cross entropy of classes, labels in rows of ones and zeros; see `tf.losses`."""
    return classification.softmax_cross_entropy(
        onehot_labels, logits, weights, label_smoothing, scope
    )


def sparse_softmax_cross_entropy(
    logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The cross entropy of classes, labels as numbers; see `tf.losses`."""
    labels = convert_to_tensor(labels)
    if labels.shape.rank == convert_to_tensor(logits).shape.rank:
        labels = array_shape.squeeze(labels, [-1])
    weights = convert_to_tensor(weights)
    if weights.shape.rank and labels.shape.rank and weights.shape.rank == labels.shape.rank + 1:
        weights = array_shape.squeeze(weights, [-1])
    return classification.sparse_softmax_cross_entropy(labels, logits, weights, scope)


def log_loss(
    predictions: Any,
    labels: Any = None,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
) -> Tensor:
    """The loss `-labels log(predictions) - (1 - labels) log(1 - predictions)`."""
    weights = _behind(weights, convert_to_tensor(predictions))
    return regression.log_loss(labels, predictions, weights, epsilon, scope)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Tensor:
    """The loss `max(0, 1 - labels logits)` of each element, labels of 0 and 1 as -1 and 1.

    Unlike the others it is not added up, and not among the graph's losses.
    """
    return classification.hinge_loss(
        labels,
        logits,
        scope=scope,
        loss_collection=None,
        reduction=weighted.Reduction.NONE,
    )


def mean_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The loss `(predictions - labels) ** 2`."""
    weights = _behind(weights, convert_to_tensor(predictions))
    return regression.mean_squared_error(labels, predictions, weights, scope)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The squares of the differences that pairs of elements of an example have.

    Of `n` elements that is `2 sum(d ** 2) / n - 2 sum(d) ** 2 / n ** 2`, where `d` is how far
    predictions are from labels; it is added up over the examples, each with its weight.
    """
    weights = _behind(weights, convert_to_tensor(predictions))
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        predictions = cast(predictions, dtypes.float32)
        labels = cast(labels, dtypes.float32)
        predictions.shape.assert_is_compatible_with(labels.shape)
        weights = cast(weights, dtypes.float32)
        apart: Any = math_binary.subtract(predictions, labels)
        axes = range_of(1, array_shape.rank(apart))
        count: Any = weighted.num_present(apart, weights, per_batch=True)
        squares = reductions.reduce_sum(math_unary.square(apart), axis=axes, keepdims=True)
        total = reductions.reduce_sum(apart, axis=axes, keepdims=True)
        first: Any = div_no_nan(squares, count)
        second: Any = div_no_nan(math_unary.square(total), math_unary.square(count))
        loss: Tensor = reductions.reduce_sum((2.0 * first - 2.0 * second) * weights, name="value")
        add_loss(loss)
        return loss


def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """The loss `1 - sum(predictions * labels)` over one axis, of vectors of length 1."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        return regression.cosine_distance(labels, predictions, axis, weights, scope)

"""The losses of tf.losses in the order of arguments that they had here.

All are the mean over the elements whose weight is not 0, and are added to the graph's losses.
`weights` is a scalar, or a tensor of the leading axes of the losses; a last axis of size 1 behind
them is left out.
"""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.contrib.losses.weighing import (
    add_loss,
    compute_weighted_loss,
    num_present,
    scaled_sum,
)
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.losses.collection import get_losses, get_regularization_losses
from dataflow.ops.array.fill import ones_like, zeros_like
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import greater
from dataflow.ops.math.division import div_no_nan
from dataflow.ops.math.unary import log
from dataflow.ops.nn.activation import relu
from dataflow.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from dataflow.ops.reductions.sum import add_n
from dataflow.values import dtypes


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> Tensor:
    """The sum of the graph's losses, with those of regularization if wanted."""
    losses = get_losses()
    if add_regularization_losses:
        losses += get_regularization_losses()
    found: Tensor = add_n(losses, name=name)
    return found


def absolute_difference(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The loss `|predictions - labels|`."""
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as inside:
        predictions, labels = _alike(predictions, labels)
        losses = math_unary.abs(math_binary.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, inside)


def sigmoid_cross_entropy(
    logits: Any,
    multi_class_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Tensor:
    """The cross entropy of classes that do not exclude each other; see `tf.losses`."""
    values = [logits, multi_class_labels, weights]
    with name_scope(scope, "sigmoid_cross_entropy_loss", values) as inside:
        logits, labels = _fitting(logits, multi_class_labels)
        labels = cast(labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, inside)


def softmax_cross_entropy(
    logits: Any,
    onehot_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Tensor:
    """The cross entropy of classes, labels in rows of ones and zeros; see `tf.losses`."""
    values = [logits, onehot_labels, weights]
    with name_scope(scope, "softmax_cross_entropy_loss", values) as inside:
        logits, labels = _fitting(logits, onehot_labels)
        labels = cast(labels, logits.dtype)
        if label_smoothing > 0:
            classes: Any = cast(array_shape.shape(labels)[1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        losses = softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, inside)


def sparse_softmax_cross_entropy(
    logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The cross entropy of classes, labels as numbers; see `tf.losses`."""
    values = [logits, labels, weights]
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", values) as inside:
        labels = array_shape.reshape(labels, shape=[array_shape.shape(labels)[0]])
        losses = sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, inside)


def log_loss(
    predictions: Any,
    labels: Any = None,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
) -> Tensor:
    """The loss `-labels log(predictions) - (1 - labels) log(1 - predictions)`."""
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as inside:
        predictions, labels = _alike(predictions, labels)
        if_one: Any = math_binary.multiply(labels, log(predictions + epsilon))
        if_zero = math_binary.multiply(1 - labels, log(1 - predictions + epsilon))
        return compute_weighted_loss(-if_one - if_zero, weights, inside)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Tensor:
    """The loss `max(0, 1 - labels logits)` of each element, labels of 0 and 1 as -1 and 1.

    Unlike the others it is not added up, and not among the graph's losses.
    """
    with name_scope(scope, "hinge_loss", [logits, labels]):
        logits, labels = _fitting(logits, labels)
        labels = cast(labels, dtypes.float32)
        ones = ones_like(labels)
        signs = math_binary.subtract(2 * labels, ones)
        return relu(math_binary.subtract(ones, math_binary.multiply(signs, logits)))


def mean_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The loss `(predictions - labels) ** 2`."""
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as inside:
        losses = math_binary.squared_difference(*_alike(predictions, labels))
        return compute_weighted_loss(losses, weights, inside)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The squares of the differences that pairs of elements of an example have.

    Of `n` elements that is `2 sum(d ** 2) / n - 2 sum(d) ** 2 / n ** 2`, where `d` is how far
    predictions are from labels; it is added up over the examples, each with its weight.

    Raises:
      ValueError: A rank is not known.
    """
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        predictions, labels = _alike(predictions, labels)
        weights = cast(convert_to_tensor(weights), dtypes.float32)
        apart = math_binary.subtract(predictions, labels)
        if apart.shape.rank is None:
            raise ValueError("diffs.get_shape().ndims cannot be None")
        if weights.shape.rank is None:
            raise ValueError("weights.get_shape().ndims cannot be None")
        axes = list(range(1, apart.shape.rank))
        squares = reductions.reduce_sum(math_unary.square(apart), axis=axes)
        count = num_present(apart, weights, per_batch=True)
        first: Any = div_no_nan(squares, count, name="value")
        first = 2.0 * first
        total = math_unary.square(reductions.reduce_sum(apart, axis=axes))
        second: Any = div_no_nan(total, math_unary.square(count), name="value")
        loss = scaled_sum(first - 2.0 * second, weights)
        is_any = greater(reductions.reduce_sum(count), 0)
        found = where(is_any, loss, zeros_like(loss), name="value")
        add_loss(found)
        return found


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
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as inside:
        products = math_binary.multiply(*_alike(predictions, labels))
        losses: Any = reductions.reduce_sum(products, axis=[axis])
        return compute_weighted_loss(1 - losses, weights, inside)


def _fitting(first: Any, second: Any) -> tuple[Tensor, Tensor]:
    """Two tensors whose shapes may be the same.

    Raises:
      ValueError: They may not.
    """
    first, second = convert_to_tensor(first), convert_to_tensor(second)
    first.shape.assert_is_compatible_with(second.shape)
    return first, second


def _alike(predictions: Any, labels: Any) -> tuple[Tensor, Tensor]:
    """Predictions and labels as floats."""
    predictions, labels = _fitting(predictions, labels)
    return cast(predictions, dtypes.float32), cast(labels, dtypes.float32)

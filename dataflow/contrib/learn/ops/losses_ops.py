"""A linear layer with a loss on top."""

from __future__ import annotations

from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.library.losses.classification import softmax_cross_entropy
from dataflow.library.losses.regression import mean_squared_error
from dataflow.ops.array.shape import squeeze
from dataflow.ops.math.binary import multiply
from dataflow.ops.nn.bias import xw_plus_b
from dataflow.ops.nn.softmax import softmax


def mean_squared_error_regressor(
    tensor_in: Any, labels: Any, weights: Any, biases: Any, name: str | None = None
) -> tuple[Any, Any]:
    """A linear layer's predictions, and their mean squared error.

    Args:
      tensor_in: Features, [batch, size].
      labels: [batch] or [batch, outputs].
      weights: [size, outputs].
      biases: [outputs].
      name: Name scope.

    Returns:
      Predictions in the shape of labels, and the loss.
    """
    with name_scope(name, "mean_squared_error_regressor", [tensor_in, labels]):
        predictions = xw_plus_b(tensor_in, weights, biases)
        if len(labels.shape) == 1 and len(predictions.shape) == 2:
            predictions = squeeze(predictions, axis=[1])
        return predictions, mean_squared_error(labels, predictions)


def softmax_classifier(
    tensor_in: Any,
    labels: Any,
    weights: Any,
    biases: Any,
    class_weight: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """A linear layer's chances of classes, and their cross entropy.

    Args:
      tensor_in: Features, [batch, size].
      labels: Chances of classes, [batch, classes].
      weights: [size, classes].
      biases: [classes].
      class_weight: What logits are multiplied with, [classes].
      name: Name scope.

    Returns:
      Chances and loss.
    """
    with name_scope(name, "softmax_classifier", [tensor_in, labels]):
        logits = xw_plus_b(tensor_in, weights, biases)
        if class_weight is not None:
            logits = multiply(logits, class_weight)
        return softmax(logits), softmax_cross_entropy(labels, logits)

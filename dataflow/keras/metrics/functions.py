"""What is right of predictions, element by element."""

from __future__ import annotations

from typing import Any

from dataflow.keras import backend as K
from dataflow.keras import ops


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Where both are equal."""
    if y_true.dtype != y_pred.dtype:
        y_pred = ops.cast(y_pred, y_true.dtype)
    return ops.cast(ops.equal(y_true, y_pred), K.floatx())


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """The share of probabilities that are on the right side of a threshold."""
    decided = ops.cast(y_pred > ops.cast(threshold, y_pred.dtype), y_pred.dtype)
    return K.mean(ops.equal(ops.cast(y_true, y_pred.dtype), decided), axis=-1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Where the likeliest class is the true one."""
    right = ops.equal(ops.argmax(y_true, axis=-1), ops.argmax(y_pred, axis=-1))
    return ops.cast(right, K.floatx())


def _numbers(y_true: Any, y_pred: Any) -> Any:
    """Numbers of classes without a last dimension of size 1."""
    y_true, y_pred = ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
    if y_true.shape.rank is not None and y_true.shape.rank == y_pred.shape.rank:
        return ops.squeeze(y_true, [-1])
    return y_true


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Where the likeliest class has the true number."""
    y_true = _numbers(y_true, y_pred)
    likeliest = ops.cast(ops.argmax(y_pred, axis=-1), y_true.dtype)
    return ops.cast(ops.equal(y_true, likeliest), K.floatx())


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Where the true class is among the k likeliest."""
    return ops.cast(ops.in_top_k(y_pred, ops.argmax(y_true, axis=-1), k), K.floatx())


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Where the true number is among those of the k likeliest classes."""
    numbers = ops.cast(_numbers(y_true, y_pred), "int32")
    return ops.cast(ops.in_top_k(y_pred, numbers, k), K.floatx())

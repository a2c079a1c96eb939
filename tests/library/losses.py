"""Programs with losses, for both libraries: a name, and what makes the loss from arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

LABELS = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.5]]
PREDICTIONS = [[0.2, 0.7, -0.4], [0.9, 2.5, 0.3]]
WEIGHTS: dict[str, Any] = {
    "scalar": 0.7,
    "whole number": 2,
    "zero": 0.0,
    "rows": [[1.0], [0.0]],
    "columns": [[0.0, 2.0, 0.5]],
    "all": [[1.0, 0.0, 3.0], [0.0, 0.0, 0.5]],
    "none": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
}
REGRESSION: dict[str, Callable[..., Any]] = {
    "absolute_difference": lambda tf, y, p, **more: tf.losses.absolute_difference(y, p, **more),
    "cosine_distance": lambda tf, y, p, **more: tf.losses.cosine_distance(y, p, axis=0, **more),
    "hinge_loss": lambda tf, y, p, **more: tf.losses.hinge_loss(y, p, **more),
    "huber_loss": lambda tf, y, p, **more: tf.losses.huber_loss(y, p, delta=0.4, **more),
    "log_loss": lambda tf, y, p, **more: tf.losses.log_loss(y, tf.abs(p) / 3.0, **more),
    "mean_squared_error": lambda tf, y, p, **more: tf.losses.mean_squared_error(y, p, **more),
    "mean_pairwise_squared_error": lambda tf, y, p, **more: tf.losses.mean_pairwise_squared_error(
        y, p, **more
    ),
    "sigmoid_cross_entropy": lambda tf, y, p, **more: tf.losses.sigmoid_cross_entropy(
        y, p, label_smoothing=0.1, **more
    ),
}
"""Losses of labels and predictions of one shape, each element with a loss of its own."""

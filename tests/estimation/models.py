"""A linear model as a model function, and the same in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow as tf

X = np.random.RandomState(5).standard_normal((24, 3)).astype(np.float32)
Y = (X @ np.array([1.0, -2.0, 0.5]) + 0.3).astype(np.float32)
RATE = 0.1


def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
    """Least squares, by gradient descent."""
    x = features["x"] if isinstance(features, dict) else features
    weights = tf.get_variable("weights", [3], initializer=tf.zeros_initializer())
    bias = tf.get_variable("bias", [], initializer=tf.zeros_initializer())
    found = tf.reduce_sum(x * weights, 1) + bias
    predictions = {"y": found, "double": 2.0 * found}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = tf.losses.mean_squared_error(labels, found)
    train_op = tf.train.GradientDescentOptimizer(params["rate"]).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    metrics = {"error": tf.metrics.mean_absolute_error(labels, found)}
    return tf.estimator.EstimatorSpec(
        mode, predictions=predictions, loss=loss, train_op=train_op, eval_metric_ops=metrics
    )


def estimator(folder: Any, **config: Any) -> Any:
    """An estimator of the model."""
    return tf.estimator.Estimator(
        model_fn, folder, config=tf.estimator.RunConfig(**config), params={"rate": RATE}
    )


def batches(epochs: int | None = None, size: int = 8) -> Any:
    """An input function of all rows, in order."""
    return tf.estimator.inputs.numpy_input_fn(
        {"x": X}, Y, batch_size=size, num_epochs=epochs, shuffle=False
    )


def trained(steps: int, size: int = 8) -> tuple[np.ndarray, float]:
    """The weights and the bias after steps with batches in order."""
    weights, bias = np.zeros(3), 0.0
    for step in range(steps):
        rows = np.arange(step * size, (step + 1) * size) % len(X)
        error = X[rows] @ weights + bias - Y[rows]
        weights = weights - RATE * 2 * (error[:, None] * X[rows]).mean(0)
        bias = bias - RATE * 2 * error.mean()
    return weights, bias

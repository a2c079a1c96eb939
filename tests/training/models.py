"""Small models, and each optimizer with arguments, for tests that run both libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

MakeOptimizer = Callable[[Any], Any]
"""`f(library)`: an optimizer."""

OPTIMIZERS: dict[str, MakeOptimizer] = {
    "gradient_descent": lambda tf: tf.train.GradientDescentOptimizer(0.05),
    "momentum": lambda tf: tf.train.MomentumOptimizer(0.05, 0.9),
    "nesterov": lambda tf: tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
    "adam": lambda tf: tf.train.AdamOptimizer(0.05),
    "adam_own_scope": lambda tf: tf.train.AdamOptimizer(
        0.05, use_own_namescope_for_non_slot_vars=True
    ),
    "rmsprop": lambda tf: tf.train.RMSPropOptimizer(0.05, momentum=0.5),
    "centered_rmsprop": lambda tf: tf.train.RMSPropOptimizer(0.05, centered=True),
    "adagrad": lambda tf: tf.train.AdagradOptimizer(0.05),
    "adadelta": lambda tf: tf.train.AdadeltaOptimizer(1.0, epsilon=1e-3),
    "ftrl": lambda tf: tf.train.FtrlOptimizer(0.05, l1_regularization_strength=0.001),
    "ftrl_shrinkage": lambda tf: tf.train.FtrlOptimizer(
        0.05,
        learning_rate_power=-0.4,
        l2_regularization_strength=0.01,
        l2_shrinkage_regularization_strength=0.01,
        accum_name="squares",
        linear_name="line",
        beta=0.1,
    ),
    "proximal_gradient_descent": lambda tf: tf.train.ProximalGradientDescentOptimizer(
        0.05, l1_regularization_strength=0.001, l2_regularization_strength=0.001
    ),
    "proximal_adagrad": lambda tf: tf.train.ProximalAdagradOptimizer(
        0.05, l1_regularization_strength=0.001, l2_regularization_strength=0.001
    ),
    "adagrad_da": lambda tf: tf.train.AdagradDAOptimizer(
        0.05,
        tf.train.get_or_create_global_step(),
        l1_regularization_strength=0.001,
        l2_regularization_strength=0.001,
    ),
}

IDS = np.array([0, 3, 3, 1, 0, 4], dtype=np.int32)
"""Row numbers, some of which come twice."""


def regression(tf: Any, use_resource: bool, dtype: str = "float32") -> Any:
    """The loss of a linear model on rows of a table; table, weights and bias are variables."""
    random = np.random.default_rng(5)

    def made(name: str, *shape: int) -> Any:
        value = random.uniform(-1, 1, shape).astype(dtype)
        return tf.Variable(value, name=name, use_resource=use_resource)

    table, weights, bias = made("table", 6, 3), made("W", 3, 2), made("b", 2)
    rows = tf.gather(table, IDS)
    wanted = tf.constant(random.uniform(-1, 1, (len(IDS), 2)).astype(dtype))
    return tf.reduce_mean(tf.square(tf.matmul(rows, weights) + bias - wanted))

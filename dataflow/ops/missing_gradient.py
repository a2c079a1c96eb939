"""The gradient of ops that could have one, but for which TensorFlow defines none."""

from __future__ import annotations

from typing import Any, NoReturn

from dataflow.operation import Operation


def missing_gradient(op: Operation, *grads: Any) -> NoReturn:
    """Refuses, where NOT_DIFFERENTIABLE would silently give None."""
    raise LookupError(
        f"No gradient defined for operation '{op.name}' (op type: {op.type}): its derivative is "
        "not defined here. Register one with tf.RegisterGradient and gradient_override_map, or "
        "keep gradients from it with tf.stop_gradient."
    )

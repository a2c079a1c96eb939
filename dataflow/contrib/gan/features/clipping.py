"""Optimizers that keep the weights of a net small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.contrib.opt.wrappers import VariableClippingOptimizer


def clip_variables(
    optimizer: Any, variables: Sequence[Any], weight_clip: float
) -> VariableClippingOptimizer:
    """An optimizer that clips the norms of variables after each step.

    Raises:
      ValueError: The norm is below zero.
    """
    if weight_clip < 0:
        raise ValueError(
            f"`discriminator_weight_clip` must be positive. Instead, was {weight_clip}"
        )
    return VariableClippingOptimizer(
        optimizer,
        {variable: [] for variable in variables},
        weight_clip,
        use_locking=True,
        colocate_clip_ops_with_vars=True,
    )


def clip_discriminator_weights(
    optimizer: Any, model: Any, weight_clip: float
) -> VariableClippingOptimizer:
    """`clip_variables` of a model's discriminator."""
    return clip_variables(optimizer, model.discriminator_variables, weight_clip)

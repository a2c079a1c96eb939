"""Dropout that keeps mean and variance of activations of SELU."""

from __future__ import annotations

import math
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.ops.array.shape import shape
from dataflow.ops.math.rounding import floor
from dataflow.ops.random.stateful import random_uniform

_ALPHA = -1.7580993408473766


def alpha_dropout(
    x: Any,
    keep_prob: float,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Sets elements to what SELU gives for very small inputs, and scales and shifts the rest.

    Klambauer, Unterthiner, Mayr, Hochreiter, Self-normalizing neural networks, 2017.

    Args:
      x: A tensor.
      keep_prob: Share of elements that are kept.
      noise_shape: Shape in which is drawn what is kept; that of `x` if None.
      seed: Of the drawing.
      name: Name scope of the operations.

    Raises:
      ValueError: `keep_prob` is not in (0, 1].
    """
    with name_scope(name, "alpha_dropout", [x]):
        x = convert_to_tensor(x, name="x")
        if not 0 < keep_prob <= 1.0:
            raise ValueError(
                f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {keep_prob}"
            )
        if keep_prob == 1.0:
            return x
        noise_shape = shape(x) if noise_shape is None else noise_shape
        drawn: Any = random_uniform(noise_shape, seed=seed, dtype=x.dtype)
        kept: Any = floor(keep_prob + drawn)
        result = x * kept + _ALPHA * (1 - kept)
        a = 1.0 / math.sqrt(keep_prob + keep_prob * (1 - keep_prob) * _ALPHA**2)
        b = -a * _ALPHA * (1 - keep_prob)
        result = a * result + b
        result.set_shape(x.shape)
        return result

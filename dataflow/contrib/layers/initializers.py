"""Initial values whose variance follows from the number of a layer's inputs and outputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dataflow.ops.random.stateful import random_uniform, truncated_normal
from dataflow.values import dtypes

Initializer = Callable[..., Any]


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = dtypes.float32
) -> Initializer:
    """Glorot and Bengio's (2010): the variance is 2 over the sum of inputs and outputs.

    Args:
      uniform: Whether values are uniform, else normal, cut at two standard deviations.
      seed: Of the random numbers.
      dtype: A floating type.
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = dtypes.float32,
) -> Initializer:
    """Values of a variance of `factor` over the number of inputs (He et al., 2015).

    Args:
      factor: The multiplier.
      mode: "FAN_IN", "FAN_OUT", or "FAN_AVG" for their mean.
      uniform: Whether values are uniform, else normal, cut at two standard deviations.
      seed: Of the random numbers.
      dtype: A floating type.

    Raises:
      ValueError: If the mode is none of these.
      TypeError: If the type is no floating one.
    """
    if not dtypes.as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError("Unknown mode %s [FAN_IN, FAN_OUT, FAN_AVG]", mode)

    def initialize(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Any:
        if not dtypes.as_dtype(dtype).is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        whole = partition_info.full_shape if partition_info is not None else shape
        sizes = [float(size) for size in whole]
        inputs = sizes[-2] if len(sizes) > 1 else (sizes[-1] if sizes else 1.0)
        outputs = sizes[-1] if sizes else 1.0
        field = math.prod(sizes[:-2])
        inputs, outputs = inputs * field, outputs * field
        count = {"FAN_IN": inputs, "FAN_OUT": outputs, "FAN_AVG": (inputs + outputs) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / count)
            return random_uniform(shape, -limit, limit, dtype, seed=seed)
        # What is cut off takes a third of the variance.
        return truncated_normal(shape, 0.0, math.sqrt(1.3 * factor / count), dtype, seed=seed)

    return initialize

"""Initializers whose scale depends on how many inputs and outputs a layer has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import dataflow.ops.random.stateful as random_ops
from dataflow.graph.tensor import Tensor
from dataflow.values import dtypes
from dataflow.values.partition_info import PartitionInfo
from dataflow.variables.initializers import Initializer, floating_type, whole_shape

_TRUNCATED_DEVIATION = 0.87962566103423978
"""Standard deviation of a standard normal distribution cut off at two of them."""


class UniformUnitScaling(Initializer):
    """Draws uniformly so that a linear layer keeps the scale of what goes into it.

    The bounds are -x and x, x = factor * sqrt(3 / inputs); inputs is the product of all dimensions
    but the last.

    Raises:
      ValueError: `dtype` is no floating type.
    """

    def __init__(
        self, factor: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        self.factor = factor
        self.seed = seed
        self.dtype = floating_type(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        inputs = max(math.prod(float(d) for d in whole_shape(shape, partition_info)[:-1]), 1.0)
        limit = math.sqrt(3 / inputs) * self.factor
        return random_ops.random_uniform(
            shape, -limit, limit, self.dtype if dtype is None else dtype, seed=self.seed
        )

    def get_config(self) -> dict[str, Any]:
        return {"factor": self.factor, "seed": self.seed, "dtype": self.dtype.name}


class VarianceScaling(Initializer):
    """Draws with variance scale / n, n being the number of inputs, of outputs, or their mean.

    Args:
      scale: Positive factor.
      mode: "fan_in", "fan_out" or "fan_avg".
      distribution: "truncated_normal" (or "normal", the same), "untruncated_normal" or "uniform".
      seed: Seed of the operation.
      dtype: Element type.

    Raises:
      ValueError: An argument is not among the values it can have.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in {"fan_in", "fan_out", "fan_avg"}:
            raise ValueError(
                "Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). "
                f"Received: {mode}"
            )
        distribution = distribution.lower()
        if distribution not in {"normal", "uniform", "truncated_normal", "untruncated_normal"}:
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', "
                f"'truncated_normal', 'untruncated_normal'). Received: {distribution}"
            )
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = floating_type(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        element = self.dtype if dtype is None else dtype
        fan_in, fan_out = _fans(whole_shape(shape, partition_info))
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random_ops.random_uniform(shape, -limit, limit, element, seed=self.seed)
        deviation = math.sqrt(variance)
        if self.distribution == "untruncated_normal":
            return random_ops.random_normal(shape, 0.0, deviation, element, seed=self.seed)
        deviation /= _TRUNCATED_DEVIATION
        return random_ops.truncated_normal(shape, 0.0, deviation, element, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class GlorotUniform(VarianceScaling):
    """Draws uniformly with variance 2 / (inputs + outputs) (Glorot and Bengio, 2010)."""

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    """Draws normally with variance 2 / (inputs + outputs) (Glorot and Bengio, 2010)."""

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Draws normally with variance 1 / inputs (LeCun et al., 1998)."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Draws uniformly with variance 1 / inputs (LeCun et al., 1998)."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Draws normally with variance 2 / inputs (He et al., 2015)."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Draws uniformly with variance 2 / inputs (He et al., 2015)."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def _fans(shape: Sequence[Any]) -> tuple[int, int]:
    """Inputs and outputs of an element: each filter position counts as an input and an output."""
    sizes = [int(d) for d in shape]
    if not sizes:
        return 1, 1
    if len(sizes) == 1:
        return sizes[0], sizes[0]
    field = math.prod(sizes[:-2])
    return sizes[-2] * field, sizes[-1] * field

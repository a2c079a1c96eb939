"""Kernels of batch normalization as it was in 2015: by given statistics, unfused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes

_TYPES: Final = {"T": (dtypes.float16, dtypes.float32, dtypes.float64)}


def _check(x: Any, vectors: dict[str, Any]) -> None:
    if x.ndim != 4:
        raise invalid(f"input must be 4-dimensional{shape_text(x.shape)}")
    for name, vector in vectors.items():
        if vector.ndim != 1:
            raise invalid(f"{name} must be 1-dimensional{shape_text(vector.shape)}")
        if len(vector) != x.shape[3]:
            raise invalid(
                f"{name} must have the same number of elements as the channels of the input, got "
                f"{len(vector)} and {x.shape[3]}"
            )


def _scale(node: KernelNode, variance: Any) -> Any:
    epsilon = variance.dtype.type(node.attr("variance_epsilon"))
    with np.errstate(all="ignore"):
        return 1 / np.sqrt(variance + epsilon)


@kernel("BatchNormWithGlobalNormalization", dtypes=_TYPES)
def normalize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    scales = node.attr("scale_after_normalization")

    def run(x: Any, mean: Any, variance: Any, beta: Any, gamma: Any) -> Any:
        vectors = {"mean": mean, "var": variance, "beta": beta}
        _check(x, {**vectors, "gamma": gamma} if scales else vectors)
        factor = _scale(node, variance)
        if scales:
            factor = factor * gamma
        result = x * factor
        result += beta - mean * factor
        return result

    return run


@kernel("BatchNormWithGlobalNormalizationGrad", dtypes=_TYPES)
def descend(node: KernelNode, xp: Any) -> Callable[..., Any]:
    scales = node.attr("scale_after_normalization")

    def run(x: Any, mean: Any, variance: Any, gamma: Any, dy: Any) -> Any:
        _check(x, {"mean": mean, "var": variance, "gamma": gamma})
        if dy.shape != x.shape:
            raise invalid(
                f"input and out_backprop must have the same shape: {shape_text(x.shape)} vs. "
                f"{shape_text(dy.shape)}"
            )
        inverse = _scale(node, variance)
        factor = inverse * gamma if scales else inverse
        beta = dy.sum(axis=(0, 1, 2), dtype=dy.dtype)
        products = (dy * (x - mean)).sum(axis=(0, 1, 2), dtype=dy.dtype)
        # -1/2 (v + epsilon)^(-3/2) gamma
        slope = products * factor * inverse * inverse * dy.dtype.type(-0.5)
        slopes = products * inverse if scales else np.zeros_like(gamma)
        return dy * factor, -beta * factor, slope, beta, slopes

    return run

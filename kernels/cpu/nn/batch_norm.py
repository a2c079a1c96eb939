"""Kernels of fused batch normalization and its gradient, by oneDNN where it has code for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.onednn.primitive import are_float32
from dataflow.kernels.ops.nn import batch_norm as generic
from dataflow.kernels.rows import norms


@override(generic.batch_norm, device="CPU")
def batch_norm(node: KernelNode, xp: Any) -> Callable[..., Any]:
    epsilon = np.float32(node.attr("epsilon"))
    factor = np.float32(node.attr("exponential_avg_factor"))
    is_training = node.attr("is_training")
    normalize = generic.normalizing(node, xp)

    def compute(images: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
        if not images.size or not are_float32(images):
            return normalize(images, scale, offset, mean, variance)
        rows = images.reshape(-1, images.shape[-1])
        if is_training:
            found = norms.normalize_by_own(rows, scale, offset, float(epsilon))
            if found is not None:
                y, moments = found
                count = rows.shape[0]
                outputs = generic.statistics(*moments, count, mean, variance, factor)
                return y.reshape(images.shape), outputs
        else:
            y = norms.normalize(rows, scale, offset, (mean, variance), float(epsilon))
            if y is not None:
                return y.reshape(images.shape), (mean, variance, mean, variance)
        return normalize(images, scale, offset, mean, variance)

    return generic.normalization(node, xp, compute)


@override(generic.batch_norm_grad, device="CPU")
def batch_norm_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    epsilon = float(np.float32(node.attr("epsilon")))
    is_training = node.attr("is_training")
    descend = generic.descending(node, xp)

    def compute(dy: Any, x: Any, scale: Any, mean: Any, variance: Any) -> Any:
        if x.size:
            rows, slope = x.reshape(-1, x.shape[-1]), dy.reshape(-1, x.shape[-1])
            found = norms.gradient(slope, rows, scale, (mean, variance), epsilon, is_training)
            if found is not None:
                return (found[0].reshape(x.shape), *found[1:])
        return descend(dy, x, scale, mean, variance)

    return generic.gradient(node, xp, compute)

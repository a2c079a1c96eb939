"""Kernels of softmax and its logarithm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.invalid import invalid
from dataflow.kernels.precision import widened
from dataflow.kernels.registry import KernelNode, kernel
from dataflow.kernels.shape_text import shape_text


@kernel("Softmax")
def softmax(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(logits: Any) -> Any:
        powers = _shifted(xp, logits)
        xp.exp(powers, out=powers)
        powers /= powers.sum(axis=-1, keepdims=True)
        return powers

    return widened(run, node.input_dtypes[0])


@kernel("LogSoftmax")
def log_softmax(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(logits: Any) -> Any:
        result = _shifted(xp, logits)
        result -= xp.log(xp.exp(result).sum(axis=-1, keepdims=True))
        return result

    return widened(run, node.input_dtypes[0])


def _shifted(xp: Any, logits: Any) -> Any:
    """The logits less their greatest one, which keeps the exponentials from overflowing."""
    if not logits.ndim:
        raise invalid(f"logits must have >= 1 dimension, got {shape_text(logits.shape)}")
    if not logits.size:
        return xp.empty_like(logits)
    return logits - logits.max(axis=-1, keepdims=True)

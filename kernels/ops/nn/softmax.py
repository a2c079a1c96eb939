"""Kernels of softmax and its logarithm."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import widened
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.elementwise.quick import quick

OfRows = Callable[[Any], Any]
"""Of an array, a number for each vector along the last axis, that broadcasts against the vector."""


@kernel("Softmax")
def softmax(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return widened(softmax_by(xp, *_of_rows(xp)), node.input_dtypes[0])


@kernel("LogSoftmax")
def log_softmax(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return widened(log_softmax_by(xp, *_of_rows(xp)), node.input_dtypes[0])


def softmax_by(xp: Any, greatest: OfRows, sums: OfRows) -> Callable[[Any], Any]:
    """Softmax by functions that give the greatest number and the sum of each vector."""

    def run(logits: Any) -> Any:
        powers = _shifted(xp, logits, greatest)
        quick(xp).exp(powers, out=powers)
        powers /= sums(powers)
        return powers

    return run


def log_softmax_by(xp: Any, greatest: OfRows, sums: OfRows) -> Callable[[Any], Any]:
    """Its logarithm, by the same functions."""

    def run(logits: Any) -> Any:
        result = _shifted(xp, logits, greatest)
        functions = quick(xp)
        result -= functions.log(sums(functions.exp(result)))
        return result

    return run


def _shifted(xp: Any, logits: Any, greatest: OfRows) -> Any:
    """The logits less their greatest one, which keeps the exponentials from overflowing."""
    if not logits.ndim:
        raise invalid(f"logits must have >= 1 dimension, got {shape_text(logits.shape)}")
    if not logits.size:
        return xp.empty_like(logits)
    return logits - greatest(logits)


def _of_rows(xp: Any) -> tuple[OfRows, OfRows]:
    return partial(xp.amax, axis=-1, keepdims=True), partial(xp.sum, axis=-1, keepdims=True)

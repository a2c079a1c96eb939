"""Kernels of local response normalization and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow import dtypes
from dataflow.kernels.invalid import invalid
from dataflow.kernels.precision import widened
from dataflow.kernels.registry import KernelNode, kernel

_TYPES = {"T": (dtypes.half, dtypes.float32)}


@kernel("LRN", dtypes=_TYPES)
def lrn(node: KernelNode, xp: Any) -> Callable[..., Any]:
    radius, bias, alpha, beta = _attrs(node)

    def run(x: Any) -> Any:
        if x.ndim != 4:
            raise invalid("in must be 4-dimensional")
        return x * (bias + alpha * _neighbours(xp, x * x, radius)) ** -beta

    return widened(run, node.input_dtypes[0])


@kernel("LRNGrad", dtypes=_TYPES)
def lrn_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    radius, bias, alpha, beta = _attrs(node)

    def run(grad: Any, x: Any, y: Any) -> Any:
        if x.ndim != 4:
            raise invalid("in must be 4-dimensional")
        if not grad.shape == x.shape == y.shape:
            raise invalid("input_grads, input_image, and out_image should have the same shape")
        norm = bias + alpha * _neighbours(xp, x * x, radius)
        from_neighbours = _neighbours(xp, grad * y / norm, radius)
        return grad * norm**-beta - 2 * alpha * beta * x * from_neighbours

    return widened(run, node.input_dtypes[0])


def _attrs(node: KernelNode) -> tuple[int, float, float, float]:
    return (
        node.attr("depth_radius"),
        node.attr("bias"),
        node.attr("alpha"),
        node.attr("beta"),
    )


def _neighbours(xp: Any, array: Any, radius: int) -> Any:
    """The sum over the channels up to `radius` away."""
    total = array.copy()
    depth = array.shape[-1]
    for distance in range(1, min(radius, depth - 1) + 1):
        total[..., distance:] += array[..., : depth - distance]
        total[..., : depth - distance] += array[..., distance:]
    return total

"""Kernels of local response normalization and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import widened
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.reductions.channel_windows import neighbour_sums
from dataflow.values import dtypes

_TYPES = {"T": (dtypes.half, dtypes.float32)}
Attributes = tuple[int, float, float, float]
"""Radius, bias, alpha and beta."""


@kernel("LRN", dtypes=_TYPES)
def lrn(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return normalization(node, normalizing(xp, attributes_of(node)))


def normalization(node: KernelNode, compute: Callable[[Any], Any]) -> Callable[..., Any]:
    """The callable, by a function of images."""

    def run(x: Any) -> Any:
        if x.ndim != 4:
            raise invalid("in must be 4-dimensional")
        return compute(x)

    return widened(run, node.input_dtypes[0])


def normalizing(xp: Any, attributes: Attributes) -> Callable[[Any], Any]:
    """The function, of any array library."""
    radius, bias, alpha, beta = attributes
    return lambda x: x * (bias + alpha * neighbour_sums(xp, x * x, radius)) ** -beta


@kernel("LRNGrad", dtypes=_TYPES)
def lrn_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    radius, bias, alpha, beta = attributes_of(node)

    def compute(grad: Any, x: Any, y: Any) -> Any:
        norm = bias + alpha * neighbour_sums(xp, x * x, radius)
        from_neighbours = neighbour_sums(xp, grad * y / norm, radius)
        return grad * norm**-beta - 2 * alpha * beta * x * from_neighbours

    return gradient(node, compute)


def gradient(node: KernelNode, compute: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
    """The callable, by a function of the gradient, images and results."""

    def run(grad: Any, x: Any, y: Any) -> Any:
        if x.ndim != 4:
            raise invalid("in must be 4-dimensional")
        if not grad.shape == x.shape == y.shape:
            raise invalid("input_grads, input_image, and out_image should have the same shape")
        return compute(grad, x, y)

    return widened(run, node.input_dtypes[0])


def attributes_of(node: KernelNode) -> Attributes:
    """Those of a node.

    Raises:
      InvalidArgumentError: The radius is negative.
    """
    radius: int = node.attr("depth_radius")
    if radius < 0:
        raise invalid(f"depth_radius = {radius} larger than int max")
    return (
        radius,
        node.attr("bias"),
        node.attr("alpha"),
        node.attr("beta"),
    )

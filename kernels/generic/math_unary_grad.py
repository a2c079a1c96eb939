"""Kernels of the gradients that are ops of their own: functions of a result and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.invalid import invalid
from dataflow.kernels.precision import widened
from dataflow.kernels.registry import KernelNode, kernel


@kernel("SqrtGrad", elementwise=True)
def sqrt_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """dy / (2 y)."""
    return _of_equal_sizes(node, lambda y, dy: dy * 0.5 / xp.conj(y))


@kernel("RsqrtGrad", elementwise=True)
def rsqrt_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """-dy y**3 / 2."""

    def run(y: Any, dy: Any) -> Any:
        y = xp.conj(y)
        return dy * (y * -0.5) * (y * y)

    return _of_equal_sizes(node, run)


@kernel("ReciprocalGrad", "InvGrad", elementwise=True)
def reciprocal_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """-dy y**2."""

    def run(y: Any, dy: Any) -> Any:
        y = xp.conj(y)
        return -dy * (y * y)

    return _of_equal_sizes(node, run)


@kernel("TanhGrad", elementwise=True, takes_out=True)
def tanh_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """dy (1 - y**2); where y is complex, the caller has conjugated it."""
    return _of_equal_sizes(
        node, lambda y, dy, out=None: xp.multiply(dy, 1 - xp.multiply(y, y, out=out), out=out)
    )


@kernel("SigmoidGrad", elementwise=True, takes_out=True)
def sigmoid_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """dy y (1 - y); where y is complex, the caller has conjugated it."""
    return _of_equal_sizes(
        node, lambda y, dy, out=None: xp.multiply(xp.multiply(dy, y, out=out), 1 - y, out=out)
    )


def _of_equal_sizes(node: KernelNode, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, for operands that do not broadcast."""
    compute = widened(function, node.input_dtypes[0])

    def run(y: Any, dy: Any, **out: Any) -> Any:
        if y.shape != dy.shape:
            raise invalid(
                "The two arguments to a cwise op must have same number of elements, got "
                f"{y.size} and {dy.size}",
            )
        return compute(y, dy, **out)

    return run

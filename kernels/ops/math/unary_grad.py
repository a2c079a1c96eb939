"""Kernels of the gradients that are ops of their own: functions of a result and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import reuse, widened
from dataflow.kernels.contract.registry import KernelNode, kernel


@kernel("SqrtGrad", elementwise=True, takes_out=True)
def sqrt_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """dy / (2 y)."""
    conj = _conj(node, xp)
    return _of_equal_sizes(node, lambda y, dy, out=None: xp.divide(dy * 0.5, conj(y), out=out))


@kernel("RsqrtGrad", elementwise=True, takes_out=True)
def rsqrt_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """-dy y**3 / 2."""
    conj = _conj(node, xp)

    def run(y: Any, dy: Any, out: Any = None) -> Any:
        y = conj(y)
        product = y * -0.5
        product = xp.multiply(dy, product, out=reuse(product))
        return xp.multiply(product, y * y, out=out)

    return _of_equal_sizes(node, run)


@kernel("ReciprocalGrad", "InvGrad", elementwise=True, takes_out=True)
def reciprocal_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """-dy y**2."""
    conj = _conj(node, xp)

    def run(y: Any, dy: Any, out: Any = None) -> Any:
        y = conj(y)
        return xp.multiply(-dy, y * y, out=out)

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


def _conj(node: KernelNode, xp: Any) -> Callable[[Any], Any]:
    """The conjugate; of a real number itself, where the function would copy it."""
    return xp.conj if node.input_dtypes[0].is_complex else lambda y: y


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

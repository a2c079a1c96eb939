"""Kernels of the activations and of their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow import dtypes
from dataflow.kernels.invalid import invalid
from dataflow.kernels.precision import widened
from dataflow.kernels.registry import FLOATS, KernelNode, kernel
from dataflow.kernels.shape_text import shape_text

# `[()]` makes a numpy scalar of what `where` gives for scalars, an array without axes.

_REAL: Final = (
    *FLOATS,
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.uint32,
    dtypes.uint64,
)

SELU_SCALE: Final = 1.0507009873554805
SELU_SCALE_ALPHA: Final = 1.7580993408473768
"""The fixed point constants of Klambauer et al., 2017, and their product with alpha."""


def _same_shape(node: KernelNode, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of gradient and features, which must have the same shape."""
    name = node.name

    def run(gradients: Any, features: Any) -> Any:
        if gradients.shape != features.shape:
            raise invalid(
                f"Inputs to operation {name} of type {node.op} must have the same size and shape.  "
                f"Input 0: {shape_text(gradients.shape)} != input 1: {shape_text(features.shape)}",
            )
        return function(gradients, features)

    return run


@kernel("Relu", elementwise=True, dtypes={"T": _REAL})
def relu(node: KernelNode, xp: Any) -> Callable[..., Any]:
    zero = node.input_dtypes[0].as_numpy_dtype(0)
    return lambda x: xp.maximum(x, zero)


@kernel("ReluGrad", elementwise=True, dtypes={"T": _REAL})
def relu_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    zero = node.input_dtypes[0].as_numpy_dtype(0)
    return _same_shape(node, lambda g, x: g * (x > zero))


@kernel("Relu6", elementwise=True, dtypes={"T": _REAL})
def relu6(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.input_dtypes[0].as_numpy_dtype
    zero, six = dtype(0), dtype(6)
    return lambda x: xp.minimum(xp.maximum(x, zero), six)


@kernel("Relu6Grad", elementwise=True, dtypes={"T": _REAL})
def relu6_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.input_dtypes[0].as_numpy_dtype
    zero, six = dtype(0), dtype(6)
    return _same_shape(node, lambda g, x: g * ((x > zero) & (x < six)))


@kernel("LeakyRelu", elementwise=True)
def leaky_relu(node: KernelNode, xp: Any) -> Callable[..., Any]:
    alpha = node.input_dtypes[0].as_numpy_dtype(node.attr("alpha"))
    if alpha <= 1:
        return lambda x: xp.maximum(x, alpha * x)
    return lambda x: xp.minimum(x, alpha * x)


@kernel("LeakyReluGrad", elementwise=True)
def leaky_relu_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.input_dtypes[0].as_numpy_dtype
    zero, alpha = dtype(0), dtype(node.attr("alpha"))
    return _same_shape(node, lambda g, x: xp.where(x > zero, g, g * alpha)[()])


@kernel("Elu", elementwise=True)
def elu(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return widened(lambda x: xp.where(x < 0, xp.expm1(x), x)[()], node.input_dtypes[0])


@kernel("EluGrad", elementwise=True)
def elu_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """g, or g (y + 1) where y < 0: the slope of exp(x) - 1 is exp(x)."""

    def run(g: Any, y: Any) -> Any:
        return xp.where(y < 0, g * (y + 1), g)[()]

    return _same_shape(node, widened(run, node.input_dtypes[0]))


@kernel("Selu", elementwise=True)
def selu(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(x: Any) -> Any:
        return xp.where(x < 0, SELU_SCALE_ALPHA * xp.expm1(x), SELU_SCALE * x)[()]

    return widened(run, node.input_dtypes[0])


@kernel("SeluGrad", elementwise=True)
def selu_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(g: Any, y: Any) -> Any:
        return xp.where(y < 0, g * (y + SELU_SCALE_ALPHA), g * SELU_SCALE)[()]

    return _same_shape(node, widened(run, node.input_dtypes[0]))


@kernel("Softplus", elementwise=True)
def softplus(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """max(x, 0) + log(1 + exp(-|x|)), which neither overflows nor loses digits."""

    def run(x: Any) -> Any:
        return xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.absolute(x)))

    return widened(run, node.input_dtypes[0])


@kernel("SoftplusGrad", elementwise=True)
def softplus_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _same_shape(node, widened(lambda g, x: g / (xp.exp(-x) + 1), node.input_dtypes[0]))


@kernel("Softsign", elementwise=True)
def softsign(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return widened(lambda x: x / (xp.absolute(x) + 1), node.input_dtypes[0])


@kernel("SoftsignGrad", elementwise=True)
def softsign_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(g: Any, x: Any) -> Any:
        divisor = xp.absolute(x) + 1
        return g / (divisor * divisor)

    return _same_shape(node, widened(run, node.input_dtypes[0]))

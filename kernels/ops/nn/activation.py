"""Kernels of the activations and of their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import reuse, widened
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.elementwise.components import Component, composed
from dataflow.kernels.elementwise.rectifier import rectified
from dataflow.kernels.elementwise.selection import select
from dataflow.values import dtypes

_LARGE: Final = 1 << 13
"""Elements from which on the work matters more than the call."""

SELU_SCALE: Final = 1.0507009873554805
SELU_SCALE_ALPHA: Final = 1.7580993408473768
"""The fixed point constants of Klambauer et al., 2017, and their product with alpha."""


def _same_shape(node: KernelNode, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of gradient and features, which must have the same shape."""
    name = node.name

    def run(gradients: Any, features: Any, **out: Any) -> Any:
        if gradients.shape != features.shape:
            raise invalid(
                f"Inputs to operation {name} of type {node.op} must have the same size and shape.  "
                f"Input 0: {shape_text(gradients.shape)} != input 1: {shape_text(features.shape)}",
            )
        return function(gradients, features, **out)

    return run


@kernel("Relu", elementwise=True, takes_out=True, dtypes={"T": REAL})
def relu(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.input_dtypes[0]
    zero = dtype.as_numpy_dtype(0)
    if dtype not in (dtypes.float32, dtypes.float64):
        return lambda x, out=None: xp.maximum(x, zero, out=out)

    def run(x: Any, out: Any = None) -> Any:
        if x.size < _LARGE or xp is not np:
            return xp.maximum(x, zero, out=out)
        return rectified(x, out)

    return run


@kernel("ReluGrad", elementwise=True, takes_out=True, dtypes={"T": REAL})
def relu_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    zero = node.input_dtypes[0].as_numpy_dtype(0)
    return _same_shape(node, lambda g, x, out=None: xp.multiply(g, x > zero, out=out))


@kernel("Relu6", elementwise=True, takes_out=True, dtypes={"T": REAL})
def relu6(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.input_dtypes[0].as_numpy_dtype
    zero, six = dtype(0), dtype(6)

    is_float = node.input_dtypes[0] in (dtypes.float32, dtypes.float64)

    def run(x: Any, out: Any = None) -> Any:
        if is_float and x.size >= _LARGE and xp is np:
            result = np.clip(x, zero, six, out=out)
            # A zero has no sign, as in an extreme of it and 0.
            return np.add(result, zero, out=result)
        result = xp.maximum(x, zero, out=out)
        return xp.minimum(result, six, out=reuse(result))

    return run


@kernel("Relu6Grad", elementwise=True, takes_out=True, dtypes={"T": REAL})
def relu6_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.input_dtypes[0].as_numpy_dtype
    zero, six = dtype(0), dtype(6)
    return _same_shape(node, lambda g, x, out=None: xp.multiply(g, (x > zero) & (x < six), out=out))


@kernel("LeakyRelu", elementwise=True, takes_out=True)
def leaky_relu(node: KernelNode, xp: Any) -> Callable[..., Any]:
    alpha = node.input_dtypes[0].as_numpy_dtype(node.attr("alpha"))
    choose = xp.maximum if alpha <= 1 else xp.minimum

    def run(x: Any, out: Any = None) -> Any:
        scaled = xp.multiply(x, alpha, out=out)
        return choose(scaled, x, out=reuse(scaled))

    chooses = np.maximum if alpha <= 1 else np.minimum
    components = Component(np.multiply, (0, float(alpha))), Component(chooses, (1, 0))
    return composed(run, node.input_dtypes[0], *components)


@kernel("LeakyReluGrad", elementwise=True, takes_out=True)
def leaky_relu_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.input_dtypes[0].as_numpy_dtype
    zero, alpha = dtype(0), dtype(node.attr("alpha"))
    return _same_shape(node, lambda g, x, out=None: select(xp, x > zero, g, g * alpha, out))


def _below(xp: Any, x: Any, out: Any) -> Any:
    """The lesser of x and 0, in `out` if that is an array."""
    # Of large arrays `minimum` with a number takes more than twice the time of `clip`.
    return xp.minimum(x, 0, out=out) if x.size < _LARGE else xp.clip(x, -xp.inf, 0, out=out)


def _above(xp: Any, x: Any) -> Any:
    return xp.maximum(x, 0) if x.size < _LARGE else xp.clip(x, 0, xp.inf)


@kernel("Elu", elementwise=True, takes_out=True)
def elu(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """max(exp(min(x, 0)) - 1, x), as exp(x) - 1 >= x; the exponential is much faster than expm1."""

    def run(x: Any, out: Any = None) -> Any:
        result = _below(xp, x, out)
        out = reuse(result)
        result = xp.exp(result, out=out)
        result = xp.subtract(result, 1, out=out)
        return xp.maximum(result, x, out=out)

    return widened(run, node.input_dtypes[0])


@kernel("EluGrad", elementwise=True, takes_out=True)
def elu_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """g, or g (y + 1) where y < 0: the slope of exp(x) - 1 is exp(x)."""

    def run(g: Any, y: Any, out: Any = None) -> Any:
        return xp.multiply(g, _below(xp, y, None) + 1, out=out)

    return _same_shape(node, widened(run, node.input_dtypes[0]))


@kernel("Selu", elementwise=True, takes_out=True)
def selu(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(x: Any, out: Any = None) -> Any:
        result, above = _below(xp, x, out), _above(xp, x)
        result = xp.exp(result, out=reuse(result))
        result -= 1
        result *= SELU_SCALE_ALPHA
        above *= SELU_SCALE
        result += above
        return result

    return widened(run, node.input_dtypes[0])


@kernel("SeluGrad", elementwise=True, takes_out=True)
def selu_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(g: Any, y: Any, out: Any = None) -> Any:
        return select(xp, y < 0, g * (y + SELU_SCALE_ALPHA), g * SELU_SCALE, out)

    return _same_shape(node, widened(run, node.input_dtypes[0]))


@kernel("Softplus", elementwise=True, takes_out=True)
def softplus(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """max(x, 0) + log(1 + exp(-|x|)), which neither overflows nor loses digits."""

    def run(x: Any, out: Any = None) -> Any:
        result = xp.absolute(x, out=out)
        out = reuse(result)
        result = xp.negative(result, out=out)
        result = xp.exp(result, out=out)
        result = xp.log1p(result, out=out)
        result += xp.maximum(x, 0)
        return result

    dtype = node.input_dtypes[0]
    return composed(
        widened(run, dtype),
        dtype,
        Component(np.absolute, (0,)),
        Component(np.negative, (1,)),
        Component(np.exp, (2,)),
        Component(np.log1p, (3,)),
        Component(np.maximum, (0, 0.0)),
        Component(np.add, (4, 5)),
    )


@kernel("SoftplusGrad", elementwise=True, takes_out=True)
def softplus_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(g: Any, x: Any, out: Any = None) -> Any:
        return xp.divide(g, xp.exp(-x) + 1, out=out)

    return _same_shape(node, widened(run, node.input_dtypes[0]))


@kernel("Softsign", elementwise=True, takes_out=True)
def softsign(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(x: Any, out: Any = None) -> Any:
        divisor = xp.absolute(x, out=out)
        divisor += 1
        return xp.divide(x, divisor, out=reuse(divisor))

    return widened(run, node.input_dtypes[0])


@kernel("SoftsignGrad", elementwise=True, takes_out=True)
def softsign_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(g: Any, x: Any, out: Any = None) -> Any:
        divisor = xp.absolute(x) + 1
        return xp.divide(g, divisor * divisor, out=out)

    return _same_shape(node, widened(run, node.input_dtypes[0]))

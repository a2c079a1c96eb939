"""Kernels of the activations and of their gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

from dataflow.kernels.contract.element_types import REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.elementwise.formula import Formula, computed

SELU_SCALE: Final = 1.0507009873554805
SELU_SCALE_ALPHA: Final = 1.7580993408473768
"""The fixed point constants of Klambauer et al., 2017, and their product with alpha."""


_EXACT: Final[Mapping[str, Formula]] = {
    "Relu": lambda xp, x: xp.maximum(x, 0),
    "Relu6": lambda xp, x: xp.minimum(xp.maximum(x, 0), 6),
}
"""Formulas whose steps 16-bit floats bear one by one, for all real types."""
_EXACT_GRADIENTS: Final[Mapping[str, Formula]] = {
    "ReluGrad": lambda xp, g, x: g * (x > 0),
    "Relu6Grad": lambda xp, g, x: g * ((x > 0) & (x < 6)),
}
_OF_FLOATS: Final[Mapping[str, Formula]] = {
    # exp(x) - 1 >= x; expm1 is slower on graphics processors.
    "Elu": lambda xp, x: xp.maximum(xp.exp(xp.minimum(x, 0)) - 1, x),
    "Selu": lambda xp, x: (
        (xp.exp(xp.minimum(x, 0)) - 1) * SELU_SCALE_ALPHA + xp.maximum(x, 0) * SELU_SCALE
    ),
    # Neither overflows nor loses digits.
    "Softplus": lambda xp, x: xp.log1p(xp.exp(-xp.abs(x))) + xp.maximum(x, 0),
    "Softsign": lambda xp, x: x / (xp.abs(x) + 1),
}
_GRADIENTS: Final[Mapping[str, Formula]] = {
    # The slope of exp(x) - 1 is exp(x).
    "EluGrad": lambda xp, g, y: xp.where(y < 0, g * (y + 1), g),
    "SoftplusGrad": lambda xp, g, x: g / (xp.exp(-x) + 1),
    "SoftsignGrad": lambda xp, g, x: g / xp.square(xp.abs(x) + 1),
}


def _same_shape(node: KernelNode, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of gradient and features, which must have the same shape."""
    name = node.name

    @functools.wraps(function)
    def run(gradients: Any, features: Any, **out: Any) -> Any:
        if gradients.shape != features.shape:
            raise invalid(
                f"Inputs to operation {name} of type {node.op} must have the same size and shape.  "
                f"Input 0: {shape_text(gradients.shape)} != input 1: {shape_text(features.shape)}",
            )
        return function(gradients, features, **out)

    return run


@kernel(*_EXACT, elementwise=True, takes_out=True, dtypes={"T": REAL})
def rectifier(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return computed(node, xp, _EXACT[node.op], widens=False)


@kernel(*_EXACT_GRADIENTS, elementwise=True, takes_out=True, dtypes={"T": REAL})
def rectifier_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _same_shape(node, computed(node, xp, _EXACT_GRADIENTS[node.op], widens=False))


@kernel(*_OF_FLOATS, elementwise=True, takes_out=True)
def activation(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return computed(node, xp, _OF_FLOATS[node.op])


@kernel(*_GRADIENTS, elementwise=True, takes_out=True)
def activation_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _same_shape(node, computed(node, xp, _GRADIENTS[node.op]))


@kernel("SeluGrad", elementwise=True, takes_out=True)
def selu_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    # Constants as the type holds them: where the activation is its least value, the slope is 0.
    scalar = node.input_dtypes[0].as_numpy_dtype
    constants = [float(scalar(each)) for each in (SELU_SCALE, SELU_SCALE_ALPHA)]
    return _same_shape(node, computed(node, xp, _selu_grad, *constants))


@kernel("LeakyRelu", elementwise=True, takes_out=True)
def leaky_relu(node: KernelNode, xp: Any) -> Callable[..., Any]:
    alpha = _alpha(node)
    return computed(node, xp, _below_one if alpha <= 1 else _above_one, alpha, widens=False)


@kernel("LeakyReluGrad", elementwise=True, takes_out=True)
def leaky_relu_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _same_shape(node, computed(node, xp, _leaky_relu_grad, _alpha(node), widens=False))


def _alpha(node: KernelNode) -> float:
    """The slope as the type holds it; a zero has no sign."""
    return float(node.input_dtypes[0].as_numpy_dtype(node.attr("alpha"))) + 0.0


def _below_one(xp: Any, x: Any, alpha: float) -> Any:
    return xp.maximum(x * alpha, x)


def _above_one(xp: Any, x: Any, alpha: float) -> Any:
    return xp.minimum(x * alpha, x)


def _selu_grad(xp: Any, g: Any, y: Any, scale: float, scale_alpha: float) -> Any:
    return xp.where(y < 0, g * (y + scale_alpha), g * scale)


def _leaky_relu_grad(xp: Any, g: Any, x: Any, alpha: float) -> Any:
    return xp.where(x > 0, g, g * alpha)

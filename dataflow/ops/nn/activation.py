"""Activations: the rectified linear family, softplus and softsign, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.sigmoid as math_sigmoid
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor, is_dense_tensor_like
from dataflow.graph.dispatch import unary
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NN_FLOAT, REAL
from dataflow.schema.opdef import MISSING_GRADIENT, Gradient, define_op
from dataflow.schema.shape_functions import merged_inputs, unchanged
from dataflow.values import dtypes

_RELU_TYPES = (
    "T: {float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32,"
    " uint64, qint8}"
)
_ALPHA = "alpha: float = 0.2"


def _define(op_type: str, attrs: Sequence[str], gradient: Gradient, doc: str) -> None:
    define_op(
        op_type,
        inputs="features: T",
        outputs="activations: T",
        attrs=attrs,
        shape=unchanged,
        gradient=gradient,
        doc=doc,
    )


def _define_grad(
    op_type: str, second: str, attrs: Sequence[str], gradient: Gradient, doc: str
) -> None:
    define_op(
        op_type,
        inputs=f"gradients: T, {second}: T",
        outputs="backprops: T",
        attrs=attrs,
        shape=merged_inputs,
        gradient=gradient,
        doc=doc,
    )


def _relu_gradient(op: Operation, grad: Any) -> Any:
    return single("ReluGrad", grad, op.outputs[0])


def _relu6_gradient(op: Operation, grad: Any) -> Any:
    return single("Relu6Grad", grad, op.outputs[0])


def _leaky_relu_gradient(op: Operation, grad: Any) -> Any:
    return single("LeakyReluGrad", grad, op.inputs[0], alpha=op.attrs["alpha"])


def _elu_gradient(op: Operation, grad: Any) -> Any:
    return single("EluGrad", grad, op.outputs[0])


def _selu_gradient(op: Operation, grad: Any) -> Any:
    return single("SeluGrad", grad, op.outputs[0])


def _softplus_gradient(op: Operation, grad: Any) -> Any:
    return grad * math_sigmoid.sigmoid(op.inputs[0])


def _softsign_gradient(op: Operation, grad: Any) -> Any:
    return single("SoftsignGrad", grad, op.inputs[0])


def _step_grad_gradient(op: Operation, grad: Any) -> Any:
    """Of a gradient that only chooses by its second input: linear in the first one."""
    features = op.inputs[1]
    attrs = {"alpha": op.attrs["alpha"]} if "alpha" in op.attrs else {}
    return single(op.type, grad, features, **attrs), array_fill.zeros_like(features)


def _exponential_grad_gradient(op: Operation, grad: Any) -> Any:
    """Of EluGrad and SeluGrad, whose second input is the activation: for x < 0, a slope of 1."""
    outputs: Any = op.inputs[1]
    with_respect_to_gradients = single(op.type, grad, outputs)
    is_negative = outputs < 0
    product = grad * op.inputs[0]
    zeros = array_fill.zeros_like(outputs)
    return with_respect_to_gradients, array_select.where(is_negative, product, zeros)


def _softplus_grad_gradient(op: Operation, grad: Any) -> Any:
    dy: Any
    x: Any
    dy, x = op.inputs
    with control_dependencies([grad]):
        with_respect_to_dy = single("SoftplusGrad", grad, x)
        power: Any = math_unary.exp(-x)
        denominator = power + 2.0 + math_unary.exp(x)
        return with_respect_to_dy, grad * dy / denominator


_define("Relu", [_RELU_TYPES], _relu_gradient, "max(x, 0).")
_define("Relu6", [REAL], _relu6_gradient, "min(max(x, 0), 6).")
_define(
    "LeakyRelu", [_ALPHA, f"{NN_FLOAT} = float32"], _leaky_relu_gradient, "x, or alpha x if x < 0."
)
_define("Elu", [NN_FLOAT], _elu_gradient, "x, or exp(x) - 1 if x < 0 (Clevert et al., 2015).")
_define(
    "Selu",
    [NN_FLOAT],
    _selu_gradient,
    "Elu with a slope and a scale that keep mean 0 and variance 1 (Klambauer et al., 2017).",
)
_define("Softplus", [NN_FLOAT], _softplus_gradient, "log(exp(x) + 1).")
_define("Softsign", [NN_FLOAT], _softsign_gradient, "x / (|x| + 1).")
_define_grad(
    "ReluGrad", "features", [REAL], _step_grad_gradient, "The gradient where the feature is > 0."
)
_define_grad(
    "Relu6Grad",
    "features",
    [REAL],
    _step_grad_gradient,
    "The gradient where the feature is between 0 and 6.",
)
_define_grad(
    "LeakyReluGrad",
    "features",
    [_ALPHA, f"{NN_FLOAT} = float32"],
    _step_grad_gradient,
    "The gradient, times alpha where the feature is not > 0.",
)
_define_grad(
    "EluGrad",
    "outputs",
    [NN_FLOAT],
    _exponential_grad_gradient,
    "The gradient of Elu, from its output: the gradient, times y + 1 if y < 0.",
)
_define_grad(
    "SeluGrad",
    "outputs",
    [NN_FLOAT],
    _exponential_grad_gradient,
    "The gradient of Selu, from its output.",
)
_define_grad(
    "SoftplusGrad",
    "features",
    [NN_FLOAT],
    _softplus_grad_gradient,
    "The gradient over exp(-x) + 1.",
)
_define_grad(
    "SoftsignGrad",
    "features",
    [NN_FLOAT],
    MISSING_GRADIENT,
    "The gradient over (|x| + 1)**2.",
)


@unary
def relu(features: Any, name: str | None = None) -> Tensor:
    """max(x, 0), element by element."""
    return single("Relu", features, name=name)


@unary
def relu6(features: Any, name: str | None = None) -> Tensor:
    """min(max(x, 0), 6), element by element."""
    with name_scope(name, "Relu6", [features]) as scope:
        return single("Relu6", convert_to_tensor(features, name="features"), name=scope)


@unary
def elu(features: Any, name: str | None = None) -> Tensor:
    """x, or exp(x) - 1 where x is negative."""
    return single("Elu", features, name=name)


@unary
def selu(features: Any, name: str | None = None) -> Tensor:
    """Scaled elu, which keeps activations at mean 0 and variance 1 (Klambauer et al., 2017)."""
    return single("Selu", features, name=name)


@unary
def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(exp(x) + 1), a smooth relu."""
    return single("Softplus", features, name=name)


@unary
def softsign(features: Any, name: str | None = None) -> Tensor:
    """x / (|x| + 1), between -1 and 1."""
    return single("Softsign", features, name=name)


@unary
def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """x, or alpha times x where x is negative.

    Args:
      features: Activations; integers are made float32.
      alpha: Slope on the negative side; one that is learned, a tensor, is at most 1, as before
        TensorFlow 1.12.
      name: Name of the operation.
    """
    with name_scope(name, "LeakyRelu", [features, alpha]) as scope:
        tensor: Any = convert_to_tensor(features, name="features")
        if tensor.dtype.is_integer:
            tensor = cast(tensor, dtypes.float32)
        if is_dense_tensor_like(alpha):
            return math_binary.maximum(alpha * tensor, tensor, name=scope)
        slope = alpha.item() if isinstance(alpha, np.ndarray) else alpha
        return single("LeakyRelu", tensor, alpha=slope, name=scope)


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Tensor:
    """relu of x and of -x side by side along `axis` (Shang et al., 2016)."""
    with name_scope(name, "CRelu", [features]) as scope:
        tensor: Any = convert_to_tensor(features, name="features")
        return relu(array_concat.concat([tensor, -tensor], axis, name=scope))

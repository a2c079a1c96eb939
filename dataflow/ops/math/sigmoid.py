"""The logistic function."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import unary
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import FLOAT_COMPLEX
from dataflow.schema.opdef import define_op
from dataflow.schema.shape_functions import unchanged


def _sigmoid_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return single("SigmoidGrad", math_complex.conj(op.outputs[0]), grad)


def _sigmoid_grad_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        y = math_complex.conj(op.inputs[0])
        dy = math_complex.conj(op.inputs[1])
        product = grad * dy
        return product - 2.0 * product * y, single("SigmoidGrad", y, grad)


define_op(
    "Sigmoid",
    inputs="x: T",
    outputs="y: T",
    attrs=[FLOAT_COMPLEX],
    shape=unchanged,
    gradient=_sigmoid_gradient,
    doc="1 / (1 + exp(-x)).",
)
define_op(
    "SigmoidGrad",
    inputs="y: T, dy: T",
    outputs="z: T",
    attrs=[FLOAT_COMPLEX],
    shape=unchanged,
    gradient=_sigmoid_grad_gradient,
    doc="dy * y * (1 - y), where y is a sigmoid.",
)


@unary
def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)), element by element."""
    with name_scope(name, "Sigmoid", [x]) as scope:
        return single("Sigmoid", convert_to_tensor(x, name="x"), name=scope)


@unary
def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), element by element, without overflow."""
    with name_scope(name, "LogSigmoid", [x]) as scope:
        tensor: Any = convert_to_tensor(x, name="x")
        return math_unary.negative(single("Softplus", -tensor), name=scope)

"""Powers and other functions of two tensors that a logarithm or quotient defines."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast_gradient as array_broadcast_gradient
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
from dataflow.graph.apply_op import apply_op
from dataflow.graph.dispatch import binary, unary
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.reduction import reduction
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import FLOAT
from dataflow.schema.opdef import GradientFunction, define_op
from dataflow.schema.shape_functions import broadcast


def _pow_gradient(op: Operation, grad: Any) -> Any:
    x, y = op.inputs
    base: Any = math_complex.conj(x)
    exponent: Any = math_complex.conj(y)
    grad_x = grad * exponent * pow(base, exponent - 1)
    # 0 ** y does not change with y, though the logarithm of 0 has no value.
    mask = math_compare.not_equal(base, 0) if x.dtype.is_complex else base > 0
    safe = array_select.where(mask, base, array_fill.ones_like(x))
    log = array_select.where(mask, math_unary.log(safe), array_fill.zeros_like(x))
    grad_y = grad * math_complex.conj(op.outputs[0]) * log
    return array_broadcast_gradient.reduce_gradients(x, y, grad_x, grad_y)


def _atan2_gradient(op: Operation, grad: Any) -> Any:
    y: Any
    x: Any
    y, x = op.inputs
    with control_dependencies([grad]):
        y_squared: Any = math_unary.square(y)
        scaled = grad / (y_squared + math_unary.square(x))
        grad_y = x * scaled
        grad_x = -y * scaled
        return array_broadcast_gradient.reduce_gradients(y, x, grad_y, grad_x)


def _next_after_gradient(op: Operation, grad: Any) -> Any:
    """As of the first operand itself."""
    x, y = op.inputs
    shape_x, shape_y = array_shape.shape(x), array_shape.shape(y)
    axes_x, axes_y = apply_op("BroadcastGradientArgs", shape_x, shape_y)
    with control_dependencies([grad]):
        by_x: Any = array_fill.ones(shape_x, dtype=x.dtype)
        by_y: Any = array_fill.zeros(shape_y, dtype=y.dtype)
        return (
            array_shape.reshape(reduction("Sum", by_x * grad, axes_x), shape_x),
            array_shape.reshape(reduction("Sum", by_y * grad, axes_y), shape_y),
        )


def _zero_aware_gradient(partial_y: Any, partial_x: Any) -> GradientFunction:
    """The gradient of an op that is 0 wherever x is 0, as its derivative by x is then."""

    def gradient(op: Operation, grad: Any) -> Any:
        x, y = op.inputs
        shape_x, shape_y = array_shape.shape(x), array_shape.shape(y)
        axes_x, axes_y = apply_op("BroadcastGradientArgs", shape_x, shape_y)
        with control_dependencies([grad]):
            zero = cast(0.0, x.dtype)
            nonzero = cast(math_compare.not_equal(x, zero), x.dtype)
            by_x = partial_x(nonzero, y)
            by_y = partial_y(x, y)
            return (
                array_shape.reshape(reduction("Sum", by_x * grad, axes_x), shape_x),
                array_shape.reshape(reduction("Sum", by_y * grad, axes_y), shape_y),
            )

    return gradient


def _define(op_type: str, inputs: str, types: str, gradient: GradientFunction, doc: str) -> None:
    define_op(
        op_type,
        inputs=inputs,
        outputs="z: T",
        attrs=[types],
        shape=broadcast,
        gradient=gradient,
        doc=doc,
    )


define_op(
    "NextAfter",
    inputs="x1: T, x2: T",
    outputs="output: T",
    attrs=["T: {float64, float32} = float32"],
    shape=broadcast,
    gradient=_next_after_gradient,
    doc="The number next to x1 in the direction of x2.",
)
_ZERO_AWARE = "T: {half, bfloat16, float32, float64, complex64, complex128}"
_define(
    "Pow",
    "x: T, y: T",
    "T: {bfloat16, float32, half, float64, int8, int16, int32, int64, complex64, complex128}",
    _pow_gradient,
    "x to the power y.",
)
_define(
    "Atan2", "y: T, x: T", FLOAT, _atan2_gradient, "The angle of the point (x, y), from -pi to pi."
)
_define(
    "Xdivy",
    "x: T, y: T",
    _ZERO_AWARE,
    _zero_aware_gradient(
        lambda x, y: single("Xdivy", math_unary.negative(x), y**2),
        lambda nonzero, y: single("Xdivy", nonzero, y),
    ),
    "x / y, and 0 where x is 0.",
)
_define(
    "Xlogy",
    "x: T, y: T",
    _ZERO_AWARE,
    _zero_aware_gradient(
        lambda x, y: single("Xdivy", x, y),
        lambda nonzero, y: single("Xlogy", nonzero, y),
    ),
    "x * log(y), and 0 where x is 0.",
)
_define(
    "Xlog1py",
    "x: T, y: T",
    _ZERO_AWARE,
    _zero_aware_gradient(
        lambda x, y: single("Xdivy", x, y + 1.0),
        lambda nonzero, y: single("Xlog1py", nonzero, y),
    ),
    "x * log(1 + y), and 0 where x is 0.",
)


@binary
def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x to the power y, element by element, with broadcasting.

    Raises:
      InvalidArgumentError: In the run: an integer is raised to a negative power.
    """
    with name_scope(name, "Pow", [x]) as scope:
        return single("Pow", x, y, name=scope)


@binary
def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The angle of the points (x, y) in radians, from -pi to pi, with broadcasting."""
    return single("Atan2", y, x, name=name)


@unary
def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The floating number next to x1 in the direction of x2, with broadcasting."""
    return single("NextAfter", x1, x2, name=name)


@binary
def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, and 0 where x is 0, element by element, with broadcasting."""
    with name_scope(name, "xdivy", [x]):
        return single("Xdivy", x, y)


@binary
def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * log(y), and 0 where x is 0, element by element, with broadcasting."""
    return single("Xlogy", x, y, name=name)


@binary
def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * log(1 + y), and 0 where x is 0, element by element, with broadcasting."""
    with name_scope(name, "xlog1py", [x]):
        return single("Xlog1py", x, y)

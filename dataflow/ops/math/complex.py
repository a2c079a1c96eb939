"""Complex numbers: building them, taking them apart, conjugates."""

from __future__ import annotations

import math
from typing import Any

import dataflow.ops.array.broadcast_gradient as array_broadcast_gradient
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import binary, unary
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import GradientFunction, InferenceContext, define_op
from dataflow.schema.shape_functions import broadcast, unchanged
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_PARTS = (
    "T: {complex64, complex128} = complex64",
    "Tout: {float32, float64} = float32",
)


def _conj_gradient(op: Operation, grad: Any) -> Any:
    return conj(grad)


def _real_gradient(op: Operation, grad: Any) -> Any:
    return complex(grad, constant(0, dtype=grad.dtype))


def _imag_gradient(op: Operation, grad: Any) -> Any:
    return complex(constant(0, dtype=grad.dtype), grad)


def _modulus_gradient(op: Operation, grad: Any) -> Any:
    modulus = op.outputs[0]
    with_grad: Any = complex(grad, array_fill.zeros_like(grad))
    return single(
        "DivNoNan",
        with_grad * op.inputs[0],
        complex(modulus, array_fill.zeros_like(modulus)),
        name="div_no_nan",
    )


def _angle_gradient(op: Operation, grad: Any) -> Any:
    x = op.inputs[0]
    with control_dependencies([grad]):
        re = real(x)
        im = imag(x)
        z = single("Reciprocal", complex(im, re))
        with_grad: Any = complex(grad, constant(0, dtype=grad.dtype))
        return -with_grad * z


def _complex_gradient(op: Operation, grad: Any) -> Any:
    re, im = op.inputs
    return array_broadcast_gradient.reduce_gradients(re, im, real(grad), imag(grad))


def _conj_shape(c: InferenceContext) -> TensorShape:
    c.set_output_handle(0, c.input_handle(0))
    return c.input(0)


define_op(
    "Conj",
    inputs="input: T",
    outputs="output: T",
    attrs=["T: {complex64, complex128, variant} = complex64"],
    shape=_conj_shape,
    gradient=_conj_gradient,
    doc="The complex conjugate.",
)


def _define_part(
    op_type: str, inputs: str, outputs: str, gradient: GradientFunction, doc: str
) -> None:
    define_op(
        op_type,
        inputs=inputs,
        outputs=outputs,
        attrs=_PARTS,
        shape=unchanged,
        gradient=gradient,
        doc=doc,
    )


_define_part("Real", "input: T", "output: Tout", _real_gradient, "The real part.")
_define_part("Imag", "input: T", "output: Tout", _imag_gradient, "The imaginary part.")
_define_part("Angle", "input: T", "output: Tout", _angle_gradient, "The argument, in radians.")
_define_part("ComplexAbs", "x: T", "y: Tout", _modulus_gradient, "The modulus.")
define_op(
    "Complex",
    inputs="real: T, imag: T",
    outputs="out: Tout",
    attrs=["T: {float32, float64} = float32", "Tout: {complex64, complex128} = complex64"],
    shape=broadcast,
    gradient=_complex_gradient,
    doc="Complex numbers of these real and imaginary parts.",
)


@binary
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Complex numbers of these real and imaginary parts, which broadcast.

    Raises:
      TypeError: The parts are not both float32 or both float64.
    """
    real = convert_to_tensor(real, name="real")
    imag = convert_to_tensor(imag, name="imag")
    with name_scope(name, "Complex", [real, imag]) as scope:
        types = (real.dtype.base_dtype, imag.dtype.base_dtype)
        if types == (dtypes.float64, dtypes.float64):
            result = dtypes.complex128
        elif types == (dtypes.float32, dtypes.float32):
            result = dtypes.complex64
        else:
            raise TypeError(
                f"real and imag have incorrect types: {real.dtype.name} {imag.dtype.name}"
            )
        return single("Complex", real, imag, Tout=result, name=scope)


@unary
def real(input: Any, name: str | None = None) -> Tensor:
    """The real part; a real tensor itself.

    Raises:
      TypeError: `input` is not numeric.
    """
    with name_scope(name, "Real", [input]) as scope:
        tensor = convert_to_tensor(input, name="input")
        if tensor.dtype.is_complex:
            return single("Real", tensor, Tout=tensor.dtype.real_dtype, name=scope)
        if tensor.dtype.is_numeric:
            return tensor
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {tensor.dtype}")


@unary
def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part; zeros for a real tensor."""
    with name_scope(name, "Imag", [input]) as scope:
        tensor = convert_to_tensor(input, name="input")
        if tensor.dtype.is_complex:
            return single("Imag", tensor, Tout=tensor.dtype.real_dtype, name=scope)
        return array_fill.zeros_like(tensor)


@unary
def angle(input: Any, name: str | None = None) -> Tensor:
    """The argument in radians; 0 or pi for a real tensor."""
    with name_scope(name, "Angle", [input]) as scope:
        tensor: Any = convert_to_tensor(input, name="input")
        if tensor.dtype.is_complex:
            return single("Angle", tensor, Tout=tensor.dtype.real_dtype, name=scope)
        is_negative = tensor < 0
        ones: Any = array_fill.ones_like(tensor)
        pi = math.pi * ones
        return array_select.where(is_negative, pi, array_fill.zeros_like(tensor))


@unary
def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate; a real tensor itself.

    Raises:
      TypeError: `x` is neither numeric nor of dtype variant.
    """
    if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
        return x
    with name_scope(name, "Conj", [x]) as scope:
        tensor = convert_to_tensor(x, name="x")
        dtype = tensor.dtype
        if dtype.is_complex or dtype.base_dtype is dtypes.variant:
            return single("Conj", tensor, name=scope)
        if dtype.is_floating or dtype.is_integer:
            return tensor
        raise TypeError(f"Expected numeric or variant tensor, got dtype {dtype!r}.")

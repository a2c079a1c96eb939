"""Signs, rounding, and tests for NaN and infinity, element by element."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import unary, unary_of_sparse
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import FLOAT, SIGNED
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import unchanged
from dataflow.values import dtypes


def _sign_gradient(op: Operation, grad: Any) -> Any:
    return array_fill.zeros_like(op.inputs[0])


def _no_gradient(op: Operation, grad: Any) -> None:
    """Steps: the gradient is None rather than zeros, as if nothing depended on the input."""


define_op(
    "Sign",
    inputs="x: T",
    outputs="y: T",
    attrs=[SIGNED],
    shape=unchanged,
    gradient=_sign_gradient,
    doc="-1, 0 or 1; for complex numbers x / |x|, and 0 at 0.",
)
for _name, _types, _doc in (
    ("Floor", FLOAT, "The greatest integer that is not greater."),
    ("Ceil", FLOAT, "The least integer that is not less."),
    ("Round", SIGNED, "The nearest integer, of two the even one."),
    ("Rint", FLOAT, "The nearest integer, of two the even one."),
):
    define_op(
        _name,
        inputs="x: T",
        outputs="y: T",
        attrs=[_types],
        shape=unchanged,
        gradient=_no_gradient,
        doc=_doc,
    )
for _name, _doc in (
    ("IsNan", "Tells which elements are NaN."),
    ("IsInf", "Tells which elements are infinite."),
    ("IsFinite", "Tells which elements are neither infinite nor NaN."),
):
    define_op(
        _name,
        inputs="x: T",
        outputs="y: bool",
        attrs=[FLOAT],
        shape=unchanged,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
    )


@unary_of_sparse
def sign(x: Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1 for each element; for complex ones x / |x|, and 0 at 0."""
    tensor = convert_to_tensor(x)
    if not tensor.dtype.is_complex:
        return single("Sign", tensor, name=name)
    real = dtypes.float32 if tensor.dtype.base_dtype is dtypes.complex64 else dtypes.float64
    modulus = single("ComplexAbs", tensor, Tout=real)
    return single("DivNoNan", tensor, cast(modulus, tensor.dtype), name=name)


@unary
def floor(x: Any, name: str | None = None) -> Tensor:
    """The greatest integer that is not greater, of the same dtype."""
    return single("Floor", x, name=name)


@unary
def ceil(x: Any, name: str | None = None) -> Tensor:
    """The least integer that is not less, of the same dtype."""
    return single("Ceil", x, name=name)


@unary
def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest integer, of two the even one; an integer tensor itself."""
    tensor = convert_to_tensor(x, name="x")
    return tensor if tensor.dtype.is_integer else single("Round", tensor, name=name)


@unary
def rint(x: Any, name: str | None = None) -> Tensor:
    """The nearest integer, of two the even one, of the same dtype."""
    return single("Rint", x, name=name)


@unary
def is_nan(x: Any, name: str | None = None) -> Tensor:
    """True where `x` is NaN."""
    return single("IsNan", x, name=name)


@unary
def is_inf(x: Any, name: str | None = None) -> Tensor:
    """True where `x` is infinite."""
    return single("IsInf", x, name=name)


@unary
def is_finite(x: Any, name: str | None = None) -> Tensor:
    """True where `x` is neither infinite nor NaN."""
    return single("IsFinite", x, name=name)

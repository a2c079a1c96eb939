"""The value of a variable that may not have one yet: TensorFlow has no single op for it."""

from __future__ import annotations

from typing import Any

from dataflow.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.ops.single import single
from dataflow.ops.state import is_ref
from dataflow.shapes import TensorShape
from dataflow.tensor import Tensor

__all__: list[str] = []


def _otherwise_shape(c: InferenceContext) -> TensorShape:
    return c.input(1)


define_op(
    "_InitializedValue",
    inputs="ref: Ref(T), otherwise: T",
    outputs="value: T",
    attrs=["T: type"],
    shape=_otherwise_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The value of a variable, or another one if it has none.",
    allows_uninitialized_input=True,
)

define_op(
    "_InitializedResourceValue",
    inputs="resource: resource, otherwise: dtype",
    outputs="value: dtype",
    attrs=["dtype: type"],
    shape=_otherwise_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The value of the variable behind a handle, or another one if it has none.",
    stateful=True,
)


def initialized_value(variable: Any, otherwise: Tensor, name: str = "initialized_value") -> Tensor:
    """The variable's value, or `otherwise` if it has none when this runs."""
    if is_ref(variable):
        return single("_InitializedValue", variable, otherwise, name=name)
    return single("_InitializedResourceValue", variable.handle, otherwise, name=name)

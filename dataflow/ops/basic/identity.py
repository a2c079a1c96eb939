"""Ops that pass values on: Identity and its kin, which differ in what gradients see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import each_unchanged, no_outputs, unchanged
from dataflow.values.shapes import TensorShape


def _identity_shape(c: InferenceContext) -> TensorShape:
    c.set_output_handle(0, c.input_handle(0))
    return c.input(0)


def _pass_gradient(op: Operation, grad: Any) -> Any:
    return grad


def _pass_gradients(op: Operation, *grads: Any) -> list[Any]:
    return list(grads)


def _refuse_gradient(op: Operation, grad: Any) -> Any:
    raise LookupError(
        f"Gradient explicitly disabled. Reason: {op.attrs['message'].decode(errors='replace')!r}"
    )


define_op(
    "Identity",
    inputs="input: T",
    outputs="output: T",
    attrs=["T: type"],
    shape=_identity_shape,
    gradient=_pass_gradient,
    doc="Passes its input on.",
)

define_op(
    "Snapshot",
    inputs="input: T",
    outputs="output: T",
    attrs=["T: type"],
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="Passes a copy of its input on.",
)

define_op(
    "IdentityN",
    inputs="input: T",
    outputs="output: T",
    attrs=["T: list(type) >= 1"],
    shape=each_unchanged,
    gradient=_pass_gradients,
    doc="Passes several inputs on, all when all are there.",
)

define_op(
    "StopGradient",
    inputs="input: T",
    outputs="output: T",
    attrs=["T: type"],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="Passes its input on; gradients take it for a constant.",
)

define_op(
    "PreventGradient",
    inputs="input: T",
    outputs="output: T",
    attrs=["T: type", "message: string = ''"],
    shape=unchanged,
    gradient=_refuse_gradient,
    doc="Passes its input on; asking for a gradient through it is an error.",
)

define_op(
    "NoOp",
    attrs=[],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Does nothing; it has control inputs to wait for.",
)


@dispatched
def identity(input: Any, name: str | None = None) -> Any:
    """A tensor with the same shape and contents as `input`."""
    return apply_op("Identity", input, name=name)


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Tensors with the same shapes and contents as the inputs, there when all inputs are."""
    result: list[Tensor] = apply_op("IdentityN", list(input), name=name)
    return result


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The input, which gradients take for a constant."""
    result: Tensor = apply_op("StopGradient", input, name=name)
    return result


def no_op(name: str | None = None) -> Operation:
    """An operation that does nothing but wait for its control inputs."""
    result: Operation = apply_op("NoOp", name=name)
    return result

"""Stacks of tensors that live for one step: a loop's values are kept in them for its gradient."""

from __future__ import annotations

from dataflow.ops.basic.handle_shapes import HANDLE, with_handle
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import no_outputs, unknown
from dataflow.values.shapes import TensorShape


def _handle_shape(c: InferenceContext) -> TensorShape:
    return HANDLE


def _push_shape(c: InferenceContext) -> TensorShape:
    return c.input(1)


def _close_shape(c: InferenceContext) -> list[TensorShape]:
    with_handle(c)
    return []


define_op(
    "StackV2",
    inputs="max_size: int32",
    outputs="handle: resource",
    attrs=["elem_type: type", "stack_name: string = ''"],
    shape=_handle_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="A new stack; a negative `max_size` sets no bound on its size.",
    stateful=True,
)

define_op(
    "StackPushV2",
    inputs="handle: resource, elem: T",
    outputs="output: T",
    attrs=["T: type", "swap_memory: bool = false"],
    shape=_push_shape,
    gradient=MISSING_GRADIENT,
    doc="Puts a tensor on a stack, and passes it on.",
    stateful=True,
)

define_op(
    "StackPopV2",
    inputs="handle: resource",
    outputs="elem: elem_type",
    attrs=["elem_type: type"],
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="Takes the last tensor off a stack.",
    stateful=True,
)

define_op(
    "StackCloseV2",
    inputs="handle: resource",
    shape=_close_shape,
    gradient=MISSING_GRADIENT,
    doc="Frees a stack; it cannot be used any more.",
    stateful=True,
)

define_op(
    "Stack",
    outputs="handle: Ref(string)",
    attrs=["elem_type: type", "stack_name: string = ''"],
    shape=_handle_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="StackV2 without a bound, as old graphs have it.",
    stateful=True,
)

define_op(
    "StackPush",
    inputs="handle: Ref(string), elem: T",
    outputs="output: T",
    attrs=["T: type", "swap_memory: bool = false"],
    shape=_push_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="StackPushV2 of old graphs.",
)

define_op(
    "StackPop",
    inputs="handle: Ref(string)",
    outputs="elem: elem_type",
    attrs=["elem_type: type"],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="StackPopV2 of old graphs.",
)

define_op(
    "StackClose",
    inputs="handle: Ref(string)",
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="StackCloseV2 of old graphs.",
)

"""Ops whose work is a function of the graph's library: conditionals, loops and calls."""

from __future__ import annotations

from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import scalar, unknown
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_CALL_ATTRS = (
    "Tin: list(type) >= 0",
    "Tout: list(type) >= 0",
    "f: func",
    "config: string = ''",
    "config_proto: string = ''",
    "executor_type: string = ''",
)
_IF_ATTRS = (
    "Tcond: type",
    "Tin: list(type) >= 0",
    "Tout: list(type) >= 0",
    "then_branch: func",
    "else_branch: func",
    "output_shapes: list(shape) = []",
)
_CASE_ATTRS = (
    "Tin: list(type) >= 0",
    "Tout: list(type) >= 0",
    "branches: list(func) >= 1",
    "output_shapes: list(shape) = []",
)
_WHILE_ATTRS = (
    "T: list(type) >= 0",
    "cond: func",
    "body: func",
    "output_shapes: list(shape) = []",
    "parallel_iterations: int = 10",
)


def _declared_shapes(c: InferenceContext) -> list[TensorShape]:
    """What the attr `output_shapes` says; without it nothing is known."""
    shapes: tuple[TensorShape, ...] = c.attr("output_shapes")
    if not shapes:
        return unknown(c)
    if len(shapes) != c.num_outputs:
        raise ValueError(
            "`output_shapes` must be the same length as num outputs "
            f"({len(shapes)} vs. {c.num_outputs}"
        )
    return list(shapes)


def _loop_shapes(c: InferenceContext) -> list[TensorShape]:
    """What the attr `output_shapes` says; without it a loop keeps the shapes it is given."""
    for index in range(c.num_outputs):
        c.set_output_handle(index, c.input_handle(index))
    if not c.attr("output_shapes"):
        return [c.input(index) for index in range(c.num_outputs)]
    return _declared_shapes(c)


def _gradient_shapes(c: InferenceContext) -> list[TensorShape]:
    """A gradient has the shape of what it is the gradient of, behind a handle too."""
    if c.num_inputs < c.num_outputs:
        raise ValueError("len(inputs) < len(outputs)")
    return [_shape_behind(c, index) for index in range(c.num_outputs)]


def _shape_behind(c: InferenceContext, index: int) -> TensorShape:
    if c.input_dtype(index) is not dtypes.resource:
        return c.input(index)
    handle = c.input_handle(index)
    shape: TensorShape = handle[0][1] if handle else TensorShape.of(None)
    return shape


def _fake_shape(c: InferenceContext) -> TensorShape:
    shape: TensorShape = c.attr("shape")
    return shape


define_op(
    "If",
    inputs="cond: Tcond, input: Tin",
    outputs="output: Tout",
    attrs=_IF_ATTRS,
    shape=_declared_shapes,
    gradient=MISSING_GRADIENT,
    doc="Gives `then_branch(input)` if `cond` is true, else `else_branch(input)`.",
    stateful=True,
)
define_op(
    "StatelessIf",
    inputs="cond: Tcond, input: Tin",
    outputs="output: Tout",
    attrs=_IF_ATTRS,
    shape=_declared_shapes,
    gradient=MISSING_GRADIENT,
    doc="If, of branches without state or side effects.",
)
define_op(
    "Case",
    inputs="branch_index: int32, input: Tin",
    outputs="output: Tout",
    attrs=_CASE_ATTRS,
    shape=_declared_shapes,
    gradient=MISSING_GRADIENT,
    doc="Gives `branches[branch_index](input)`; the last one's result if there is no such branch.",
    stateful=True,
)
define_op(
    "StatelessCase",
    inputs="branch_index: int32, input: Tin",
    outputs="output: Tout",
    attrs=_CASE_ATTRS,
    shape=_declared_shapes,
    gradient=MISSING_GRADIENT,
    doc="Case, of branches without state or side effects.",
)
define_op(
    "While",
    inputs="input: T",
    outputs="output: T",
    attrs=_WHILE_ATTRS,
    shape=_loop_shapes,
    gradient=MISSING_GRADIENT,
    doc="Applies `body` to the tensors again and again while `cond` of them is true.",
    stateful=True,
)
define_op(
    "StatelessWhile",
    inputs="input: T",
    outputs="output: T",
    attrs=_WHILE_ATTRS,
    shape=_loop_shapes,
    gradient=MISSING_GRADIENT,
    doc="While, of functions without state or side effects.",
)
define_op(
    "For",
    inputs="start: int32, limit: int32, delta: int32, input: T",
    outputs="output: T",
    attrs=("T: list(type) >= 0", "body: func"),
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="Applies `body` to each number from `start` to before `limit`, and to the tensors.",
)
define_op(
    "_ForSteps",
    inputs="start: int32, limit: int32, delta: int32",
    outputs="steps: int64",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="How often a For applies its body.",
)
define_op(
    "PartitionedCall",
    inputs="args: Tin",
    outputs="output: Tout",
    attrs=_CALL_ATTRS,
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="Calls a function without state or side effects, whose nodes may be on several devices.",
)
define_op(
    "StatefulPartitionedCall",
    inputs="args: Tin",
    outputs="output: Tout",
    attrs=_CALL_ATTRS,
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="Calls a function whose nodes may be on several devices.",
    stateful=True,
)
define_op(
    "RemoteCall",
    inputs="target: string, args: Tin",
    outputs="output: Tout",
    attrs=("Tin: list(type) >= 1", "Tout: list(type) >= 1", "f: func"),
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="Calls a function on the device that `target` names.",
    stateful=True,
)
define_op(
    "_CalledDevice",
    inputs="target: string",
    outputs="index: int32",
    attrs=("device_names: list(string)",),
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Place in `device_names` of what `target` names; what that leaves out is the op's own.",
)
define_op(
    "SymbolicGradient",
    inputs="input: Tin",
    outputs="output: Tout",
    attrs=("Tin: list(type) >= 1", "Tout: list(type) >= 1", "f: func"),
    shape=_gradient_shapes,
    gradient=MISSING_GRADIENT,
    doc="Calls the gradient function of `f` with its arguments and the gradients of its results.",
)
define_op(
    "FakeParam",
    outputs="output: dtype",
    attrs=("dtype: type", "shape: shape"),
    shape=_fake_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Stands for a tensor that another branch gives and nobody reads.",
)
define_op(
    "DeviceIndex",
    outputs="index: int32",
    attrs=("device_names: list(string)",),
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Place of its device's type in `device_names`; their number if the type is not there.",
    stateful=True,
)
define_op(
    "ToBool",
    inputs="input: T",
    outputs="output: bool",
    attrs=("T: type",),
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Truth of a tensor: a scalar that is not 0 or empty, or any tensor with elements.",
)

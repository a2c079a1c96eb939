"""The primitives of control flow: they decide which other nodes run, and how often."""

from __future__ import annotations

from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import no_outputs, unchanged, with_rank
from dataflow.values.shapes import TensorShape

_FRAME_ATTRS = (
    "T: type",
    "frame_name: string",
    "is_constant: bool = false",
    "parallel_iterations: int = 10",
)


def _switch_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 0)
    for output in range(2):
        c.set_output_handle(output, c.input_handle(0))
    return [c.input(0)] * 2


def _switch_n_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 0)
    return [c.input(0)] * c.num_outputs


def _merge_shape(c: InferenceContext) -> list[TensorShape]:
    """What all inputs agree on, whichever of them arrives."""
    shapes = [c.input(i) for i in range(c.num_inputs)]
    index = TensorShape.of(())
    if any(shape.ndims is None or shape.ndims != shapes[0].ndims for shape in shapes):
        return [TensorShape.of(None), index]
    columns = zip(*(shape.as_list() for shape in shapes), strict=True)
    return [TensorShape([sizes[0] if len({*sizes}) == 1 else None for sizes in columns]), index]


def _enter_shape(c: InferenceContext) -> TensorShape:
    """Only of a loop invariant is it known that later iterations see the same shape."""
    c.set_output_handle(0, c.input_handle(0))
    return c.input(0) if c.attr("is_constant") else TensorShape.of(None)


def _pass_shape(c: InferenceContext) -> TensorShape:
    c.set_output_handle(0, c.input_handle(0))
    return c.input(0)


def _pass_gradient(op: Operation, grad: Tensor) -> Tensor:
    return grad


def _loop_cond_shape(c: InferenceContext) -> TensorShape:
    return with_rank(c.input(0), 0)


def _ref_select_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 0)
    shapes = [c.input(i) for i in range(1, c.num_inputs)]
    same = all(s.is_fully_defined() and s.as_list() == shapes[0].as_list() for s in shapes)
    return shapes[0] if same else TensorShape.of(None)


define_op(
    "Switch",
    inputs="data: T, pred: bool",
    outputs="output_false: T, output_true: T",
    attrs=["T: type"],
    shape=_switch_shape,
    gradient=MISSING_GRADIENT,
    doc="Passes `data` on to the output that `pred` names; what depends on the other is dead.",
)
define_op(
    "RefSwitch",
    inputs="data: Ref(T), pred: bool",
    outputs="output_false: Ref(T), output_true: Ref(T)",
    attrs=["T: type"],
    shape=_switch_shape,
    gradient=MISSING_GRADIENT,
    doc="Switch of a reference.",
    allows_uninitialized_input=True,
)
define_op(
    "_SwitchN",
    inputs="data: T, output_index: int32",
    outputs="outputs: num_outs * T",
    attrs=["num_outs: int >= 1", "T: type"],
    shape=_switch_n_shape,
    gradient=MISSING_GRADIENT,
    doc="Passes `data` on to one of several outputs, the last one if the index names none.",
)
define_op(
    "Merge",
    inputs="inputs: N * T",
    outputs="output: T, value_index: int32",
    attrs=["T: type", "N: int >= 1"],
    shape=_merge_shape,
    gradient=MISSING_GRADIENT,
    doc="Passes on the first input that arrives alive, and its index.",
)
define_op(
    "RefMerge",
    inputs="inputs: N * Ref(T)",
    outputs="output: Ref(T), value_index: int32",
    attrs=["T: type", "N: int >= 1"],
    shape=_merge_shape,
    gradient=MISSING_GRADIENT,
    doc="Merge of references.",
)
define_op(
    "Enter",
    inputs="data: T",
    outputs="output: T",
    attrs=_FRAME_ATTRS,
    shape=_enter_shape,
    gradient=MISSING_GRADIENT,
    doc="Passes `data` into a loop: to its first iteration, or with `is_constant` to each.",
)
define_op(
    "RefEnter",
    inputs="data: Ref(T)",
    outputs="output: Ref(T)",
    attrs=_FRAME_ATTRS,
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="Enter of a reference.",
)
for _name, _tensor, _doc in (
    ("Exit", "T", "Passes a value out of a loop, into the iteration the loop was entered from."),
    ("RefExit", "Ref(T)", "Exit of a reference."),
    ("NextIteration", "T", "Passes a value on to the next iteration of the loop."),
    ("RefNextIteration", "Ref(T)", "NextIteration of a reference."),
):
    define_op(
        _name,
        inputs=f"data: {_tensor}",
        outputs=f"output: {_tensor}",
        attrs=["T: type"],
        shape=_pass_shape,
        gradient=MISSING_GRADIENT,
        doc=_doc,
    )
define_op(
    "LoopCond",
    inputs="input: bool",
    outputs="output: bool",
    shape=_loop_cond_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Passes a loop's condition on; marks it for the parts of the loop on other devices.",
)
define_op(
    "ControlTrigger",
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Runs when its control inputs have arrived, dead ones too.",
)
define_op(
    "Abort",
    attrs=["error_msg: string = ''", "exit_without_error: bool = false"],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Ends the step with an error.",
)
define_op(
    "RefSelect",
    inputs="index: int32, inputs: N * Ref(T)",
    outputs="output: Ref(T)",
    attrs=["T: type", "N: int >= 1"],
    shape=_ref_select_shape,
    gradient=MISSING_GRADIENT,
    doc="Passes on one of several references.",
)
define_op(
    "RefIdentity",
    inputs="input: Ref(T)",
    outputs="output: Ref(T)",
    attrs=["T: type"],
    shape=_pass_shape,
    gradient=_pass_gradient,
    doc="Passes a reference on.",
    allows_uninitialized_input=True,
)

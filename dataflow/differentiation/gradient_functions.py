"""The gradients of the primitives of control flow.

The backward form of a conditional is a conditional: a Merge becomes a Switch and a Switch a Merge.
That of a loop is a loop that runs as often: an Exit becomes its Enter, a Switch its Merge, a Merge
its Switch, and an Enter its Exit. After Yu et al., Dynamic Control Flow in Large-Scale Machine
Learning, EuroSys 2018, section 5.
"""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.compare as compare
from dataflow.control_flow import primitives
from dataflow.differentiation import loops
from dataflow.graph import contexts
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import get_default_graph
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.schema.opdef import register_gradient
from dataflow.values import dtypes, nest


def _current_context() -> Any:
    return get_default_graph()._get_control_flow_context()


def _switch_gradient(op: Operation, *grads: Any) -> Any:
    context = op._get_control_flow_context()
    if context is not None and context.IsWhileContext():
        return _loop_switch_gradient(op, *grads)
    if context is None or not context.IsCondContext():
        false_grad = primitives.switch(grads[0], op.inputs[1])[0]
        true_grad = primitives.switch(grads[1], op.inputs[1])[1]
        return primitives.merge([false_grad, true_grad])[0], None
    if grads[1 - context.branch] is not None:
        return primitives.merge(grads, name="cond_grad")[0], None
    if op.inputs[0].dtype is dtypes.resource:
        # The other branch has no zeros for a handle.
        taken = [grads[context.branch]] * 2
        return primitives.merge(taken, name="cond_resource_grad")[0], None
    return None, None


def _loop_switch_gradient(op: Operation, leaving: Any, staying: Any) -> Any:
    """Seen first for what leaves the loop, then again for what goes round: closes the circle."""
    merges = _current_context().grad_state.switch_map
    if op in merges:
        if staying is not None:
            _add_back_edge(merges[op], staying)
        return None, None
    if leaving is None:
        return None, None
    merges[op] = primitives.merge([leaving, leaving], name="b_switch")[0]
    return merges[op], None


def _add_back_edge(merged: Any, value: Any) -> None:
    if isinstance(merged, Tensor):
        merged.op._update_input(1, primitives.next_iteration(convert_to_tensor(value)))
        return
    if isinstance(merged, IndexedSlices):
        value = primitives.as_indexed_slices(value)
    parts = nest.flatten(primitives.next_iteration(value), expand_composites=True)
    for merge, part in zip(nest.flatten(merged, expand_composites=True), parts, strict=True):
        merge.op._update_input(1, part)


def _merge_gradient(op: Operation, grad: Any, _: Any) -> Any:
    context = contexts.output_context(op.inputs[0].op)
    backward = _current_context()
    if context is not None and context.IsWhileContext():
        return primitives.switch_ref_or_tensor(grad, backward.pivot)
    if context is None or not context.IsCondContext():
        arrived = [compare.equal(op.outputs[1], index) for index in range(len(op.inputs))]
        return [primitives.switch_ref_or_tensor(grad, each)[1] for each in arrived]
    pred = context.pred
    if backward is not None and backward.grad_state is not None:
        pred = _saved_pred(pred, backward.grad_state)
    return primitives.switch_ref_or_tensor(grad, pred, name="cond_grad")


def _saved_pred(pred: Tensor, state: Any) -> Tensor:
    """The predicate of a cond in a loop: another one in each iteration."""
    saved: Tensor | None = state.history_map.get(pred.name)
    if saved is None:
        state.grad_context.Exit()
        history = state.add_forward_accumulator(pred)
        state.grad_context.Enter()
        saved = state.add_backprop_accumulated_value(history, pred)
        state.history_map[pred.name] = saved
    return saved


def _exit_gradient(op: Operation, grad: Any) -> Any:
    backward = _current_context()
    if not backward.back_prop:
        return None
    if op._get_control_flow_context().grad_state:
        raise TypeError("Second-order gradient for while loops not supported.")
    if not isinstance(grad, (Tensor, IndexedSlices, SparseTensor)):
        raise TypeError(
            f"Type {type(grad)} not supported, must be either"
            "`indexed_slices.IndexedSlices` or `SparseTensor`."
        )
    if isinstance(grad, IndexedSlices) and not _only_passes(op):
        backward.Exit()
        with primitives.entered(backward.outer_context):
            grad = convert_to_tensor(grad)
        backward.Enter()
    parts = (grad,) if isinstance(grad, Tensor) else (grad.values, grad.indices, grad.dense_shape)
    for part in parts:
        if part is not None:
            backward.AddName(part.name)
    with primitives.entered(backward):
        entered = primitives.enter(
            grad,
            backward.name,
            is_constant=False,
            parallel_iterations=backward.parallel_iterations,
            name="b_exit",
        )
        backward.loop_enters.append(entered)
    return entered


def _only_passes(exit_op: Operation) -> bool:
    """True if a loop hands a variable on as it is, and does nothing else with it.

    Slices can then go round as they are; otherwise what comes back after an iteration has another
    number of rows, and often another type of indices, so that it cannot meet them.
    """
    switch = exit_op.inputs[0].op
    value = switch.outputs[1]
    while len(value.consumers()) == 1 and value.consumers()[0].type in _PASSING:
        value = value.consumers()[0].outputs[0]
    return value.consumers() == [switch.inputs[0].op]


_PASSING = frozenset({"Identity", "RefIdentity", "NextIteration", "RefNextIteration"})


def _enter_gradient(op: Operation, grad: Any) -> Any:
    backward = _current_context()
    if backward is None or not backward.back_prop or backward.grad_state is None:
        return grad
    if not op.attrs["is_constant"]:
        result = primitives.exit(grad)
        backward.loop_exits.append(result)
        backward.ExitResult([result])
        return result
    if isinstance(grad, Tensor):
        return loops.add_backprop_accumulator(backward, op, grad)
    if isinstance(grad, IndexedSlices):
        return loops.add_backprop_indexed_slices_accumulator(backward, op, grad)
    raise TypeError(f"Type {type(grad)} not supported,must be Tensor or Indexed Slices")


def _pass_gradient(op: Operation, grad: Any) -> Any:
    """The backward loop gets its NextIteration with the gradient of the Switch."""
    return grad


for _kind, _gradient in (
    ("Switch", _switch_gradient),
    ("Merge", _merge_gradient),
    ("Exit", _exit_gradient),
    ("Enter", _enter_gradient),
    ("NextIteration", _pass_gradient),
):
    register_gradient(_kind, _gradient)
    register_gradient(f"Ref{_kind}", _gradient)

"""The loops that one call of `gradients` passes through, and the zeros it needs in them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.control_flow import predicates, primitives
from dataflow.differentiation import zeros as gradient_zeros
from dataflow.differentiation.loop_state import GradLoopState
from dataflow.graph import contexts
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes


class ControlFlowState:
    """Forward loops and their states, in the order in which `gradients` has met them."""

    def __init__(self) -> None:
        self._states: dict[Any, GradLoopState] = {}

    def add_loop_of(self, loop_exit: Operation) -> list[Operation]:
        """Prepares the loop that an Exit belongs to; called in the context of `gradients`.

        Returns:
          All exits of the loop if it is new, else none.

        Raises:
          ValueError: The graph does not say what belongs to the loop.
        """
        forward = contexts.while_context(loop_exit)
        if forward is None:
            raise ValueError(
                "Failed to call gradients on a while loop without properly serializing graph via "
                f"MetaGraphDef: '{loop_exit.name}' comes from a GraphDef, which does not tell what "
                "belongs to the loop."
            )
        if forward in self._states:
            return []
        state = GradLoopState(forward, self._state_around(forward))
        self._states[forward] = state
        return [each.op for each in state.forward_loop_exits]

    def state_of(self, op: Operation, before: bool) -> GradLoopState | None:
        """The state of the loop an operation is in.

        Args:
          op: The operation.
          before: Asks for the gradients of its outputs, which for an Exit are outside of the loop.
        """
        if before and predicates.is_exit(op):
            context = op._get_control_flow_context().outer_context
            context = context and context.GetWhileContext()
        else:
            context = contexts.while_context(op)
        return self._states.get(context) if context else None

    def entered(self, op: Operation, before: bool) -> AbstractContextManager[None]:
        """The backward loop in which the gradients of an operation are made; see `state_of`."""
        state = self.state_of(op, before)
        return primitives.entered(None if state is None else state.grad_context)

    def unused_exits(self, pending: dict[Operation, int], y_ops: set[Operation]) -> list[Tensor]:
        """The exits that no gradient will come to, of loops all exits of which are such.

        Args:
          pending: For each operation on the way, how many gradients it waits for. Enters of the
            loops are added to it: second derivatives pass through them.
          y_ops: The operations `gradients` starts from.
        """
        found: list[Tensor] = []
        for state in self._states.values():
            for loop_exit in state.forward_loop_exits:
                if not pending.get(loop_exit.op, 0):
                    state.pending_exits_count -= 1
                    if loop_exit.op not in y_ops:
                        state.unused_exits.append(loop_exit)
                    if state.pending_exits_count == 0:
                        found += state.unused_exits
            for enter in state.forward_context.loop_enters:
                if not pending.get(enter.op, 0):
                    pending[enter.op] = 1
        return found

    def zeros_for_exit(self, value: Tensor) -> Tensor:
        """The gradient of an exit that has none from outside; called outside of the loop.

        A loop variable that nobody reads afterwards may still take part in the others.
        """
        shape = value.get_shape()
        context = value.op._get_control_flow_context()
        outer = self._state_around(context)
        if outer is None:
            if shape.is_fully_defined():
                return array_fill.zeros(shape.dims, value.dtype)
            return array_fill.zeros_like(value, optimize=False)
        if shape.is_fully_defined():
            with primitives.entered(outer.grad_context):
                return array_fill.zeros(shape.dims, value.dtype)
        with primitives.entered(context.outer_context):
            sizes = array_shape.shape_internal(value, optimize=False)
        history = outer.add_forward_accumulator(sizes)
        with primitives.entered(outer.grad_context):
            saved = outer.add_backprop_accumulated_value(history, sizes)
            return array_fill.zeros(saved, value.dtype)

    def zeros_like(self, op: Operation, index: int) -> Tensor | None:
        """The gradient of an output that the ys do not depend on; called in the backward loop."""
        if predicates.is_loop_switch(op):
            return None
        state = self._states.get(contexts.while_context(op))
        if state is None:
            return gradient_zeros.outside_loops(op, index)
        value = op.outputs[index]
        shape = value.get_shape()
        if shape.is_fully_defined():
            return _static_zeros(op, value, state)
        context = op._get_control_flow_context()
        dead = predicates.is_switch(op)
        if dead:
            with primitives.entered(context.outer_context):
                switched = primitives.switch_ref_or_tensor(op.inputs[0], context.pred)
                value = switched[1 - context.branch]
                sizes = array_shape.shape_internal(value, optimize=False)
            value.op._set_control_flow_context(context)
            sizes.op._set_control_flow_context(context)
        else:
            with primitives.entered(context):
                sizes = array_shape.shape_internal(value, optimize=False)
        state.grad_context.Exit()
        history = state.add_forward_accumulator(sizes, dead_branch=dead)
        state.grad_context.Enter()
        saved = state.add_backprop_accumulated_value(history, sizes, dead)
        return array_fill.zeros(saved, value.dtype)

    def finish(self) -> None:
        """Closes the backward loops of variables whose new value does not depend on the old one.

        Their gradient is zero in all but the last forward iteration.
        """
        for state in self._states.values():
            for merge in state.switch_map.values():
                if merge.op.inputs[0] is merge.op.inputs[1]:
                    merge.op._update_input(1, _zeros_from_then_on(merge, state.grad_context))

    def _state_around(self, context: Any) -> GradLoopState | None:
        outer = context.outer_context
        outer = outer and outer.GetWhileContext()
        return self._states.get(outer) if outer else None


def _static_zeros(op: Operation, value: Tensor, state: GradLoopState) -> Tensor:
    if value.dtype is dtypes.resource:
        zeros = gradient_zeros.zeros_of_variable(value)
    else:
        zeros = constant(0, shape=value.get_shape().dims, dtype=value.dtype)
    if not predicates.is_switch(op):
        return zeros
    context = op._get_control_flow_context()
    pred = state.history_map[context.pred.name]
    guarded: Tensor = primitives.switch_ref_or_tensor(zeros, pred)[1 - context.branch]
    return guarded


def _zeros_from_then_on(merge: Tensor, backward: Any) -> Tensor:
    first = merge.op.inputs[0]
    shape = first.get_shape()
    if not shape.is_fully_defined():
        with primitives.entered(backward.outer_context):
            sizes = array_shape.shape_internal(first.op.inputs[0], optimize=False)
            zeros = array_fill.zeros(sizes, first.dtype)
    with primitives.entered(backward):
        if shape.is_fully_defined():
            zeros = constant(0, dtype=first.dtype, shape=shape)
        following: Tensor = primitives.next_iteration(zeros)
    return following


def state_for(
    between: dict[Operation, None], colocation: Callable[[Operation], AbstractContextManager[Any]]
) -> ControlFlowState | None:
    """The loops that a set of operations passes through, or None if there are none.

    Args:
      between: The operations between xs and ys; the exits of the loops are added to it.
      colocation: Gives the context in which the operations that belong to an operation are made.
    """
    state: ControlFlowState | None = None
    waiting = list(between)
    for op in waiting:
        if not predicates.is_exit(op):
            continue
        state = state or ControlFlowState()
        with colocation(op):
            added = [each for each in state.add_loop_of(op) if each not in between]
        between.update(dict.fromkeys(added))
        waiting += added
    return state

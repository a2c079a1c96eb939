"""One forward loop and the backward loop that `gradients` builds for it."""

from __future__ import annotations

from typing import Any

from dataflow.control_flow import predicates, primitives
from dataflow.control_flow.while_context import WhileContext
from dataflow.differentiation import loops
from dataflow.differentiation.stack_sizes import bounded_size
from dataflow.graph import contexts, scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.constant_value import constant_value
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


class GradLoopState:
    """What is known, while gradients are built, of a forward loop and its backward loop.

    A value of the forward loop that the backward loop needs is pushed onto a stack by each forward
    iteration and popped by the backward iteration that belongs to it. The making of a state adds
    the loop counters; it takes place in the context `gradients` is called in.

    Args:
      forward_context: The forward loop.
      outer_grad_state: That of the loop around it, if gradients pass through that too.
    """

    def __init__(self, forward_context: Any, outer_grad_state: GradLoopState | None) -> None:
        self.outer_grad_state = outer_grad_state
        self.forward_context = forward_context
        self.history_map: dict[str, Tensor] = {}
        """Name of a forward value -> what stands for it in the backward loop."""
        self.switch_map: dict[Operation, Any] = {}
        """Switch of a loop variable -> the Merge at the head of the backward loop."""
        self.unused_exits: list[Tensor] = []
        """Exits that get no gradient from outside of the loop."""
        self.deferred_exits: list[Tensor] = []
        """Exits that are done with, waiting for the others of the loop."""
        self.forward_loop_exits: list[Tensor] = list(forward_context.loop_exits)
        self.pending_exits_count = len(forward_context.loop_exits)
        self._forward_sync: Operation | None = None
        self._grad_sync: Operation | None = None
        outer = (
            forward_context.outer_context
            if outer_grad_state is None
            else outer_grad_state.forward_context
        )
        with forward_context._graph.as_default(), primitives.entered(outer):
            count, self.forward_index = loops.add_forward_loop_counter(
                forward_context, outer_grad_state
            )
        if outer_grad_state is None:
            with primitives.entered(outer):
                self.grad_context = self._backward_context()
                self.grad_index = loops.add_backprop_loop_counter(self.grad_context, count, None)
            return
        # An inner loop runs once for each outer iteration: its counts have a history, too.
        outer.AddName(count.name)
        history = outer_grad_state.add_forward_accumulator(count)
        with primitives.entered(outer_grad_state.grad_context):
            self.grad_context = self._backward_context()
            saved = outer_grad_state.add_backprop_accumulated_value(history, count)
            self.grad_index = loops.add_backprop_loop_counter(
                self.grad_context, saved, outer_grad_state
            )

    def _backward_context(self) -> WhileContext:
        forward = self.forward_context
        return WhileContext(
            maximum_iterations=forward.maximum_iterations,
            parallel_iterations=forward.parallel_iterations,
            back_prop=forward.back_prop,
            swap_memory=forward.swap_memory,
            name=forward.name,
            grad_state=self,
        )

    @property
    def forward_sync(self) -> Operation:
        """What a forward iteration waits for before it counts itself: pushes inside of conds."""
        if self._forward_sync is None:
            self._forward_sync = _trigger("f_sync", self.forward_context)
            self.forward_index.op._add_control_input(self._forward_sync)
        return self._forward_sync

    @property
    def grad_sync(self) -> Operation:
        """What a backward iteration waits for before it counts itself: pops."""
        if self._grad_sync is None:
            self._grad_sync = _trigger("b_sync", self.grad_context)
            self.grad_index.op._add_control_input(self._grad_sync)
            if self.grad_context.outer_context:
                self.grad_context.outer_context.AddInnerOp(self._grad_sync)
        return self._grad_sync

    def add_forward_accumulator(self, value: Tensor, dead_branch: bool = False) -> Tensor:
        """Makes the forward loop push a value onto a new stack in each iteration.

        The push comes before the next iteration's. Called in the context `gradients` is called in.

        Args:
          value: The value, of the loop or of a cond in it.
          dead_branch: The value belongs to the branch of a cond that is not taken.

        Returns:
          The handle of the stack.

        Raises:
          TypeError: The value is neither in the loop nor in a cond.
        """
        with self.forward_index.graph.as_default() as graph:
            current = graph._get_control_flow_context()
            # Scopes open around the call to `gradients` must not hold back the forward loop.
            with graph.control_dependencies(None):
                with primitives.entered(current), graph.colocate_with(value):
                    compiled = contexts.is_in_xla_context(value.op)
                    stack = single(
                        "StackV2",
                        bounded_size(value, self.forward_context)
                        if compiled
                        else constant(-1, dtypes.int32),
                        elem_type=value.dtype.base_dtype,
                        name="f_acc",
                    )
                handle = self.forward_context.AddValue(stack)
                self._add_push(handle, value, dead_branch)
        return stack

    def _add_push(self, handle: Tensor, value: Tensor, dead_branch: bool) -> None:
        context = contexts.output_context(value.op)
        count = self.forward_index.op
        if context is self.forward_context:
            with primitives.entered(context):
                push = self._push(handle, value)
            count._add_control_input(push)
        else:
            if context is None or not context.IsCondContext():
                raise TypeError(f"value_ctxt is not a CondContext: {context}")
            with primitives.entered(context.outer_context if dead_branch else context):
                push = self._push(handle, value)
            if dead_branch:
                push._set_control_flow_context(context)
            self.forward_sync._add_control_input(push)
        push._add_control_input(count.inputs[0].op)

    def _push(self, handle: Tensor, value: Tensor) -> Operation:
        return single("StackPushV2", handle, value, swap_memory=self.forward_context.swap_memory).op

    def add_backprop_accumulated_value(
        self, history: Tensor, value: Tensor, dead_branch: bool = False
    ) -> Tensor:
        """Makes the backward loop pop a value that the forward loop has pushed.

        Args:
          history: The handle of the stack.
          value: The forward value; if it is in a cond, so is the pop.
          dead_branch: The value belongs to the branch that is not taken.

        Returns:
          The value of the forward iteration that the backward iteration belongs to.
        """
        cond = _cond_between(value.op._get_control_flow_context(), history)
        with scopes.control_dependencies(None), primitives.entered(self.grad_context):
            if cond is not None:
                branch = 1 - cond.branch if dead_branch else cond.branch
                history = primitives.switch_ref_or_tensor(history, self._saved_pred(cond))[branch]
            popped = single("StackPopV2", history, elem_type=value.dtype.base_dtype)
            popped.set_shape(value.get_shape())
        if self.grad_context.parallel_iterations > 1:
            self.grad_sync._add_control_input(popped.op)
        return popped

    def _saved_pred(self, cond: Any) -> Tensor:
        """The predicate of a cond as the backward loop knows it."""
        state: GradLoopState | None = self
        while state is not None:
            saved = state.history_map.get(cond.pred.name)
            if saved is not None:
                return saved
            state = state.outer_grad_state
        pred: Tensor = cond.pred
        return pred

    def GetRealValue(self, value: Tensor) -> Tensor:
        """What stands in the backward loop for a value of the forward loop.

        Invariants enter the backward loop like any other loop, constants are made again, all else
        comes from a stack. Called in the context of the backward loop.
        """
        found = self.history_map.get(value.name)
        if found is None:
            found = self.history_map[value.name] = self._find_real_value(value)
        return found

    def _find_real_value(self, value: Tensor) -> Tensor:
        current, state = value, self
        while (enter := predicates.loop_constant_enter(current)) is not None:
            current = enter.inputs[0]
            if state.outer_grad_state is None:
                invariant: Tensor = self.grad_context.AddValue(current)
                return invariant
            state = state.outer_grad_state
        if current.op.type == "Const":
            return constant(constant_value(current), dtype=current.dtype)
        self.grad_context.Exit()
        try:
            history = state.add_forward_accumulator(current)
        finally:
            self.grad_context.Enter()
        popped = state.add_backprop_accumulated_value(history, current)
        return popped if state is self else self.grad_context.AddValue(popped)


def _trigger(name: str, context: Any) -> Operation:
    with scopes.control_dependencies(None):
        trigger: Operation = apply_op("ControlTrigger", name=name)
    trigger._set_control_flow_context(context)
    return trigger


def _cond_between(context: Any, history: Tensor) -> Any:
    """The innermost cond around a value that its stack is outside of, or None."""
    outside = history.op._get_control_flow_context()
    while context and context is not outside:
        if context.IsCondContext():
            return context
        context = context.outer_context
    return None

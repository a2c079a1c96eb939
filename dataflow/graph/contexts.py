"""Which conditional or loop an operation is in, and whether one may use the outputs of another."""

from __future__ import annotations

from typing import Any, Protocol

from dataflow.graph.operation import Operation
from dataflow.values import logging

SWITCHES = ("Switch", "RefSwitch")
ENTERS = ("Enter", "RefEnter")
EXITS = ("Exit", "RefExit")


class Context(Protocol):
    """What a graph knows of a `dataflow.control_flow.context.ControlFlowContext`."""

    @property
    def outer_context(self) -> Any:
        """The context this one was opened in, or None."""

    @property
    def grad_state(self) -> Any:
        """What the gradient of the loop around keeps, or None outside of such a gradient."""

    def AddOp(self, op: Operation) -> None:
        """Takes up a new operation: brings its inputs in."""

    def IsWhileContext(self) -> bool:
        """True for a loop."""

    def IsCondContext(self) -> bool:
        """True for a branch of a conditional."""

    def IsXLAContext(self) -> bool:
        """True for what a program wants to be compiled."""


def output_context(op: Operation) -> Any:
    """The context that the outputs of an operation are in: those of an Exit are outside."""
    context = op._control_flow_context
    return context.outer_context if context is not None and op.type in EXITS else context


def while_context(op: Operation) -> Any:
    """The innermost loop an operation is in, or None."""
    return containing_while_context(op._control_flow_context)


def containing_while_context(context: Any, stop: Any = None) -> Any:
    """The innermost loop at or around a context, or `stop` if that comes first; else None."""
    while context is not None and not context.IsWhileContext() and context is not stop:
        context = context.outer_context
    return context


def containing_cond_context(context: Any) -> Any:
    """The innermost branch at or around a context, or None."""
    while context is not None and not context.IsCondContext():
        context = context.outer_context
    return context


def containing_xla_context(context: Any) -> Any:
    """The innermost context at or around a context that is to be compiled, or None."""
    while context is not None and not context.IsXLAContext():
        context = context.outer_context
    return context


def is_in_xla_context(op: Operation) -> bool:
    """True if an operation is in what a program wants to be compiled."""
    return containing_xla_context(op._control_flow_context) is not None


def is_containing_context(context: Any, maybe_containing: Any) -> bool:
    """True if the second context is the first one or around it; None is around everything."""
    while context is not maybe_containing:
        if context is None:
            return False
        context = context.outer_context
    return True


def op_in_context(op: Operation, context: Any) -> bool:
    """True if an operation is in a context or in one inside it."""
    return is_containing_context(op._control_flow_context, context)


def is_in_while_loop(op: Operation) -> bool:
    """True if an operation is in a loop."""
    return while_context(op) is not None


def is_in_cond(op: Operation) -> bool:
    """True if an operation is in a branch of a conditional."""
    return containing_cond_context(op._control_flow_context) is not None


def check_input_from_valid_context(op: Operation, input_op: Operation) -> None:
    """Checks that an operation may use what another one makes.

    A value of a loop can be used in that loop and in loops inside it; the backward loop of a
    gradient may also use the values of the forward loop.

    Raises:
      ValueError: It is in a loop that the operation is not in.
    """
    context, source = op._control_flow_context, output_context(input_op)
    if source is None or source is context:
        return
    loop, source_loop = containing_while_context(context), containing_while_context(source)
    if loop is None:
        # The nodes that take values in are in no context while they are made.
        if source_loop is None or op.type in ENTERS or op.type in SWITCHES:
            return
        text = (
            f"Cannot use '{input_op.name}' as input to '{op.name}' because "
            f"'{input_op.name}' is in a while loop."
        )
    else:
        if is_containing_context(loop, source_loop) or _related_by_gradient(loop, source_loop):
            return
        text = (
            f"Cannot use '{input_op.name}' as input to '{op.name}' because they are in "
            "different while loops."
        )
    logging.info(
        "%s\n\n%s while context: %s, made at %s\n%s while context: %s, made at %s",
        text,
        op.name,
        loop,
        op.traceback_line,
        input_op.name,
        source_loop,
        input_op.traceback_line,
    )
    raise ValueError(f"{text} See info log for more details.")


def _related_by_gradient(loop: Any, source_loop: Any) -> bool:
    """True if one loop is, or is just inside, the forward loop that the other is made for."""
    state = loop.grad_state
    if state is not None:
        forward = state.forward_context
        if is_containing_context(forward, source_loop) or forward is source_loop.outer_context:
            return True
    if source_loop.grad_state is None:
        return False
    forward = source_loop.grad_state.forward_context
    if forward is loop:
        return True
    return forward.grad_state is not None and forward.grad_state.forward_context is loop

"""What part an operation plays in a conditional or a loop."""

from __future__ import annotations

from dataflow.graph.contexts import (
    ENTERS,
    EXITS,
    SWITCHES,
    output_context,
)
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor


def is_switch(op: Operation) -> bool:
    """True for a Switch, of a value or of a reference."""
    return op.type in SWITCHES


def is_merge(op: Operation) -> bool:
    """True for a Merge, of values or of references."""
    return op.type in ("Merge", "RefMerge")


def is_enter(op: Operation) -> bool:
    """True for an Enter, of a value or of a reference."""
    return op.type in ENTERS


def is_exit(op: Operation) -> bool:
    """True for an Exit, of a value or of a reference."""
    return op.type in EXITS


def is_cond_switch(op: Operation) -> bool:
    """True for a Switch that brings a value into a branch.

    Such a Switch is not in the context of the branch itself; its consumers are.
    """
    if not is_switch(op):
        return False
    for output in op.outputs:
        for consumer in output.consumers():
            context = consumer._control_flow_context
            if is_enter(consumer):
                context = context.outer_context
            if context is None or not context.IsCondContext():
                return False
    return True


def is_cond_merge(op: Operation) -> bool:
    """True for a Merge that takes a value out of a conditional: its inputs are in branches."""
    if not is_merge(op) or not op.inputs:
        return False
    contexts = [output_context(tensor.op) for tensor in op.inputs]
    return all(context is not None and context.IsCondContext() for context in contexts)


def is_loop_switch(op: Operation) -> bool:
    """True for the Switch of a loop variable."""
    context = op._control_flow_context
    in_loop = is_switch(op) and context is not None and context.IsWhileContext()
    return in_loop and not is_cond_switch(op)


def is_loop_merge(op: Operation) -> bool:
    """True for the Merge of a loop variable."""
    context = op._control_flow_context
    in_loop = is_merge(op) and context is not None and context.IsWhileContext()
    return in_loop and not is_cond_merge(op)


def is_constant_enter(op: Operation) -> bool:
    """True for the Enter of a value that stays the same in all iterations."""
    return is_enter(op) and bool(op.attrs["is_constant"])


def loop_constant_enter(value: Tensor) -> Operation | None:
    """The Enter that a value comes from unchanged, if it stays the same in all iterations."""
    op = value.op
    while op.type in ("Switch", "RefSwitch", "Identity", "RefIdentity"):
        op = op.inputs[0].op
    return op if is_constant_enter(op) else None

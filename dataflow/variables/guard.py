"""Initial values made of other variables: what they read is there whatever is initialised first."""

from __future__ import annotations

from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor

_KNOWS_ITSELF = frozenset({"IsVariableInitialized", "VarIsInitializedOp", "ReadVariableOp", "If"})
_VARIABLES = frozenset({"Variable", "VariableV2", "VarHandleOp"})


def guarded_initial_value(name: str, initial_value: Tensor) -> Tensor:
    """The initial value, made of initialised values of the variables it depends on.

    Where it depends on variables, the operations between them and it are made a second time. A
    value that depends on itself, by way of a loop, stays as it is.

    Args:
      name: Name, or scope name, of the variable that the value is for.
      initial_value: The value asked for.
    """
    if _has_cycle(initial_value.op):
        return initial_value
    return _Guard(name).tensor(initial_value)


def check_outside_of_control_flow(name: str, initial_value: Tensor) -> None:
    """Raises a ValueError for a value that is only there in a branch or a loop."""
    if initial_value.op._get_control_flow_context() is not None:
        raise ValueError(
            f"Initializer for variable {name} is from inside a control-flow construct, "
            "such as a loop or conditional. When creating a variable inside a loop or "
            "conditional, use a lambda as the initializer."
        )


def _has_cycle(start: Operation) -> bool:
    """True if an operation is among those it depends on, or one of those is."""
    open_ops: set[Operation] = set()
    done: set[Operation] = set()
    stack: list[tuple[Operation, bool]] = [(start, False)]
    while stack:
        op, left = stack.pop()
        if left:
            open_ops.discard(op)
            done.add(op)
            continue
        if op in done:
            continue
        open_ops.add(op)
        stack.append((op, True))
        for source in (*(t.op for t in op.inputs), *op.control_inputs):
            if source in open_ops:
                return True
            if source not in done:
                stack.append((source, False))
    return False


class _Guard:
    """Rebuilds what an initial value is made of."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rebuilt: dict[Operation, Operation] = {}

    def tensor(self, tensor: Tensor) -> Tensor:
        """The tensor itself, or its counterpart."""
        for op in _in_order(tensor.op):
            self._rebuilt[op] = self._rebuild(op)
        return self._counterpart(tensor)

    def _counterpart(self, tensor: Tensor) -> Tensor:
        found = self._rebuilt[tensor.op]
        return tensor if found is tensor.op else found.outputs[tensor.value_index]

    def _rebuild(self, op: Operation) -> Operation:
        if op.type in _KNOWS_ITSELF:
            return op
        if op.type in _VARIABLES:
            value = _initialized_value_of(op)
            return op if value is None else value.op
        inputs = list(map(self._counterpart, op.inputs))
        if all(new is old for new, old in zip(inputs, op.inputs, strict=True)):
            return op
        op_type = "Switch" if op.type == "RefSwitch" else op.type
        name = f"{op.name}_{self._name}".replace(":", "_")
        return op.graph.create_op(op_type, inputs, name=name, attrs=dict(op.attrs))


def _in_order(last: Operation) -> list[Operation]:
    """An operation and those it takes inputs from, producers first."""
    order: list[Operation] = []
    seen: set[Operation] = set()
    stack: list[tuple[Operation, bool]] = [(last, False)]
    while stack:
        op, entered = stack.pop()
        if entered:
            order.append(op)
        elif op not in seen:
            seen.add(op)
            stack.append((op, True))
            stack += [(t.op, False) for t in reversed(_sources(op)) if t.op not in seen]
    return order


def _sources(op: Operation) -> tuple[Tensor, ...]:
    """The inputs that must have a value, as far as they may have to be rebuilt."""
    return () if op.type in _KNOWS_ITSELF else op.inputs


def _initialized_value_of(op: Operation) -> Any:
    names = (op.name, f"{op.name}:0")
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for variable in op.graph.get_collection(key):
            if variable.name in names:
                return variable.initialized_value()
    return None

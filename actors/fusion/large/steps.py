"""Puts the steps of kernels that tell them in the place of the nodes of a cluster."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.actors.nodes.binding import Adapter, Binding, CallKind
from dataflow.actors.nodes.plan_node import NOT_CONSTANT, PlanNode, Seen
from dataflow.kernels.elementwise.formula import Step, steps_told

_MOST: Final = 32
"""Steps of a node: of long sums a function would be too long for the compiler."""


class _Value(NamedTuple):
    """What a step takes or gives."""

    slot: int
    seen: Seen
    adapter: Adapter | None = None
    constant: Any = NOT_CONSTANT


def in_steps(nodes: Sequence[PlanNode]) -> list[PlanNode]:
    """The nodes, and one for each step in the place of those that tell some; all have slots.

    Args:
      nodes: Measured nodes in an order in which they can run.
    """
    slots = _Slots(1 + max(slot for node in nodes for slot in (*node.inputs, *node.outputs)))
    found: list[PlanNode] = []
    for node in nodes:
        if node.outputs[0] < 0:
            node = copy.copy(node)
            node.outputs = (slots.new(),)
        steps = _steps_of(node)
        found += _expanded(node, steps, slots) if steps else [node]
    return found


def _steps_of(node: PlanNode) -> Sequence[Step]:
    """What takes the place of a node: functions of its operands' type; nothing if it stays."""
    steps = steps_told(node.call)
    if len(steps) > _MOST:
        return ()
    is_wide = node.seen[-1].dtype.char in "fd"
    are_functions = all(type(getattr(np, step.function)) is np.ufunc for step in steps)
    return steps if is_wide and are_functions else ()


class _Slots:
    """Slots that no node of the cluster has."""

    def __init__(self, first: int) -> None:
        self._next = first
        self._numbers: dict[Any, _Value] = {}

    def new(self) -> int:
        self._next += 1
        return self._next - 1

    def of_number(self, number: np.generic) -> _Value:
        """What stands for a number, everywhere the same."""
        key = (number.dtype, number.tobytes())
        if key not in self._numbers:
            seen = Seen((), number.dtype, is_array=False)
            self._numbers[key] = _Value(self.new(), seen, constant=number)
        return self._numbers[key]


def _expanded(node: PlanNode, steps: Sequence[Step], slots: _Slots) -> list[PlanNode]:
    result = node.seen[-1]
    constants = node.constants or (NOT_CONSTANT,) * len(node.inputs)
    inputs = zip(node.inputs, node.seen[:-1], node.adapters, constants, strict=True)
    values = [_Value(*one) for one in inputs]
    nodes = []
    for number, step in enumerate(steps, 1):
        operands = [
            values[o]
            if isinstance(o, int)
            else slots.of_number(result.dtype.type(float.fromhex(o)))
            for o in step.operands
        ]
        made = node.outputs[0] if number == len(steps) else slots.new()
        seen = result._replace(dtype=np.dtype(np.bool_)) if step.is_truth else result
        values.append(_Value(made, seen))
        nodes.append(_node_of(node, step, operands, values[-1]))
    return nodes


def _node_of(node: PlanNode, step: Step, operands: Sequence[_Value], made: _Value) -> PlanNode:
    adapters = tuple(one.adapter for one in operands)
    function = getattr(np, step.function)
    binding = Binding(function, CallKind.PLAIN, adapters, elementwise=True)
    inputs = tuple(one.slot for one in operands)
    found = PlanNode(node.index, node.name, node.op, binding, inputs)
    found.outputs = (made.slot,)
    found.constants = tuple(one.constant for one in operands)
    found.seen = tuple(one.seen for one in (*operands, made))
    return found

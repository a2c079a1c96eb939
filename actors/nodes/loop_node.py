"""A loop of a plan: the nodes that each iteration runs, and the values that go round."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence, Set
from typing import Any

from dataflow.actors.nodes.binding import ENDS, Binding, CallKind
from dataflow.actors.nodes.guard_order import order_by_guard
from dataflow.actors.nodes.plan_node import NOT_CONSTANT, PlanNode

_OWN_WEIGHT = 4
"""Lines of a loop beside those of its nodes."""

_COSTLY = 50e-6
"""Seconds from which a node is taken to work outside of the interpreter."""


class LoopNode(PlanNode):
    """A loop as one node of its plan, or of the loop around it.

    It runs `nodes` again and again. One of them, REPEAT, stands where the condition holds and gives
    the variables their next values; another, LEAVE, where it does not, and fills the results.
    """

    __slots__ = (
        "dropped",
        "left_over",
        "made",
        "nodes",
        "predecessors",
        "starts",
        "used",
        "variables",
        "weight",
    )

    def __init__(
        self,
        index: int,
        name: str,
        variables: Sequence[int],
        starts: Sequence[int],
        nodes: Sequence[PlanNode],
        predecessors: Sequence[Sequence[int]],
    ) -> None:
        """Puts the nodes of an iteration in order.

        Args:
          index: The node's index.
          name: The loop's name.
          variables: Slots of the values that change.
          starts: Slots of their first values.
          nodes: What runs in an iteration.
          predecessors: For each the positions of those that it follows.
        """
        super().__init__(index, name, "while", Binding(_not_called, CallKind.LOOP), ())
        self.variables = tuple(variables)
        self.starts = tuple(starts)
        self._set_nodes(order_by_guard(nodes, predecessors))
        place = {id(node): i for i, node in enumerate(self.nodes)}
        before: list[tuple[int, ...]] = [()] * len(nodes)
        for node, earlier in zip(nodes, predecessors, strict=True):
            before[place[id(node)]] = tuple(place[id(nodes[j])] for j in earlier)
        self.predecessors: Sequence[Sequence[int]] = before
        """For each node the positions of those that it follows."""

    def with_nodes(
        self, nodes: Sequence[PlanNode], predecessors: Sequence[Sequence[int]]
    ) -> LoopNode:
        """A loop that runs other nodes for the same values, in the order given."""
        loop = copy.copy(self)
        loop._set_nodes(nodes)
        loop.predecessors = predecessors
        return loop

    def _set_nodes(self, nodes: Sequence[PlanNode]) -> None:
        self.nodes = nodes
        variables = self.variables
        self.made = frozenset(made_by(self.nodes)) | frozenset(variables)
        """Slots of all values that are made in it."""
        read = dict.fromkeys(slot for node in self.nodes for slot in slots_read(node))
        self.used = tuple(slot for slot in read if slot not in self.made)
        """Slots filled outside that its nodes read."""
        self.inputs = tuple(dict.fromkeys((*self.used, *self.starts)))
        self.adapters = (None,) * len(self.inputs)
        ends = [node for node in self.nodes if node.kind in ENDS]
        moved = {slot for node in ends for slot in slots_read(node)}
        self.dropped = last_uses(self.nodes, self.made.difference(variables, moved))
        """For a node index the slots that nobody reads after it in the iteration."""
        self.left_over = tuple(self.made.intersection((*variables, *moved)))
        """Slots that still hold values when the loop is over."""
        self.weight = _OWN_WEIGHT + sum(map(weight, self.nodes))
        (leave,) = (node for node in self.nodes if node.kind is CallKind.LEAVE)
        self.outputs = leave.outputs

    def measure(self, seconds: float, divisible: float = 0.0, saved: float = 0.0) -> None:
        """Takes note of how long a run took; it counts only where other threads can run then.

        Small nodes never let go of the interpreter's lock.
        """
        costs = [node.cost for node in self.nodes]
        if max(costs) < _COSTLY:
            seconds, divisible, saved = min(seconds, _COSTLY), 0.0, 0.0
        super().measure(seconds, divisible, saved)


def slots_read(node: PlanNode) -> tuple[int, ...]:
    """The slots whose values a node needs, its predicates' among them."""
    if node.kind is CallKind.NOTHING:
        return ()
    if not node.guard:
        return node.inputs
    return (*node.inputs, *(test.slot for test in node.guard))


def made_by(nodes: Sequence[PlanNode]) -> list[int]:
    """The slots that nodes fill, also inside of loops."""
    made: list[int] = []
    for node in nodes:
        if isinstance(node, LoopNode):
            made += node.made
        elif node.kind is not CallKind.NOTHING:
            made += (slot for slot in node.outputs if slot >= 0)
    return made


def last_uses(nodes: Sequence[PlanNode], slots: Set[int]) -> dict[int, list[int]]:
    """For the index of a node those of the slots that no later node reads."""
    last: dict[int, int] = {}
    for node in nodes:
        for slot in slots_read(node):
            last[slot] = node.index
    dropped: dict[int, list[int]] = {}
    for slot, index in last.items():
        if slot in slots:
            dropped.setdefault(index, []).append(slot)
    return dropped


def weight(node: PlanNode) -> int:
    """About how many lines of code the node makes."""
    if isinstance(node, LoopNode):
        return node.weight
    return 0 if node.kind is CallKind.NOTHING else 1 + len(node.guard) // 2


def know_constants(nodes: Sequence[PlanNode], values: Mapping[int, Any]) -> None:
    """Tells nodes, those of loops too, which of their inputs are constants of the plan.

    Args:
      nodes: The nodes.
      values: The constants by slot.
    """
    for node in nodes:
        if isinstance(node, LoopNode):
            know_constants(node.nodes, values)
        elif any(slot in values for slot in node.inputs):
            node.constants = tuple(values.get(slot, NOT_CONSTANT) for slot in node.inputs)


def _not_called() -> None:
    """A loop has no kernel."""

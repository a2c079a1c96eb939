"""Puts single nodes in the place of groups of a plan's nodes, also of those of its loops."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.waiting import awaited_anyway
from dataflow.actors.nodes.binding import Adapter, Binding, CallKind
from dataflow.actors.nodes.loop_node import LoopNode
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.actors.step.step import Step


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Nodes of a plan in an order in which they can run, of which some may become one."""

    nodes: Sequence[PlanNode]
    predecessors: Sequence[Sequence[int]]
    """For each node the positions of those that it follows."""
    kept: Set[int]
    """Slots that others than these nodes read."""
    lines: Lines
    """Where the lines of code that runs merged nodes one by one are written down."""

    def followers(self) -> Mapping[int, Sequence[int]]:
        """The positions of the nodes that come after each, if there are any."""
        found: dict[int, list[int]] = {}
        for position, before in enumerate(self.predecessors):
            for earlier in before:
                found.setdefault(earlier, []).append(position)
        return found

    def handed_on(self, position: int) -> int | None:
        """The slot of a node's only output if none but these nodes read it."""
        outputs = self.nodes[position].outputs
        is_inner = len(outputs) == 1 and outputs[0] >= 0 and outputs[0] not in self.kept
        return outputs[0] if is_inner else None

    def may_be_one(self, keys: Sequence[Hashable]) -> Sequence[Hashable]:
        """Keys that let nodes become one which share a key already.

        Where some wait for what is outside, only those share one that make nothing wait in vain.
        """
        blocking = [node.kind is CallKind.BLOCKING for node in self.nodes]
        if not any(blocking):
            return keys
        awaited = awaited_anyway(blocking, self.predecessors)
        return [
            None if key is None else (key, others)
            for key, others in zip(keys, awaited, strict=True)
        ]

    def put_in_place(self, made: Sequence[tuple[PlanNode, Sequence[int]]]) -> Arrangement:
        """The nodes that are left, in an order as before.

        Args:
          made: The new nodes, each with the positions of its group. No way may lead out of a group
            and back.
        """
        if not made:
            return self
        inside = {i for _, group in made for i in group}
        units = [*made, *((node, (i,)) for i, node in enumerate(self.nodes) if i not in inside)]
        unit_of = {member: unit for unit, (_, group) in enumerate(units) for member in group}
        before = [
            {unit_of[j] for i in group for j in self.predecessors[i]} - {unit}
            for unit, (_, group) in enumerate(units)
        ]
        after: list[list[int]] = [[] for _ in units]
        waiting = [len(found) for found in before]
        for unit, found in enumerate(before):
            for earlier in found:
                after[earlier].append(unit)
        # Each stands where the last of its group stood, unless something of it came before.
        ready = [(max(group), unit) for unit, (_, group) in enumerate(units) if not waiting[unit]]
        heapq.heapify(ready)
        order: list[int] = []
        while ready:
            unit = heapq.heappop(ready)[1]
            order.append(unit)
            for later in after[unit]:
                waiting[later] -= 1
                if not waiting[later]:
                    heapq.heappush(ready, (max(units[later][1]), later))
        place = {unit: position for position, unit in enumerate(order)}
        return replace(
            self,
            nodes=[units[unit][0] for unit in order],
            predecessors=[tuple(sorted(place[i] for i in before[unit])) for unit in order],
        )


class MergedNode(PlanNode):
    """Nodes of a plan as one."""

    __slots__ = ("nodes",)

    def __init__(
        self,
        nodes: Sequence[PlanNode],
        run: Callable[..., Any],
        inputs: Sequence[int],
        outputs: Sequence[int],
        timed: Sequence[PlanNode] = (),
    ) -> None:
        """Stands where the last of the nodes stood.

        Args:
          nodes: The nodes in the order to run them, which depend on the same predicates.
          run: Takes the step and the inputs, gives the outputs.
          inputs: Slots of the inputs.
          outputs: Slots of the outputs.
          timed: Those of them whose times it takes, until it is measured itself.
        """
        last = nodes[-1]
        binding = Binding(run, CallKind.STEP, (None,) * len(inputs))
        super().__init__(last.index, last.name, last.op, binding, tuple(inputs))
        self.nodes = tuple(nodes)
        self.outputs = tuple(outputs)
        self.guard = last.guard
        self.leaves = any(node.leaves for node in nodes)
        self.cost = sum(node.cost for node in timed)
        self.divisible = sum(node.divisible for node in timed)
        self.saved = sum(node.saved for node in timed)


class Rewritten(MergedNode):
    """Nodes of a plan as one, that are run one by one where values do not fit."""

    __slots__ = ("_one_by_one",)

    def __init__(
        self,
        nodes: Sequence[PlanNode],
        inputs: Sequence[int],
        outputs: Sequence[int],
        lines: Lines,
        timed: Sequence[PlanNode] = (),
    ) -> None:
        """Stands where the last of the nodes stood.

        Args:
          nodes: The nodes in the order to run them, which depend on the same predicates.
          inputs: Slots of the inputs.
          outputs: Slots of the outputs.
          lines: Where the lines of code that runs them one by one are written down.
          timed: Those of them whose times it takes, until it is measured itself.
        """
        super().__init__(nodes, self.run, inputs, outputs, timed)
        self._one_by_one = OneByOne(nodes, inputs, outputs, lines)

    def run(self, step: Step, *values: Any) -> Any:
        """Gives the outputs for values of the inputs."""
        try:
            found = self.together(*values)
        except Exception:
            # Fails again, and so says which of the nodes it was.
            self._one_by_one(step, values)
            raise
        return self._one_by_one(step, values) if found is None else found

    def together(self, *values: Any) -> Any:
        """The output for values of the inputs; None if they do not fit."""
        raise NotImplementedError


def is_plain(node: PlanNode) -> bool:
    """Whether it only computes one output, of values as they are."""
    return node.kind is CallKind.PLAIN and len(node.outputs) == 1 and not any(node.adapters)


def adapted(values: Sequence[Any], adapters: Sequence[Adapter | None]) -> list[Any]:
    """Values as nodes read them."""
    return [
        value if adapter is None else adapter(value)
        for value, adapter in zip(values, adapters, strict=True)
    ]


Merge = Callable[[Arrangement], Arrangement]
"""Puts single nodes in the place of some groups."""


def merge_all(arranged: Arrangement, merges: Sequence[Merge]) -> Arrangement:
    """Calls functions one after the other, for the nodes of each loop as for those around it."""
    nodes = [
        _merge_in_loop(node, merges, arranged.lines) if isinstance(node, LoopNode) else node
        for node in arranged.nodes
    ]
    if any(one is not other for one, other in zip(nodes, arranged.nodes, strict=True)):
        arranged = replace(arranged, nodes=nodes)
    for merge in merges:
        arranged = merge(arranged)
    return arranged


def _merge_in_loop(loop: LoopNode, merges: Sequence[Merge], lines: Lines) -> LoopNode:
    inside = Arrangement(loop.nodes, loop.predecessors, frozenset(), lines)
    found = merge_all(inside, merges)
    if found is inside:
        return loop
    return loop.with_nodes(found.nodes, found.predecessors)


def inputs_of(nodes: Sequence[PlanNode]) -> tuple[int, ...]:
    """The slots that nodes take from others, in the order in which they first do."""
    made = {slot for node in nodes for slot in node.outputs}
    read = dict.fromkeys(slot for node in nodes for slot in node.inputs)
    return tuple(slot for slot in read if slot not in made)

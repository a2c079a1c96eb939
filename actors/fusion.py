"""Finds clusters of elementwise nodes over large arrays, and makes one node of each.

Two such nodes that follow one another can be one if no way leads from the first to the second over
a node outside. So nodes get levels: along an edge the level rises where the edge enters or leaves
the elementwise nodes of one shape. Connected ones of one shape and level then make a cluster: a way
out of it and back would have to rise.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Hashable, Sequence, Set
from types import CodeType
from typing import Final

import numpy as np

from dataflow.actors.binding import Binding, CallKind
from dataflow.actors.fused_code import Cluster
from dataflow.actors.loop_node import slots_read
from dataflow.actors.plan_node import PlanNode, Seen

SMALLEST: Final = 1 << 16
"""Elements from which on a cluster pays."""
_SMALLEST_LONE: Final = 1 << 18
"""Elements from which on it pays for a single node."""
_LONGEST: Final = 400
"""Nodes of a cluster: the compiler's time grows faster than the length of a function."""

Predecessors = Sequence[Sequence[int]]


class FusedNode(PlanNode):
    """A cluster as one node of its plan."""

    __slots__ = ("cluster",)

    def __init__(
        self,
        nodes: Sequence[PlanNode],
        outputs: Sequence[int],
        lines: dict[CodeType, tuple[PlanNode, ...]],
    ) -> None:
        made = {slot for node in nodes for slot in node.outputs}
        read = dict.fromkeys(slot for node in nodes for slot in node.inputs)
        inputs = tuple(slot for slot in read if slot not in made)
        self.cluster = Cluster(nodes, inputs, outputs, lines)
        cost = sum(node.cost for node in nodes)
        binding = Binding(self.cluster.run, CallKind.STEP, (None,) * len(inputs), (), cost)
        last = nodes[-1]
        super().__init__(last.index, last.name, last.op, binding, inputs)
        self.has_declared_cost = False
        self.divisible = sum(node.divisible for node in nodes)
        self.saved = sum(node.saved for node in nodes)
        self.outputs = tuple(outputs)
        self.guard = last.guard

    def note_dying(self, slots: Collection[int]) -> None:
        """Tells it which of its inputs nobody reads after it."""
        self.cluster.dying = frozenset(i for i, slot in enumerate(self.inputs) if slot in slots)


def fuse(
    nodes: Sequence[PlanNode],
    predecessors: Predecessors,
    kept: Set[int],
    lines: dict[CodeType, tuple[PlanNode, ...]],
) -> tuple[list[PlanNode], list[tuple[int, ...]]]:
    """Puts clusters in the place of their nodes.

    Args:
      nodes: The nodes of a plan, measured, in an order in which they can run.
      predecessors: For each the positions of those that it follows.
      kept: Slots that others than these nodes read.
      lines: Where the lines of code that runs a cluster's nodes one by one are written down.

    Returns:
      The nodes and their predecessors, in an order in which they can run.
    """
    found = connected([_key(node) for node in nodes], predecessors)
    # Stretches of a cluster are clusters too: none leads back to an earlier one.
    pieces = [m[i : i + _LONGEST] for m in found for i in range(0, len(m), _LONGEST)]
    groups = [piece for piece in pieces if len(piece) > 1 or _pays_alone(nodes[piece[0]])]
    return put_together(
        nodes, predecessors, kept, groups, lambda own, outputs: FusedNode(own, outputs, lines)
    )


def put_together(
    nodes: Sequence[PlanNode],
    predecessors: Predecessors,
    kept: Set[int],
    groups: Sequence[Sequence[int]],
    make: Callable[[Sequence[PlanNode], Sequence[int]], PlanNode],
) -> tuple[list[PlanNode], list[tuple[int, ...]]]:
    """Puts single nodes in the place of groups.

    Args:
      nodes: The nodes of a plan, in an order in which they can run.
      predecessors: For each the positions of those that it follows.
      kept: Slots that others than these nodes read.
      groups: Positions, ascending. No way may lead out of a group and back.
      make: Makes a node of the nodes of a group and of the slots that others read.

    Returns:
      The nodes and their predecessors, in an order in which they can run.
    """
    if not groups:
        return list(nodes), [tuple(before) for before in predecessors]
    group_of = {member: number for number, group in enumerate(groups) for member in group}
    readers = _outside_readers(nodes, group_of)
    units: list[tuple[PlanNode, Sequence[int]]] = []
    for group in groups:
        made = [slot for member in group for slot in nodes[member].outputs]
        outputs = [slot for slot in made if slot in kept or slot in readers]
        units.append((make([nodes[i] for i in group], outputs), group))
    units += [(node, (i,)) for i, node in enumerate(nodes) if i not in group_of]
    return _ordered(units, predecessors)


def connected(keys: Sequence[Hashable], predecessors: Predecessors) -> list[list[int]]:
    """The positions of connected nodes of one key that can be one node, ascending.

    Args:
      keys: One for each node, in an order in which they can run; None for those in no group.
      predecessors: For each the positions of those that it follows.
    """
    levels = [0] * len(keys)
    heads = list(range(len(keys)))
    for i, before in enumerate(predecessors):
        for j in before:
            together = keys[i] is not None and keys[i] == keys[j]
            rises = not together and (keys[i] is not None or keys[j] is not None)
            levels[i] = max(levels[i], levels[j] + rises)
        if keys[i] is not None:
            for j in before:
                if keys[j] == keys[i] and levels[j] == levels[i]:
                    heads[_head(heads, i)] = _head(heads, j)
    members: dict[int, list[int]] = {}
    for i, key in enumerate(keys):
        if key is not None:
            members.setdefault(_head(heads, i), []).append(i)
    return list(members.values())


def _head(heads: list[int], node: int) -> int:
    while heads[node] != node:
        heads[node] = heads[heads[node]]
        node = heads[node]
    return node


def _key(node: PlanNode) -> Hashable:
    """What nodes of one cluster have in common; None if the node cannot be in any."""
    if not node.seen or node.kind is not CallKind.PLAIN or len(node.outputs) != 1:
        return None
    output = node.seen[-1]
    if node.outputs[0] < 0 or node.aliases or not output.is_array or _size(output) < SMALLEST:
        return None
    if any(seen.dtype.kind not in "biufc" for seen in node.seen):
        return None
    inputs = node.seen[:-1]
    if not any(seen.shape == output.shape for seen in inputs):
        return None
    # Functions broadcast; of other kernels some want operands of one shape.
    if not node.broadcasts and any(s.shape not in ((), output.shape) for s in inputs):
        return None
    return output.shape, node.guard


def _size(seen: Seen) -> int:
    size = 1
    for length in seen.shape:
        size *= length
    return size


def _pays_alone(node: PlanNode) -> bool:
    fills = type(node.call) is np.ufunc or node.takes_out
    return fills and _size(node.seen[-1]) >= _SMALLEST_LONE


def _outside_readers(nodes: Sequence[PlanNode], group_of: dict[int, int]) -> set[int]:
    """The slots that a node outside of the cluster that fills it reads."""
    filled = {slot: group_of.get(i, -1) for i, node in enumerate(nodes) for slot in node.outputs}
    return {
        slot
        for i, node in enumerate(nodes)
        for slot in slots_read(node)
        if filled.get(slot, -1) != group_of.get(i, -1) or i not in group_of
    }


def _ordered(
    units: Sequence[tuple[PlanNode, Sequence[int]]], predecessors: Predecessors
) -> tuple[list[PlanNode], list[tuple[int, ...]]]:
    """The nodes in an order in which they can run, and the positions that each follows."""
    unit_of = {member: unit for unit, (_, group) in enumerate(units) for member in group}
    before = [
        {unit_of[j] for i in group for j in predecessors[i]} - {unit}
        for unit, (_, group) in enumerate(units)
    ]
    after: list[list[int]] = [[] for _ in units]
    waiting = [len(found) for found in before]
    for unit, found in enumerate(before):
        for earlier in found:
            after[earlier].append(unit)
    # Otherwise in the order in which the nodes stood.
    ready = [(group[-1], unit) for unit, (_, group) in enumerate(units) if not waiting[unit]]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        unit = heapq.heappop(ready)[1]
        order.append(unit)
        for later in after[unit]:
            waiting[later] -= 1
            if not waiting[later]:
                heapq.heappush(ready, (units[later][1][-1], later))
    place = {unit: position for position, unit in enumerate(order)}
    return (
        [units[unit][0] for unit in order],
        [tuple(sorted(place[earlier] for earlier in before[unit])) for unit in order],
    )

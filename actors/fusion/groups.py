"""Finds groups of connected nodes that can be one, and puts single nodes in their place.

Nodes are run through as if they ran: those of no key as soon as they can, then all of one key that
can run without others in between, and so on. No way leads from one of such a batch to another of it
over a node outside; connected ones make a group.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Sequence, Set

from dataflow.actors.fusion.merged_nodes import Arrangement
from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.nodes.loop_node import slots_read
from dataflow.actors.nodes.plan_node import Lines, PlanNode


def connected(
    keys: Sequence[Hashable],
    predecessors: Sequence[Sequence[int]],
    free: Set[int] = frozenset(),
) -> list[list[int]]:
    """The positions of connected nodes of one key that can be one node, ascending.

    Args:
      keys: One for each node, in an order in which they can run; None for those in no group.
      predecessors: For each the positions of those that it follows.
      free: Those without a key that do nothing but order others: what stands between nodes of a
        group is part of it.
    """
    after: list[list[int]] = [[] for _ in keys]
    for i, before in enumerate(predecessors):
        for j in before:
            after[j].append(i)
    batches = _Batches(keys, free, after)
    batches.run_through([len(before) for before in predecessors])
    batches.delay()
    batch_of = batches.batch_of
    heads = list(range(len(keys)))
    for i, before in enumerate(predecessors):
        for j in before:
            if batch_of[i] is not None and batch_of[i] == batch_of[j]:
                heads[_head(heads, i)] = _head(heads, j)
    members: dict[int, list[int]] = {}
    for i, batch in enumerate(batch_of):
        if batch is not None:
            members.setdefault(_head(heads, i), []).append(i)
    return [group for group in members.values() if any(keys[i] is not None for i in group)]


class _Batches:
    """Nodes as they run, those of one key together."""

    def __init__(
        self, keys: Sequence[Hashable], free: Set[int], after: Sequence[Sequence[int]]
    ) -> None:
        self._keys, self._free, self._after = keys, free, after
        self._times = [0] * len(keys)
        """How many batches have begun when a node runs."""
        self.batch_of: list[int | None] = [None] * len(keys)
        """The number of the batch that a node is in; None if it is in none."""

    def run_through(self, waiting: list[int]) -> None:
        """Finds the batches.

        Args:
          waiting: For each node how many others it follows.
        """
        keys = self._keys
        ready: dict[Hashable, list[int]] = {}
        for i, count in enumerate(waiting):
            if not count:
                ready.setdefault(keys[i], []).append(i)
        batch = 0
        while ready:
            # Without a key first, then the one of the node that came first.
            key = None if None in ready else min(ready, key=lambda key: ready[key][0])
            batch += key is not None
            nodes = ready.pop(key)
            while nodes:
                i = heapq.heappop(nodes)
                self._times[i] = batch
                self.batch_of[i] = batch if key is not None else None
                for j in self._after[i]:
                    waiting[j] -= 1
                    if not waiting[j]:
                        goes_on = keys[j] == key or j in self._free
                        heapq.heappush(nodes if goes_on else ready.setdefault(keys[j], []), j)

    def delay(self) -> None:
        """Puts nodes in the batch of the first that reads them, if that is one of their key.

        What (x - mean) is multiplied by is known after the differences were needed for the
        variance.
        """
        keys, times = self._keys, self._times
        for i in range(len(keys) - 1, -1, -1):
            if keys[i] is None or not self._after[i]:
                continue
            first = min(times[j] for j in self._after[i])
            if first == times[i]:
                continue
            # Others follow the batch that began last.
            if all(times[j] > first or keys[j] == keys[i] for j in self._after[i]):
                times[i] = self.batch_of[i] = first


def _head(heads: list[int], node: int) -> int:
    while heads[node] != node:
        heads[node] = heads[heads[node]]
        node = heads[node]
    return node


def put_together(
    arranged: Arrangement,
    groups: Sequence[Sequence[int]],
    make: Callable[[Sequence[PlanNode], Sequence[int], Lines], PlanNode | None],
) -> Arrangement:
    """Puts single nodes in the place of groups.

    Args:
      arranged: The nodes.
      groups: Positions, ascending. No way may lead out of a group and back.
      make: Makes a node of the nodes of a group, of the slots that others read, and of `lines`; or
        none, which leaves them as they are.
    """
    if not groups:
        return arranged
    nodes = arranged.nodes
    group_of = {member: number for number, group in enumerate(groups) for member in group}
    readers = _outside_readers(nodes, group_of)
    made: list[tuple[PlanNode, Sequence[int]]] = []
    for group in groups:
        filled = [slot for member in group for slot in nodes[member].outputs]
        outputs = [slot for slot in filled if slot in arranged.kept or slot in readers]
        parts = [nodes[i] for i in group if nodes[i].kind is not CallKind.NOTHING]
        node = make(parts, outputs, arranged.lines)
        if node is not None:
            made.append((node, group))
    return arranged.put_in_place(made)


def _outside_readers(nodes: Sequence[PlanNode], group_of: dict[int, int]) -> set[int]:
    """The slots that a node outside of the cluster that fills it reads."""
    filled = {slot: group_of.get(i, -1) for i, node in enumerate(nodes) for slot in node.outputs}
    return {
        slot
        for i, node in enumerate(nodes)
        for slot in slots_read(node)
        if filled.get(slot, -1) != group_of.get(i, -1) or i not in group_of
    }

"""Orders the nodes of a segment or loop so that those of one branch stand together."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dataflow.actors.nodes.binding import CallKind

if TYPE_CHECKING:
    from dataflow.actors.nodes.plan_node import Condition, PlanNode


class _Branch:
    """The nodes that can run under one guard, and those under guards that add to it."""

    __slots__ = ("active", "branches", "parent", "ready", "test")

    def __init__(self, parent: _Branch | None, test: Condition | None) -> None:
        self.parent = parent
        self.test = test
        self.ready: list[int] = []
        """A heap of positions."""
        self.branches: dict[tuple[int, int], _Branch] = {}
        self.active: dict[_Branch, None] = {}
        """Branches in which something can run, in the order in which they came to it."""

    def inner(self, test: Condition) -> _Branch:
        """The branch a test leads to from here."""
        key = test.slot, test.branch
        found = self.branches.get(key)
        if found is None:
            found = self.branches[key] = _Branch(self, test)
        return found

    @property
    def is_idle(self) -> bool:
        """True if nothing can run in it now."""
        return not self.ready and not self.active

    def push(self, position: int) -> None:
        """Takes up a node that can run."""
        heapq.heappush(self.ready, position)
        branch = self
        while branch.parent is not None and branch not in branch.parent.active:
            branch.parent.active[branch] = None
            branch = branch.parent

    def pop(self) -> int:
        """Gives the node to run next."""
        position = heapq.heappop(self.ready)
        branch = self
        while branch.parent is not None and branch.is_idle:
            del branch.parent.active[branch]
            branch = branch.parent
        return position

    def other_side(self) -> _Branch | None:
        """Another branch of the same predicate, in which something can run."""
        if self.parent is None or self.test is None:
            return None
        for branch in range(self.test.ways):
            found = self.parent.branches.get((self.test.slot, branch))
            if found is not None and not found.is_idle:
                return found
        return None


def order_by_guard(
    nodes: Sequence[PlanNode], predecessors: Sequence[Sequence[int]]
) -> list[PlanNode]:
    """The nodes in an order in which they can run, with few changes from branch to branch.

    What changes a variable stays behind those before it that read the variable, though they may be
    in a branch: in TensorFlow, too, a step mostly reads what it had at its start.

    Args:
      nodes: The nodes.
      predecessors: For each the positions, among these nodes, of those that it follows.
    """
    root = _Branch(None, None)
    places = [_place(root, node) for node in nodes]
    if any(node.guard for node in nodes):
        predecessors = _reads_first(nodes, predecessors)
    waiting = [len(before) for before in predecessors]
    successors: list[list[int]] = [[] for _ in nodes]
    for position, before in enumerate(predecessors):
        for earlier in before:
            successors[earlier].append(position)
    order: list[PlanNode] = []
    current = root
    free = [position for position in range(len(nodes)) if not waiting[position]]
    while True:
        # What makes no code stands anywhere.
        while free:
            position = free.pop()
            if nodes[position].kind is not CallKind.NOTHING:
                places[position].push(position)
                continue
            order.append(nodes[position])
            free += _released(successors[position], waiting)
        following = _next_branch(current)
        if following is None:
            return order
        current = following
        position = current.pop()
        order.append(nodes[position])
        free += _released(successors[position], waiting)


def _reads_first(
    nodes: Sequence[PlanNode], predecessors: Sequence[Sequence[int]]
) -> list[Sequence[int]]:
    """What each node follows, with the reads that stand before what changes the variable."""
    found = list(predecessors)
    variables: dict[int, int] = {}
    """By the slot that holds a variable's cell: the slot that the variable itself fills."""
    readers: dict[int, list[int]] = {}
    for position, node in enumerate(nodes):
        if node.op in ("VariableV2", "Variable"):
            variables.update((slot, slot) for slot in node.outputs)
            continue
        for slot in node.inputs:
            variable = variables.get(slot)
            if variable is None:
                continue
            if node.op in ("Identity", "Switch"):
                variables.update((output, variable) for output in node.outputs)
            elif slot not in node.changes:
                readers.setdefault(variable, []).append(position)
            elif variable in readers:
                found[position] = sorted({*found[position], *readers[variable]})
    return found


def _place(root: _Branch, node: PlanNode) -> _Branch:
    branch = root
    for test in node.guard:
        branch = branch.inner(test)
    return branch


def _released(successors: Sequence[int], waiting: list[int]) -> list[int]:
    released = []
    for position in successors:
        waiting[position] -= 1
        if not waiting[position]:
            released.append(position)
    return released


def _next_branch(current: _Branch) -> _Branch | None:
    """Where to go on: here, further in, on the other side, and only then further out."""
    branch: _Branch | None = current
    while branch is not None:
        if not branch.is_idle:
            return _innermost(branch)
        other = branch.other_side()
        if other is not None:
            return _innermost(other)
        branch = branch.parent
    return None


def _innermost(branch: _Branch) -> _Branch:
    while not branch.ready:
        branch = next(iter(branch.active))
    return branch

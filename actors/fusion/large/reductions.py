"""Which reductions go with the cluster that makes what they reduce, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

from dataflow.actors.fusion.large.shapes import Shape, find_blocks
from dataflow.actors.fusion.merged_nodes import Arrangement
from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.nodes.plan_node import NOT_CONSTANT, PlanNode
from dataflow.kernels.reductions.parts import Parts, Partwise

_OPERAND: Final = 0
_INDICES: Final = 1


class Reduced(NamedTuple):
    """The reduction of what a cluster makes."""

    call: Partwise
    dtype: Any
    indices: Any
    """Along which axes: a constant of the plan."""

    def parts(self, shape: Shape) -> Parts | None:
        """The parts for an operand of some shape; None if there are none."""
        return self.call.parts(shape, self.dtype, self.indices)


def reduced_by(node: PlanNode) -> Reduced | None:
    """The reduction that a node is, if it is one that can be done part by part."""
    call: Any = node.call
    if not isinstance(call, Partwise) or node.kind is not CallKind.PLAIN:
        return None
    if not node.seen or not node.constants or any(node.adapters):
        return None
    indices = node.constants[_INDICES]
    if indices is NOT_CONSTANT:
        return None
    return Reduced(call, node.seen[_OPERAND].dtype, indices)


def totals_of(nodes: Sequence[PlanNode]) -> set[int]:
    """The slots that the reductions among some nodes fill."""
    return {node.outputs[0] for node in nodes if reduced_by(node)}


def with_reductions(arranged: Arrangement, groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """Adds to groups of elementwise nodes the reductions of what they make.

    No way leads from these back to a group: a reduction is of a higher level.
    """
    followers = arranged.followers()
    members = {member for group in groups for member in group}
    return [sorted([*g, *_reductions(arranged, g, followers, members)]) for g in groups]


def _reductions(
    arranged: Arrangement,
    group: Sequence[int],
    followers: Mapping[int, Sequence[int]],
    members: Set[int],
) -> list[int]:
    """The positions of the reductions that go with a group."""
    nodes = arranged.nodes
    after = {i for member in group for i in followers.get(member, ())}.difference(group)
    made = {nodes[i].outputs[0] for i in group}
    found: list[int] = []
    taken: list[Parts] = []
    for position in sorted(after):
        node = nodes[position]
        reduced = reduced_by(node)
        if reduced is None or node.inputs[_OPERAND] not in made or node.outputs[0] < 0:
            continue
        if node.guard != nodes[group[0]].guard:
            continue
        others = set(arranged.predecessors[position]).difference(group)
        # Two groups that waited for what follows the other one could not run.
        if _follow(arranged, others, members):
            continue
        parts = reduced.parts(node.seen[_OPERAND].shape)
        if parts is not None and _fits([nodes[i] for i in group], made, [*taken, parts]):
            found.append(position)
            taken.append(parts)
    return found


def _follow(arranged: Arrangement, positions: Set[int], members: Set[int]) -> bool:
    """True if a node at some position is a member, or waits for one, if only through others."""
    first, waiting, known = min(members), list(positions), set(positions)
    while waiting:
        position = waiting.pop()
        if position in members:
            return True
        # What comes before the first member waits for none.
        more = {i for i in arranged.predecessors[position] if i >= first} - known
        known |= more
        waiting += more
    return False


def _fits(nodes: Sequence[PlanNode], made: Set[int], parts: Sequence[Parts]) -> bool:
    """Whether the blocks of a cluster can be whole parts."""
    shape = nodes[0].seen[-1].shape
    taken = {
        (slot, seen.shape): seen.shape
        for node in nodes
        for slot, seen in zip(node.inputs, node.seen[:-1], strict=True)
        if slot not in made
    }
    shapes = list(taken.values())
    return find_blocks(shapes, [one == shape for one in shapes], parts) is not None

"""Puts single nodes in the place of groups that have become one, where the last of each stood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataflow.actors.plan_node import PlanNode


def followers_of(predecessors: Sequence[Sequence[int]]) -> Mapping[int, Sequence[int]]:
    """The positions of the nodes that come after each, if there are any."""
    found: dict[int, list[int]] = {}
    for position, before in enumerate(predecessors):
        for earlier in before:
            found.setdefault(earlier, []).append(position)
    return found


def put_in_place(
    nodes: Sequence[PlanNode],
    predecessors: Sequence[Sequence[int]],
    made: Mapping[int, PlanNode],
    gone: Mapping[int, int],
) -> tuple[list[PlanNode], list[tuple[int, ...]]]:
    """The nodes that are left and the positions that each follows, in an order as before.

    Args:
      nodes: The nodes of a plan, in an order in which they can run.
      predecessors: For each the positions of those that it follows.
      made: The new nodes, by the position of the last node of their group.
      gone: That position for each member of a group. No way may lead out of a group but from
        its last node.
    """
    left = [i for i in range(len(nodes)) if gone.get(i, i) == i]
    place = {position: i for i, position in enumerate(left)}
    before: list[set[int]] = [set() for _ in left]
    for i, earlier in enumerate(predecessors):
        own = place[gone.get(i, i)]
        before[own].update(place[gone.get(j, j)] for j in earlier)
        before[own].discard(own)
    return [made.get(i, nodes[i]) for i in left], [tuple(sorted(found)) for found in before]

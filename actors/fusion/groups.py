"""Finds groups of connected nodes that can be one, and puts single nodes in their place.

Two nodes of which one follows the other can be one if no way leads from the first to the second
over a node outside. So nodes get levels: along an edge the level rises where the edge enters or
leaves the nodes of one key. Connected ones of one key and level then make a group: a way out of it
and back would have to rise. What only nodes of a higher level read has theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from dataflow.actors.fusion.merged_nodes import Arrangement
from dataflow.actors.nodes.loop_node import slots_read
from dataflow.actors.nodes.plan_node import Lines, PlanNode


def connected(keys: Sequence[Hashable], predecessors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The positions of connected nodes of one key that can be one node, ascending.

    Args:
      keys: One for each node, in an order in which they can run; None for those in no group.
      predecessors: For each the positions of those that it follows.
    """
    levels = [0] * len(keys)
    for i, before in enumerate(predecessors):
        for j in before:
            together = keys[i] is not None and keys[i] == keys[j]
            rises = not together and (keys[i] is not None or keys[j] is not None)
            levels[i] = max(levels[i], levels[j] + rises)
    groups = _of_one_level(keys, predecessors, levels)
    if _raise_to_readers(groups, keys, predecessors, levels):
        groups = _of_one_level(keys, predecessors, levels)
    return groups


def _of_one_level(
    keys: Sequence[Hashable], predecessors: Sequence[Sequence[int]], levels: Sequence[int]
) -> list[list[int]]:
    """The positions of connected nodes of one key and level, ascending."""
    heads = list(range(len(keys)))
    for i, before in enumerate(predecessors):
        for j in before:
            if keys[i] is not None and keys[j] == keys[i] and levels[j] == levels[i]:
                heads[_head(heads, i)] = _head(heads, j)
    members: dict[int, list[int]] = {}
    for i, key in enumerate(keys):
        if key is not None:
            members.setdefault(_head(heads, i), []).append(i)
    return list(members.values())


def _raise_to_readers(
    groups: Sequence[Sequence[int]],
    keys: Sequence[Hashable],
    predecessors: Sequence[Sequence[int]],
    levels: list[int],
) -> bool:
    """Raises groups as far as those that read what they make allow, if that joins them.

    What (x - mean) is multiplied by is known after the differences were needed for the variance.

    Returns:
      True if a level has changed.
    """
    after: list[list[int]] = [[] for _ in keys]
    for i, before in enumerate(predecessors):
        for j in before:
            after[j].append(i)
    changed = False
    for group in sorted(groups, key=max, reverse=True):
        level, inside = levels[group[0]], set(group)
        readers = {i for member in group for i in after[member]} - inside
        own = [levels[i] for i in readers if keys[i] == keys[group[0]]]
        others = [levels[i] - 1 for i in readers if keys[i] != keys[group[0]]]
        if own and level < min(own) <= min(others, default=min(own)):
            changed = True
            for member in group:
                levels[member] = min(own)
    return changed


def _head(heads: list[int], node: int) -> int:
    while heads[node] != node:
        heads[node] = heads[heads[node]]
        node = heads[node]
    return node


def put_together(
    arranged: Arrangement,
    groups: Sequence[Sequence[int]],
    make: Callable[[Sequence[PlanNode], Sequence[int], Lines], PlanNode],
) -> Arrangement:
    """Puts single nodes in the place of groups.

    Args:
      arranged: The nodes.
      groups: Positions, ascending. No way may lead out of a group and back.
      make: Makes a node of the nodes of a group, of the slots that others read, and of `lines`.
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
        made.append((make([nodes[i] for i in group], outputs, arranged.lines), group))
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

"""Parts of a long run of nodes, each short enough for one function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Final

from dataflow.actors.nodes.binding import ENDS
from dataflow.actors.nodes.loop_node import LoopNode, made_by, slots_read, weight
from dataflow.actors.nodes.plan_node import PlanNode

CHUNK: Final = 400
"""Lines in one function: the compiler's time grows faster than the length of a function."""


def cut_in_chunks(nodes: Sequence[PlanNode]) -> list[list[PlanNode]]:
    """The nodes in parts of at most `CHUNK` lines; a longer node is a part of its own."""
    parts: list[list[PlanNode]] = [[]]
    lines = 0
    for node in nodes:
        lines += weight(node)
        if lines > CHUNK and parts[-1]:
            parts.append([])
            lines = weight(node)
        parts[-1].append(node)
    return parts


def body_in_chunks(loop: LoopNode) -> list[list[PlanNode]]:
    """The nodes of a loop but those at the end of an iteration, in parts; none if it is short."""
    if loop.weight <= CHUNK:
        return []
    return cut_in_chunks([node for node in loop.nodes if node.kind not in ENDS])


def shared_slots(parts: Sequence[Sequence[PlanNode]], needed: Set[int]) -> list[frozenset[int]]:
    """For each part the slots that it fills and that others read, or fill in another branch.

    Those that are needed anyway count as well.
    """
    users: dict[int, int] = {}
    made = [made_by(part) for part in parts]
    for index, part in enumerate(parts):
        for slot in (*made[index], *(slot for node in part for slot in slots_read(node))):
            if users.setdefault(slot, index) != index:
                users[slot] = -1
    return [frozenset(s for s in slots if users[s] < 0 or s in needed) for slots in made]


def own_slots(nodes: Iterable[PlanNode]) -> set[int]:
    """The slots that only the function of these nodes needs to know, so far as they go."""
    own: set[int] = set()
    shared: set[int] = set()
    for node in nodes:
        if not isinstance(node, LoopNode):
            own.update(slot for slot in node.outputs if slot >= 0)
            continue
        own.update(slot for slot in node.outputs if slot >= 0)
        parts = body_in_chunks(node)
        if not parts:
            own |= node.made
            continue
        own.update(node.variables)
        for part in parts:
            for inner in part:
                shared.update(slots_read(inner))
    return own - shared

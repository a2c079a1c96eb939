"""Finds connected elementwise nodes whose program pays, and makes one node of them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Final

from dataflow.actors.fusion.compiled.draft import draft
from dataflow.actors.fusion.compiled.node import CompiledNode
from dataflow.actors.fusion.compiled.passing import passes_on
from dataflow.actors.fusion.compiled.steps import can_be_written, steps_of
from dataflow.actors.fusion.groups import connected, put_together
from dataflow.actors.fusion.merged_nodes import Arrangement
from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.kernels.native.compiled import is_there

_LONGEST: Final = 300
"""Steps of a cluster: the compiler's time grows faster than the length of a program."""
_FEWEST: Final = 2
"""Calls of numpy in whose place a program must stand,"""
_LARGE: Final = 1 << 18
"""unless there are so many numbers that several threads can share the work."""


def compile_clusters(arranged: Arrangement) -> Arrangement:
    """Puts clusters in the place of their nodes, which were measured."""
    nodes = arranged.nodes
    keys = [_key(node) for node in nodes]
    # LLVM is loaded where there is something for it to do.
    if all(key is None for key in keys) or not is_there():
        return arranged
    for i, node in enumerate(nodes):
        if keys[i] is not None and not passes_on(node) and not can_be_written(node):
            keys[i] = None
    return put_together(arranged, _groups(arranged, [*arranged.may_be_one(keys)]), _make)


def _groups(arranged: Arrangement, keys: list[Hashable]) -> list[list[int]]:
    """The positions of the nodes of each cluster."""
    nodes = arranged.nodes
    free = {i for i, node in enumerate(nodes) if node.kind is CallKind.NOTHING}
    alone = _without_neighbours(nodes, keys)
    while True:
        # What is in no cluster stands between no others.
        for i in alone:
            keys[i] = None
        groups = connected(keys, arranged.predecessors, free)
        alone = []
        for group in groups:
            members = [i for i in group if i not in free]
            if not _pays(nodes, members):
                alone += members
            else:
                alone += _at_the_ends(nodes, members)
        if not alone:
            return [piece for group in groups for piece in _pieces(nodes, group)]


def _without_neighbours(nodes: Sequence[PlanNode], keys: Sequence[Hashable]) -> list[int]:
    """Nodes too small for a cluster that read nothing from such as they, and give them nothing."""
    maker = {slot: i for i, node in enumerate(nodes) for slot in node.outputs}
    beside = set()
    for i, node in enumerate(nodes):
        for j in (maker.get(slot, i) for slot in node.inputs):
            if i != j and keys[i] is not None and keys[i] == keys[j]:
                beside |= {i, j}
    return [
        i
        for i, key in enumerate(keys)
        if key is not None and i not in beside and not _pays(nodes, (i,))
    ]


def _pieces(nodes: Sequence[PlanNode], group: Sequence[int]) -> list[list[int]]:
    """Stretches of a cluster that are not too long; no way leads from one to an earlier one."""
    pieces: list[list[int]] = [[]]
    left = _LONGEST
    for i in group:
        steps = len(steps_of(nodes[i])) if nodes[i].kind is not CallKind.NOTHING else 0
        if steps > left and pieces[-1]:
            pieces.append([])
            left = _LONGEST
        pieces[-1].append(i)
        left -= steps
    return pieces


def _pays(nodes: Sequence[PlanNode], group: Sequence[int]) -> bool:
    if math.prod(nodes[group[0]].seen[-1].shape) >= _LARGE:
        return True
    return sum(max(1, len(steps_of(nodes[i]))) for i in group) >= _FEWEST


def _key(node: PlanNode) -> Hashable:
    """What nodes of one cluster have in common; None if the node cannot be in any."""
    if node.kind is not CallKind.PLAIN or not node.seen:
        return None
    output = node.seen[-1]
    if len(node.outputs) != 1 or node.outputs[0] < 0 or not output.is_array or not output.shape:
        return None
    if not math.prod(output.shape):
        return None
    if not passes_on(node) and (node.aliases or not steps_of(node)):
        return None
    if passes_on(node) and output.order is not None:
        return None
    return output.shape, output.order, node.guard


def _at_the_ends(nodes: Sequence[PlanNode], group: Sequence[int]) -> list[int]:
    """Those that pass on what comes from outside, or pass it to there."""
    passing = [i for i in group if passes_on(nodes[i])]
    if not passing:
        return []
    made = {nodes[i].outputs[0] for i in group}
    read = {slot for i in group for slot in nodes[i].inputs}
    return [i for i in passing if nodes[i].inputs[0] not in made or nodes[i].outputs[0] not in read]


def _make(nodes: Sequence[PlanNode], outputs: Sequence[int], lines: Lines) -> PlanNode | None:
    found = draft(nodes, outputs)
    return None if found is None else CompiledNode(nodes, found, lines)

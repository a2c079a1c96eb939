"""Finds elementwise nodes over small arrays that lead to one value, and makes one node of them.

What only nodes of a cluster wait for is part of it. So no way leads out of a cluster but from its
last node, and it can run where that one stands.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.merged_nodes import Arrangement, MergedNode
from dataflow.actors.fusion.small.code import Code, UnsupportedError
from dataflow.actors.fusion.small.draft import Draft
from dataflow.actors.fusion.small.machine import Machine, machine
from dataflow.actors.fusion.small.ops import express, is_strict, steps_of
from dataflow.actors.fusion.small.runner import make_runner
from dataflow.actors.nodes.binding import ENDS, CallKind
from dataflow.actors.nodes.loop_node import slots_read
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.kernels.elementwise.formula import Step

_LARGEST: Final = 512
"""Elements up to which a call of numpy costs more than its work."""
_FEWEST: Final = 3
"""Nodes of a cluster."""
_FUNCTION: Final = 0.2e-6
"""Seconds of a call of a numpy function on a few numbers,"""
_KERNEL: Final = 0.4e-6
"""of what other kernels do besides,"""
_BROADCAST: Final = 0.4e-6
"""and of an operand that is neither a number nor as large as the result."""
_CALL: Final = 1e-6
"""Seconds of a call of the machine,"""
_OPERAND: Final = 0.075e-6
"""for each operand,"""
_INSTRUCTION: Final = 8e-9
"""for each instruction,"""
_ELEMENT: Final = 0.4e-9
"""and for each element of each instruction; numpy needs about the same."""
_FUNCTION_ELEMENT: Final = 2.7e-9
"""The same where the machine calls a function."""
_GAIN: Final = 0.85
"""The machine is taken if this much of the time is left, or less."""

Key = tuple[tuple[int, ...], object]


class SmallNode(MergedNode):
    """A cluster as one node of its plan."""

    __slots__ = ("programs",)

    def __init__(self, draft: Draft, cost: float, lines: Lines) -> None:
        outputs = draft.nodes[-1].outputs
        one_by_one = OneByOne(draft.nodes, draft.slots, outputs, lines, draft.constants)
        super().__init__(draft.nodes, make_runner(draft, one_by_one), draft.slots, outputs)
        self.cost = cost
        self.programs = len(draft.programs)
        """How many programs it runs."""


def fuse_small(arranged: Arrangement) -> Arrangement:
    """Puts clusters in the place of their nodes, which were measured."""
    made: list[tuple[PlanNode, Sequence[int]]] = []
    for members in _clusters(arranged).values():
        node = _make(arranged.nodes, members, arranged.lines)
        if node is not None:
            made.append((node, members))
    return arranged.put_in_place(made)


def _clusters(arranged: Arrangement) -> dict[int, list[int]]:
    """The positions of the nodes of each cluster, by that of its last node."""
    nodes = arranged.nodes
    keys = [_key(node) for node in nodes]
    clusters = _find(arranged, keys)
    # The machine is loaded where there is something for it to do.
    found = machine() if clusters else None
    if found is None:
        return {}
    members = [i for group in clusters.values() for i in group]
    beyond = [i for i in members if keys[i] is not None and not _can_run(found, nodes[i])]
    if not beyond:
        return clusters
    for i in beyond:
        keys[i] = None
    return _find(arranged, keys)


def _find(arranged: Arrangement, keys: Sequence[Key | None]) -> dict[int, list[int]]:
    """The clusters that nodes with these keys make."""
    nodes = arranged.nodes
    # Of a node the last node of the cluster that all its followers are in; -1 if there is none.
    ahead = [-2] * len(nodes)
    last_of = [-1] * len(nodes)
    readers = _readers(nodes)
    clusters: dict[int, list[int]] = {}
    for i in range(len(nodes) - 1, -1, -1):
        node = nodes[i]
        found = ahead[i]
        for slot in node.outputs:
            for reader in readers.get(slot, ()):
                found = _joined(found, last_of[reader])
            if slot in arranged.kept:
                found = -1
        if node.kind is CallKind.NOTHING:
            last_of[i] = max(found, -1)
            if last_of[i] >= 0:
                clusters[found].append(i)
        elif keys[i] is not None:
            last_of[i] = found if found >= 0 and keys[found] == keys[i] else i
            clusters.setdefault(last_of[i], []).append(i)
        if node.kind in ENDS:
            # They follow all nodes of their loop, and stand behind each of them anyway.
            continue
        for j in arranged.predecessors[i]:
            ahead[j] = _joined(ahead[j], last_of[i])
    return {
        last: members[::-1]
        for last, members in clusters.items()
        if sum(nodes[i].kind is not CallKind.NOTHING for i in members) >= _FEWEST
    }


def _joined(left: int, right: int) -> int:
    """The one cluster that both are, -2 standing for any; -1 if they are two."""
    return right if left in (-2, right) else left if right == -2 else -1


def _readers(nodes: Sequence[PlanNode]) -> dict[int, list[int]]:
    readers: dict[int, list[int]] = {}
    for i, node in enumerate(nodes):
        for slot in slots_read(node):
            readers.setdefault(slot, []).append(i)
    return readers


def _key(node: PlanNode) -> Key | None:
    """What nodes of one cluster have in common; None if the node cannot be in any."""
    if not node.elementwise or node.kind is not CallKind.PLAIN or not node.seen:
        return None
    *inputs, output = node.seen
    if len(node.outputs) != 1 or node.outputs[0] < 0 or not output.is_array or not output.shape:
        return None
    if not 0 < math.prod(output.shape) <= _LARGEST or not steps_of(node):
        return None
    if is_strict(node) and any(seen.shape not in ((), output.shape) for seen in inputs):
        return None
    return output.shape, node.guard


def _can_run(found: Machine, node: PlanNode) -> bool:
    return _can_express(found, steps_of(node), tuple(seen.dtype for seen in node.seen))


@functools.lru_cache(maxsize=1024)
def _can_express(found: Machine, steps: tuple[Step, ...], dtypes: tuple[Any, ...]) -> bool:
    """True if the machine can do this with inputs and an output of these types."""
    *inputs, output = dtypes
    code = Code(found)
    try:
        express(code, steps, [code.operand(dtype) for dtype in inputs], output)
    except UnsupportedError:
        return False
    return True


def _make(nodes: Sequence[PlanNode], members: Sequence[int], lines: Lines) -> SmallNode | None:
    """The node of a cluster; None if it would not be faster."""
    found = machine()
    assert found is not None
    parts = [nodes[i] for i in members if nodes[i].kind is not CallKind.NOTHING]
    try:
        draft = Draft(parts, found)
    except UnsupportedError:
        return None
    if not draft.programs:
        return None
    elements = math.prod(parts[-1].seen[-1].shape)
    seconds = sum(
        _CALL
        + _OPERAND * len(program.operands)
        + (_INSTRUCTION + _ELEMENT * elements) * program.length
        + _FUNCTION_ELEMENT * elements * program.functions
        for program in draft.programs
    )
    kernels = sum(type(node.call) is not np.ufunc for node in parts)
    broadcasts = sum(
        seen.shape not in ((), node.seen[-1].shape) for node in parts for seen in node.seen
    )
    work = (_FUNCTION + _ELEMENT * elements) * draft.instructions
    work += _KERNEL * kernels + _BROADCAST * broadcasts
    return SmallNode(draft, seconds, lines) if seconds <= _GAIN * work else None

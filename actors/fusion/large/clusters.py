"""Finds clusters of elementwise nodes over large arrays, and makes one node of each.

Reductions of what they make belong to them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np

from dataflow.actors.fusion.groups import connected, put_together
from dataflow.actors.fusion.large.code import Cluster
from dataflow.actors.fusion.large.reductions import totals_of, with_reductions
from dataflow.actors.fusion.large.shapes import fits
from dataflow.actors.fusion.merged_nodes import Arrangement, MergedNode, inputs_of
from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.nodes.plan_node import Lines, PlanNode, Seen

SMALLEST: Final = 1 << 16
"""Elements from which on a cluster may pay."""
_DIVISIBLE: Final = 1 << 18
"""Elements from which on several threads share the work of one, or of a single node,"""
_MANY: Final = 1 << 20
"""and elements times nodes from which on a smaller one pays: its calls are as long as numpy's, and
15 us come on top."""
_LONGEST: Final = 400
"""Nodes of a cluster: the compiler's time grows faster than the length of a function."""


class FusedNode(MergedNode):
    """A cluster as one node of its plan."""

    __slots__ = ("cluster",)

    def __init__(self, nodes: Sequence[PlanNode], outputs: Sequence[int], lines: Lines) -> None:
        inputs = inputs_of(nodes)
        outputs = sorted(outputs, key=totals_of(nodes).__contains__)
        self.cluster = Cluster(nodes, inputs, outputs, lines)
        super().__init__(nodes, self.cluster.run, inputs, outputs, timed=nodes)


def fuse(arranged: Arrangement) -> Arrangement:
    """Puts clusters in the place of their nodes, which were measured."""
    nodes = arranged.nodes
    found = connected([_key(node) for node in nodes], arranged.predecessors)
    # Stretches of a cluster are clusters too: none leads back to an earlier one.
    pieces = [m[i : i + _LONGEST] for m in found for i in range(0, len(m), _LONGEST)]
    complete = with_reductions(arranged, pieces)
    groups = [group for group in complete if _pays([nodes[i] for i in group])]
    return put_together(arranged, groups, FusedNode)


def _key(node: PlanNode) -> Hashable:
    """What nodes of one cluster have in common; None if the node cannot be in any."""
    if not node.seen or node.kind is not CallKind.PLAIN or len(node.outputs) != 1:
        return None
    output = node.seen[-1]
    if node.aliases or not output.is_array or _size(output) < SMALLEST:
        return None
    if not node.elementwise or any(seen.dtype.kind not in "biufc" for seen in node.seen):
        return None
    inputs = node.seen[:-1]
    if not any(seen.shape == output.shape for seen in inputs):
        return None
    if not all(fits(seen.shape, output.shape) for seen in inputs):
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


def _pays(nodes: Sequence[PlanNode]) -> bool:
    """Whether a group takes less time as one: it is split over threads, or spares many calls."""
    first = nodes[0]
    size = _size(first.seen[-1])
    if len(nodes) == 1:
        return size >= _DIVISIBLE and (type(first.call) is np.ufunc or first.takes_out)
    return size >= _DIVISIBLE or len(nodes) * size >= _MANY

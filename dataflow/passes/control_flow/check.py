"""Refuses graphs whose loops make no sense: nodes between loops, and nodes that can never run."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from dataflow.errors import InternalError, InvalidArgumentError
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.system_ops import CONTROL_FLOW, ENTERS, EXITS
from dataflow.values.garbage import uncollected
from dataflow.values.node_order import MERGE_OPS, NEXT_ITERATION_OPS

_SHOWN: Final = 8
_COUNTER: Final = "LoopCounter"
"""In the names of the loop conditions that may stand beside another one: they count iterations."""
_BUG: Final = (
    "This is an internal bug, please file a bug report with instructions on how to reproduce the "
    "error."
)


@uncollected
def check_control_flow(graph: NodeGraph) -> None:
    """Checks the loops and branches of a graph that is about to run.

    Without control flow there is nothing to check.

    Raises:
      InvalidArgumentError: A node has inputs from different loops, an Enter names no loop or an
        Exit leaves none, a loop has two conditions, no value enters a Merge, or nodes wait for
        each other.
      InternalError: A loop is inside of two others.
    """
    nodes = list(graph.nodes())
    if not any(node.op in CONTROL_FLOW for node in nodes):
        return
    _check_all_can_run(nodes)
    _Loops(nodes).check()


def _check_all_can_run(nodes: Sequence[Node]) -> None:
    """A node runs once all its inputs have come; a Merge needs one of those that bring values."""
    waiting: dict[Node, int] = {}
    ready: list[Node] = []
    for node in nodes:
        waiting[node] = len(node.in_edges)
        if node.op in MERGE_OPS:
            waiting[node] = 1 + len(node.control_edges())
        if not waiting[node]:
            ready.append(node)
    started = set(ready)
    has_value: set[Node] = set()
    while ready:
        node = ready.pop()
        for edge in node.out_edges:
            dst = edge.dst
            if dst.op in MERGE_OPS and not edge.is_control:
                if dst in has_value:
                    continue
                has_value.add(dst)
            waiting[dst] -= 1
            if not waiting[dst] and dst not in started:
                started.add(dst)
                ready.append(dst)
    stuck = [node for node in nodes if node not in started]
    if stuck:
        names = ", ".join(node.name for node in stuck[:_SHOWN])
        more = ", ..." if len(stuck) > _SHOWN else ""
        raise InvalidArgumentError(
            None,
            None,
            f"{len(stuck)} nodes in a cycle: {names}{more}. None of them can run before another "
            "one has; a loop starts with a Merge of what an Enter and a NextIteration bring.",
        )


class _Loop:
    """A loop as its nodes tell: its name, the Enter that was met first, and what is around it."""

    __slots__ = ("condition", "name", "parent")

    def __init__(self, name: str, parent: _Loop | None) -> None:
        self.name = name
        self.parent = parent
        self.condition: Node | None = None


class _Loops:
    """Walks from the nodes without inputs through the graph and into its loops.

    Nodes are met in the order in which TensorFlow meets them (`core/graph/control_flow.cc`), so
    that of several faults the same one is reported.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._outside = _Loop("", None)
        self._by_name = {"": self._outside}
        self._loops: dict[Node, _Loop] = {}
        """The loop each node is in; for an Enter the one it leads into."""
        self._found_by: dict[Node, Node] = {}

    def check(self) -> None:
        """Raises if a node is in no single loop."""
        queue = deque(node for node in self._nodes if not node.in_edges)
        for node in queue:
            self._loops[node] = self._outside
        while queue:
            node = queue.popleft()
            loop = self._loops[node]
            if node.op in EXITS:
                if loop.parent is None:
                    raise InvalidArgumentError(
                        None,
                        None,
                        "Invalid Exit op: Cannot find a corresponding Enter op.\n\t "
                        f"[[{_tag(node)}]]",
                    )
                loop = loop.parent
            for edge in node.out_edges:
                if edge.dst not in self._loops:
                    self._loops[edge.dst] = self._enter(edge.dst, loop)
                    self._found_by[edge.dst] = node
                    queue.append(edge.dst)
                else:
                    self._check_same(edge.dst, node, loop)
        self._check_iterations()
        self._check_conditions()

    def _check_iterations(self) -> None:
        for node in self._nodes:
            if node.op in NEXT_ITERATION_OPS and self._loops.get(node) is self._outside:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"{_tag(node)} leads to the next iteration of a loop, but no Enter leads into "
                    "one.",
                )
            if node.op in MERGE_OPS and all(
                edge.src.op in NEXT_ITERATION_OPS for edge in node.data_edges()
            ):
                raise InvalidArgumentError(
                    None,
                    None,
                    f"{_tag(node)} gets values from NextIterations only: none is there in the "
                    "first iteration of its loop.",
                )

    def _enter(self, node: Node, loop: _Loop) -> _Loop:
        """The loop a node is in that has an input from this one."""
        if node.op not in ENTERS:
            return loop
        name = node.attrs["frame_name"].decode(errors="replace")
        if not name:
            raise InvalidArgumentError(
                None, None, f"The Enter {_tag(node)} must have a frame name."
            )
        known = self._by_name.setdefault(name, _Loop(name, loop))
        if known.parent is not loop:
            given = known.parent.name if known.parent is not None else ""
            raise InternalError(
                None,
                None,
                f'Invalid loop structure: Mismatched parent frames for "{name}": "{loop.name}" vs '
                f'"{given}". The node giving this error: {_tag(node)}. {_BUG}',
            )
        return known

    def _check_same(self, node: Node, src: Node, loop: _Loop) -> None:
        known: _Loop | None = self._loops[node]
        if node.op in ENTERS and known is not None:
            known = known.parent
        if known is not loop and known is not None:
            raise InvalidArgumentError(
                None,
                None,
                f"{_tag(node)} has inputs from different frames. The input {_tag(src)} is in "
                f"frame '{loop.name}'. The input {_tag(self._found_by[node])} is in frame "
                f"'{known.name}'.",
            )

    def _check_conditions(self) -> None:
        for node in self._nodes:
            if node.op != "LoopCond":
                continue
            loop = self._loops[node]
            other = loop.condition
            if other is not None and _COUNTER not in other.name and _COUNTER not in node.name:
                raise InvalidArgumentError(
                    None,
                    None,
                    f'Invalid loop structure: Loop "{loop.name}" has more than one LoopCond node: '
                    f"{_tag(node)} and {_tag(other)}. {_BUG}",
                )
            loop.condition = node


def _tag(node: Node) -> str:
    return f"{{{{node {node.name}}}}}"

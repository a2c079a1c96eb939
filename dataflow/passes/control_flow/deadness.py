"""Which tensors may be dead: behind a Switch without its Merge, or in a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dataflow.passes.graphs.frames import Frame, edge_frame, find_frames
from dataflow.passes.graphs.node_graph import Edge, Node, NodeGraph
from dataflow.passes.graphs.order import is_back_edge, topological_order
from dataflow.passes.graphs.system_ops import ENTERS, EXITS
from dataflow.values.node_order import MERGE_OPS

MAY_BE_DEAD: Final = "_may_be_dead"
"""Attr of a `_Recv` whose value may be dead."""

_SWITCHES: Final = frozenset({"Switch", "RefSwitch", "_SwitchN"})
_Guard = frozenset[Any]
"""What must hold for a tensor to be alive, each item on its own."""
_ALIVE: Final[_Guard] = frozenset()
_MAX_GUARD: Final = 64


class Deadness:
    """What is known, without running it, of which tensors of a graph are alive.

    A tensor's guard is the set of choices that must be made for it to be alive: branches of
    Switches, by the tensor that decides, and what stands for choices that are not understood. Where
    a Merge joins all the branches of a choice the guard loses that choice.
    """

    def __init__(self, graph: NodeGraph) -> None:
        self._frames: dict[Node, Frame] = {}
        self._guards: dict[Node, _Guard] = {}
        self._loop_guards: dict[Frame, _Guard] = {}
        if not any(node.op in _SWITCHES or MAY_BE_DEAD in node.attrs for node in graph.nodes()):
            return
        self._frames = find_frames(graph)
        for node in topological_order(graph):
            guard = self._guard_of_node(node)
            if guard:
                # Long guards are given up: what is behind them counts as not understood.
                self._guards[node] = _unknown(node) if len(guard) > _MAX_GUARD else guard

    def may_not_run(self, node: Node) -> bool:
        """False if the node runs in every step, once."""
        return bool(self._frames.get(node)) or node in self._guards

    def enters_whole(self, variables: Sequence[Node], constants: Sequence[Node]) -> bool:
        """False if a loop may run without some of what enters it.

        Args:
          variables: The Enters of the loop's variables.
          constants: The Enters of values that stay. What is not understood may keep a variable out
            only together with all others, but a constant alone.
        """
        guards = [self._guards.get(node, _ALIVE) for node in variables]
        together = _ALIVE.union(*guards)
        if all(self._guards.get(node, _ALIVE) <= together for node in constants):
            understood = {guard for guard in guards if all(len(key) > 1 for key, _ in guard)}
            return len(understood) < 2
        return False

    def may_be_dead(self, edge: Edge) -> bool:
        """False if what the edge carries is alive in every step."""
        return bool(edge_frame(edge, self._frames)) or bool(self._guard(edge))

    def _guard(self, edge: Edge) -> _Guard:
        src = edge.src
        guard = self._guards.get(src, _ALIVE)
        if src.op in _SWITCHES and not edge.is_control:
            decider = _input_edge(src, 1)
            if decider is None:
                return guard | _unknown(src)
            choice = (*_origin(decider), len(src.output_types))
            guard |= {(choice, edge.src_output)}
        return guard

    def _guard_of_node(self, node: Node) -> _Guard:
        if node.op == "ControlTrigger":
            return _ALIVE
        edges = [edge for edge in node.in_edges if not is_back_edge(edge.src, node)]
        frame = self._frames.get(node, ())
        if node.op in EXITS:
            return self._loop_guards.get(frame, _ALIVE)
        if node.op in MERGE_OPS:
            guard = _joined(node, [self._guard(edge) for edge in edges if not edge.is_control])
            edges = [edge for edge in edges if edge.is_control]
        else:
            guard = _unknown(node) if node.attrs.get(MAY_BE_DEAD) is True else _ALIVE
        for edge in edges:
            guard |= self._guard(edge)
        if node.op in ENTERS:
            # A loop whose values do not come does not run.
            self._loop_guards[frame] = self._loop_guards.get(frame, _ALIVE) | guard
        return guard


def _joined(node: Node, guards: Sequence[_Guard]) -> _Guard:
    """The guard of what a Merge of tensors with these guards gives."""
    if not guards:
        return _ALIVE
    common = frozenset.intersection(*guards)
    rests = [guard - common for guard in guards]
    if not all(rests):
        return common
    if all(len(rest) == 1 for rest in rests):
        choices = [next(iter(rest)) for rest in rests]
        choice = choices[0][0]
        taken = {branch for other, branch in choices if other == choice}
        if len(choice) == 3 and len(taken) == choice[2]:
            return common
    return common | _unknown(node)


def _unknown(node: Node) -> _Guard:
    return frozenset({((node.id,), 0)})


def _input_edge(node: Node, slot: int) -> Edge | None:
    return next((edge for edge in node.in_edges if edge.dst_input == slot), None)


def _origin(edge: Edge) -> tuple[int, int]:
    """The tensor that the edge carries, looked up behind Identity nodes."""
    while edge.src.op == "Identity":
        before = _input_edge(edge.src, 0)
        if before is None:
            break
        edge = before
    return edge.src.id, edge.src_output

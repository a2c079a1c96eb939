"""In which order a graph reads and writes state, and how a rewritten graph keeps to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.order import in_order, topological_order
from dataflow.passes.graphs.system_ops import system_op

UNORDERED: Final = frozenset(
    {
        *("VariableV2", "Variable", "VarHandleOp", "Placeholder", "_Arg", "_Retval"),
        *("RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt"),
    }
)
"""Stateful ops whose place among the others nobody can tell."""
_FEW: Final = 8
"""Users that another one waits for itself; it waits for more of them by way of a node."""


class StateOrder:
    """Which nodes that read or write state come before each node of a graph."""

    __slots__ = ("_before", "_users")

    def __init__(self, graph: NodeGraph) -> None:
        """Takes note of the order.

        Args:
          graph: Not changed, nor kept.
        """
        self._users: list[Node] = []
        """The nodes that read or write state; each has the bit of its index."""
        self._before = self._follow(graph)

    def depends_on_state(self, node: Node) -> bool:
        """True if what a node gives may depend on when it runs."""
        return bool(self._before.get(node, 0))

    def restore(self, graph: NodeGraph) -> None:
        """Makes the users of state that are left in the graph wait for each other as before.

        Args:
          graph: The graph after it was rewritten, without control flow; changed in place.
        """
        if len(self._users) < 2:
            return
        alive = sum(
            1 << index for index, user in enumerate(self._users) if graph.find(user.name) is user
        )
        if not self._wait(graph, topological_order(graph), alive):
            # What a user waits for now may have come later than those that were to wait for it.
            is_done = self._wait(graph, in_order(list(graph.nodes()), self._pairs(alive)), alive)
            assert is_done

    def _wait(self, graph: NodeGraph, order: Sequence[Node], alive: int) -> bool:
        """Adds the control edges that lack.

        Args:
          graph: The graph; changed in place.
          order: Its nodes in an order in which they can run.
          alive: The bits of the users that are left.

        Returns:
          False if one comes before another one that it is to wait for; then some edges may lack.
        """
        bits = {user: 1 << index for index, user in enumerate(self._users)}
        after: dict[Node, int] = {}
        waits: dict[tuple[int, str], list[Node]] = {}
        for node in order:
            found = 0
            for edge in node.in_edges:
                found |= after[edge.src]
            own = bits.get(node)
            missing = 0 if own is None else self._before[node] & alive & ~found & ~own
            if missing:
                key = (missing, node.assigned_device)
                before = waits.get(key)
                if before is None:
                    before = self._last(missing, after)
                    if before is None:
                        return False
                    if len(before) > _FEW:
                        before = [_joined(graph, node, before)]
                    waits[key] = before
                for one in before:
                    graph.add_control_edge(one, node)
            after[node] = found | missing | (own or 0)
        return True

    def _last(self, missing: int, after: Mapping[Node, int]) -> list[Node] | None:
        """Those of some users that no other one of them waits for; None if one is not known yet."""
        found = []
        while missing:
            # The last one first: the others may come before it.
            user = self._users[missing.bit_length() - 1]
            if user not in after:
                return None
            found.append(user)
            missing &= ~after[user]
        return found

    def _pairs(self, alive: int) -> list[tuple[Node, Node]]:
        """Users of state one of which comes before the other; those between tell of the rest."""
        pairs = []
        for index, user in enumerate(self._users):
            own = 1 << index
            before = self._before[user] & alive & ~own if alive & own else 0
            while before:
                last = self._users[before.bit_length() - 1]
                pairs.append((last, user))
                before &= ~self._before[last]
        return pairs

    def _follow(self, graph: NodeGraph) -> dict[Node, int]:
        """For each node the bits of the users of state among it and what comes before it."""
        found: dict[Node, int] = {}
        references: set[Node] = set()
        for node in topological_order(graph):
            bits = 0
            uses = node.op_def.is_stateful and node.op not in UNORDERED
            for edge in node.in_edges:
                bits |= found.get(edge.src, 0)
                if edge.src in references and edge.dst_input >= 0:
                    # An Identity passes the reference on; who uses that, reads at its own time.
                    if node.op == "Identity":
                        references.add(node)
                    uses = True
            if uses:
                bits |= 1 << len(self._users)
                self._users.append(node)
            found[node] = bits
            if any(dtype._is_ref_dtype for dtype in node.output_types):
                references.add(node)
        return found


def _joined(graph: NodeGraph, owner: Node, before: Sequence[Node]) -> Node:
    """A node beside another one that waits for some."""
    name = graph.unique_name(f"{owner.name}/in_order")
    node = graph.add_node(name, system_op("NoOp"), {}, owner.device, owner.assigned_device)
    node.created_at = owner.created_at
    for one in before:
        graph.add_control_edge(one, node)
    return node

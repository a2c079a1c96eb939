"""In which order a graph reads and writes state, and how a rewritten graph keeps to it."""

from __future__ import annotations

from typing import Final

from dataflow.passes.node_graph import Node, NodeGraph
from dataflow.passes.order import in_order, topological_order

_UNORDERED: Final = frozenset(
    {
        *("VariableV2", "Variable", "VarHandleOp", "Placeholder", "_Arg", "_Retval"),
        *("RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt"),
    }
)
"""Stateful ops whose place among the others nobody can tell."""


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
        bits = {user: 1 << index for index, user in enumerate(self._users)}
        alive = sum(bit for user, bit in bits.items() if graph.find(user.name) is user)
        order = topological_order(graph)
        place = {node: index for index, node in enumerate(order)}
        pairs = self._pairs(alive)
        if any(place[before] > place[user] for before, user in pairs):
            # What a user waits for now may have come later than those that were to wait for it.
            order = in_order(order, pairs)
        after: dict[Node, int] = {}
        for node in order:
            found = 0
            for edge in node.in_edges:
                found |= after[edge.src]
            own = bits.get(node)
            if own is not None:
                missing = self._before[node] & alive & ~found & ~own
                while missing:
                    # The last one first: the others may come before it.
                    before = self._users[missing.bit_length() - 1]
                    graph.add_control_edge(before, node)
                    found |= after[before]
                    missing &= ~found
                found |= own
            after[node] = found

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
            uses = node.op_def.is_stateful and node.op not in _UNORDERED
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

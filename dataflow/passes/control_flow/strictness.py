"""Which arguments of a call depend on state: the effects of its function come after them."""

from __future__ import annotations

from dataflow.passes.graphs.node_graph import Node
from dataflow.passes.graphs.state_order import UNORDERED
from dataflow.values import dtypes


def touches_state(node: Node) -> bool:
    """True if a node reads or changes state, and does not only name it."""
    if any(dtype._is_ref_dtype for dtype in node.input_types):
        return True
    if not node.op_def.is_stateful or node.op in UNORDERED:
        return False
    return not node.output_types or any(
        dtype.base_dtype is not dtypes.resource and not dtype._is_ref_dtype
        for dtype in node.output_types
    )


class StateBehind:
    """Finds the nodes that come after some use of state, and remembers which do not."""

    def __init__(self) -> None:
        self._known: dict[Node, bool] = {}

    def is_behind(self, node: Node) -> bool:
        """True if a node uses state, or waits for one that does."""
        seen: set[Node] = set()
        stack = [node]
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            known = self._known.get(at)
            if known or touches_state(at):
                self._known[node] = True
                return True
            if known is None:
                stack.extend(edge.src for edge in at.in_edges)
        self._known.update(dict.fromkeys(seen, False))
        return False

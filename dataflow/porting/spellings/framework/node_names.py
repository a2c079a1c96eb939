"""tensorflow.python.framework.graph_util: names of nodes, and what can be reached from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_VARIABLES = frozenset(
    ("Assign", "AssignAdd", "AssignSub", "Queue", "ScatterAdd", "ScatterSub", "ScatterUpdate",
     "TruncatedNormal", "Variable", "VariableV2")
)  # fmt: skip


def _is_variable_op(op: str) -> bool:
    """Whether nodes of a type are left out of what runs on other devices."""
    return op in _VARIABLES


def _node_name(n: str) -> str:
    """The node that an input comes from."""
    return n.removeprefix("^").split(":")[0]


def _bfs_for_reachable_nodes(
    target_nodes: Iterable[str], name_to_input_name: Mapping[str, Iterable[str]]
) -> set[str]:
    """The nodes that others come from, and these."""
    found: set[str] = set()
    waiting = list(target_nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += name_to_input_name.get(node, ())
    return found

"""Which Python functions the nodes of a graph call, and the functions of its library."""

from __future__ import annotations

from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.values.python.functions import PYTHON_CALLS


def tokens_of(graph: NodeGraph) -> tuple[str, ...]:
    """Tokens of all that may be called, each once."""
    found = [node.attrs["token"] for node in graph.nodes() if node.op in PYTHON_CALLS]
    for function in graph.functions.values():
        found += [n.attr["token"].s for n in function.node_def if n.op in PYTHON_CALLS]
    return tuple(dict.fromkeys(t.decode(errors="backslashreplace") for t in found))

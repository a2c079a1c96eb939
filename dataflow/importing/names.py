"""The names that imported nodes get."""

from __future__ import annotations

from collections.abc import Collection

from dataflow.graph.graph import Graph
from dataflow.graph.parts.names import add_scopes


def new_names(graph: Graph, names: Collection[str], prefix: str) -> dict[str, str]:
    """The new names of nodes: prefixed, and made unique where the graph has them already.

    Unlike `Graph.unique_name` this minds case, and a name that is a scope of the graph is taken.

    Args:
      graph: The graph.
      names: Names in the GraphDef.
      prefix: What goes before them, with its slash.

    Returns:
      The names in the GraphDef -> those in the graph, in the same order.
    """
    ops, scopes = graph._by_name, graph._scope_names()
    new = {name: prefix + name for name in names}
    coming: set[str] = set()
    for name, wanted in new.items():
        if wanted not in ops and wanted not in scopes:
            continue
        if not coming:
            coming = set(new.values())
            add_scopes(coming, new.values())
        number = 1
        while (found := f"{wanted}_{number}") in ops or found in scopes or found in coming:
            number += 1
        coming.add(found)
        new[name] = found
    return new

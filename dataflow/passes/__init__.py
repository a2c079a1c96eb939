"""The compiler: functions over the back-end graph, that change only what they return.

In the order a graph meets them: import_graph, place, prune, fold, cse, split (by worker, then by
device), export_graph. `extend` and `NodeGraph.assign` are the two that change a graph.
"""

from __future__ import annotations

__all__: list[str] = []

"""Constant folding: what depends on constants only is computed once, when the graph is compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow import dtypes
from dataflow.passes.node_graph import Edge, Node, NodeGraph
from dataflow.passes.order import topological_order
from dataflow.passes.system_ops import CONTROL_FLOW, PLACEHOLDERS, PLUMBING, system_op

MAX_FOLDED_BYTES: Final = 10 << 20
"""A larger result stays an op: it may be cheaper to compute than to keep."""

Evaluate = Callable[[Node, Sequence[Any]], Sequence[Any]]
"""Runs a node on input values and gives its outputs."""

_NEVER: Final = CONTROL_FLOW | PLACEHOLDERS | PLUMBING
_HANDLES: Final = frozenset({dtypes.resource, dtypes.variant})
_Values = list[np.ndarray[Any, Any]]


def fold(graph: NodeGraph, evaluate: Evaluate, max_bytes: int = MAX_FOLDED_BYTES) -> NodeGraph:
    """Replaces nodes that depend on constants only by constants.

    Stateful ops, control flow, placeholders, feeds and transfers are never folded, nor is what has
    no consumer. A node whose evaluation fails, or gives more than `max_bytes`, is left as it is:
    the step reports the failure. A folded constant waits for all that the nodes it stands for
    waited for.

    Args:
      graph: Not changed.
      evaluate: Runs one node. Whatever exception it raises counts as a failure.
      max_bytes: Bound on the outputs of a node together.

    Returns:
      The folded graph; `graph` itself if there is nothing to fold.
    """
    values = _evaluate_all(graph, evaluate, max_bytes)
    folded = [node for node in values if node.op != "Const"]
    if not folded:
        return graph
    twin = graph.copy()
    waits = _control_producers(values)
    for node in folded:
        if _is_needed(node, values):
            _replace(twin, twin.node(node.id), values[node], waits[node], node)
    _remove_unused(twin, values)
    return twin

"""Fetched variables that the step changes: their value at its end, as of memory that is shared."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dataflow.actors.nodes.binding import Adapter
from dataflow.actors.plan.sources import passes_cells

if TYPE_CHECKING:
    from dataflow.passes.graphs.node_graph import Node, NodeGraph

LastRead = Callable[[Any], Any]
"""Takes what a step has read of a variable, and gives what is to be fetched in its place."""
VARIABLES: Final = frozenset({"VariableV2", "Variable"})


def variable_of(node: Node) -> Node | None:
    """The variable that the first output of a node refers to; None if that is not certain."""
    while node.op not in VARIABLES:
        edges = node.data_edges()
        if not edges or not _passes_on(node):
            return None
        node = edges[0].src
    return node


def updated_variables(graph: NodeGraph) -> frozenset[int]:
    """The ids of the variables that nodes of the graph take as such, and so may change."""
    found = set()
    for node in graph.nodes():
        for edge in node.data_edges():
            if node.input_types[edge.dst_input]._is_ref_dtype:
                variable = variable_of(edge.src)
                if variable is not None:
                    found.add(variable.id)
    return frozenset(found)


def last_read(find: Callable[[], Any], adapter: Adapter) -> LastRead:
    """Reads a variable when all else of the step is done.

    In TensorFlow a fetched reference is the variable's own memory, copied after the step: what
    updates it does so in place. Only a value of another shape takes other memory.

    Args:
      find: Finds the cell.
      adapter: Makes the fetched value of it.
    """

    def read(earlier: Any) -> Any:
        cell = find()
        if cell.value is earlier or cell.value is None or np.shape(cell.value) != np.shape(earlier):
            return earlier
        return adapter(cell)

    return read


def _passes_on(node: Node) -> bool:
    return bool(node.output_types) and (
        passes_cells(node)
        or (node.output_types[0]._is_ref_dtype and node.input_types[0]._is_ref_dtype)
    )

"""The elements of a graph that the arguments of hooks mean."""

from __future__ import annotations

from typing import Any

from dataflow.graph.scopes import get_default_graph


def graph_element(value: Any) -> Any:
    """A tensor or operation of the default graph, or what has that name.

    A name without an index is that of an operation with one output.

    Raises:
      ValueError: It is of another graph, or the operation has several outputs.
      KeyError: There is nothing of this name.
    """
    graph = get_default_graph()
    if not isinstance(value, str):
        if getattr(value, "graph", None) is not graph:
            raise ValueError(
                f"Passed {value} should have graph attribute that is equal to current graph "
                f"{graph}."
            )
        return value
    if ":" in value:
        return graph.as_graph_element(value)
    element = graph.get_tensor_by_name(f"{value}:0")
    if len(element.op.outputs) > 1:
        raise ValueError(
            f"Name {value} is ambiguous, as this `Operation` has multiple outputs (at least 2)."
        )
    return element

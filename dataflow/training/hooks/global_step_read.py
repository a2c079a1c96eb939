"""The tensor by which hooks read the global step: it works before the variable has a value."""

from __future__ import annotations

from typing import Any, Final

from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.training.global_step import get_global_step
from dataflow.variables.base import BaseVariable
from dataflow.variables.variable import is_variable_initialized

COLLECTION: Final = "global_step_read_op_cache"
"""The collection of a graph that has its tensor."""


def global_step_read(hook: str) -> Any:
    """A tensor of the default graph's global step, made once.

    Args:
      hook: The class that needs it, for the message.

    Raises:
      RuntimeError: The graph has no global step.
    """
    read = existing_or_new_read()
    if read is None:
        raise RuntimeError(f"Global step should be created to use {hook}.")
    return read


def existing_read(graph: Graph | None = None) -> Any:
    """The tensor of a graph, the default one if None, or None if it was not made.

    Raises:
      RuntimeError: There are several.
    """
    found = (graph or scopes.get_default_graph()).get_collection(COLLECTION)
    if len(found) > 1:
        raise RuntimeError(
            f"There are multiple items in collection {COLLECTION}. There should be only one."
        )
    return found[0] if found else None


def existing_or_new_read(graph: Graph | None = None) -> Any:
    """As `existing_read`, made if it is not there; None if the graph has no global step."""
    graph = graph or scopes.get_default_graph()
    read, step = existing_read(graph), get_global_step(graph)
    if read is not None or step is None:
        return read
    with graph.as_default(), graph.name_scope(None), graph.name_scope(f"{step.op.name}/"):
        value = step
        if isinstance(step, BaseVariable):
            value = cond(is_variable_initialized(step), step.read_value, lambda: step.initial_value)
        read = value + 0
    graph.add_to_collection(COLLECTION, read)
    return read

"""The tensor by which hooks read the global step: it works before the variable has a value."""

from __future__ import annotations

from typing import Any, Final

from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.training.global_step import get_global_step
from dataflow.variables.base import BaseVariable
from dataflow.variables.variable import is_variable_initialized

_COLLECTION: Final = "global_step_read_op_cache"


def global_step_read(hook: str) -> Any:
    """A tensor of the default graph's global step, made once.

    Args:
      hook: The class that needs it, for the message.

    Raises:
      RuntimeError: The graph has no global step.
    """
    graph = scopes.get_default_graph()
    found = graph.get_collection(_COLLECTION)
    if found:
        return found[0]
    step = get_global_step(graph)
    if step is None:
        raise RuntimeError(f"Global step should be created to use {hook}.")
    with graph.name_scope(None), graph.name_scope(f"{step.op.name}/"):
        value = step
        if isinstance(step, BaseVariable):
            value = cond(is_variable_initialized(step), step.read_value, lambda: step.initial_value)
        read = value + 0
    graph.add_to_collection(_COLLECTION, read)
    return read

"""tensorflow.python.training.basic_session_run_hooks: what hooks of programs borrow from it."""

from dataflow.training.hooks.elements import graph_element as _as_graph_element

__all__ = ["_as_graph_element"]

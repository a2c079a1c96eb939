"""tensorflow.python.training.training_util: how hooks and tests read and move the global step."""

from __future__ import annotations

from typing import Any

import dataflow.training.hooks.global_step_read as _reads
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.ops.state.reference import assign_add
from dataflow.training.global_step import get_global_step

GLOBAL_STEP_READ_KEY = _reads.COLLECTION
_get_global_step_read = _reads.existing_read
_get_or_create_global_step_read = _reads.existing_or_new_read


def _increment_global_step(increment: Any, graph: Graph | None = None) -> Any:
    """An update that adds to the global step of a graph, after that was read.

    Raises:
      ValueError: The graph has none.
    """
    graph = graph or scopes.get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError(
            "Global step tensor should be created by tf.train.get_or_create_global_step before "
            "calling increment."
        )
    read = _get_or_create_global_step_read(graph)
    with (
        graph.as_default(),
        graph.name_scope(None),
        graph.name_scope(f"{step.op.name}/"),
        graph.control_dependencies([read]),
    ):
        return assign_add(step, increment)

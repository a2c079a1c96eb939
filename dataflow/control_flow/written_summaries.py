"""Summaries that a branch or a body writes: what it gives waits for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.functions import flow
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.ops.basic.identity import identity
from dataflow.values import nest


def with_summaries(
    make: Callable[[], Any], before: Callable[[Any], Any] = lambda made: made
) -> Any:
    """What `make` gives, there once the summaries are written that it made.

    They are no longer among those of the graph: outside, nobody can run them. A TensorArray waits
    for nothing, as in TensorFlow, and neither does an operation.

    Args:
      make: Makes operations.
      before: What is done first with what it gives, once the summaries are written.
    """
    earlier = scopes.get_collection(GraphKeys._SUMMARY_COLLECTION)
    made = make()
    written = scopes.get_collection(GraphKeys._SUMMARY_COLLECTION)[len(earlier) :]
    if not written:
        return made
    scopes.get_collection_ref(GraphKeys._SUMMARY_COLLECTION)[:] = earlier
    if made is None or isinstance(made, Operation):
        return made
    with scopes.control_dependencies(written):
        return nest.map_structure(
            lambda each: each if flow.is_tensor_array(each) else identity(each),
            before(made),
            expand_composites=True,
        )

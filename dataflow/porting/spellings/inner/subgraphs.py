"""tensorflow.python.ops.op_selector and layers.utils: ways between operations of a graph."""

from __future__ import annotations

from collections.abc import MutableMapping, MutableSet
from typing import Any

from dataflow.differentiation.registry import gradient_function
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.keras.backend.questions import (
    get_reachable_from_inputs as get_reachable_from_inputs,
)
from dataflow.porting.spellings.keras.batches import object_list_uid as object_list_uid
from dataflow.porting.spellings.util.identity import ObjectIdentitySet


class UnliftableError(Exception):
    """A tensor depends on a placeholder that is not to be taken with it."""

    ag_pass_through = True


def is_differentiable(op: Operation) -> bool:
    """Whether a gradient is registered for an operation's type."""
    try:
        return gradient_function(op) is not None
    except LookupError:
        return False


def check_graphs(*args: Any) -> None:
    """Checks that all are of one graph, but for those of none.

    Raises:
      ValueError: One is of another.
    """
    graphs = [each.graph for each in args]
    first = next((graph for graph in graphs if graph is not None), None)
    for place, graph in enumerate(graphs):
        if graph is not None and graph is not first:
            raise ValueError(f"Argument[{place}]: Wrong graph!")


def graph_inputs(op: Operation) -> list[Operation]:
    """The operations that one waits for: those of its inputs, then its control inputs."""
    return [*(each.op for each in op.inputs), *op.control_inputs]


def static_shape(x: Any) -> tuple[int | None, ...] | None:
    """The sizes of a tensor as far as they are known; None without a rank, or for None."""
    if x is None or x.shape.rank is None:
        return None
    return tuple(x.shape.as_list())


def map_subgraph(
    init_tensor: Any,
    sources: Any,
    disallowed_placeholders: Any,
    visited_ops: MutableSet[Operation],
    op_outputs: MutableMapping[Operation, Any],
    add_sources: bool,
) -> ObjectIdentitySet:
    """Goes from a tensor or operation back to the sources.

    Args:
      init_tensor: Where to begin.
      sources: Tensors where to stop.
      disallowed_placeholders: Operations that must not be met; None for all placeholders.
      visited_ops: Operations where others have been; it gets those that are met here.
      op_outputs: By operation, a set of those that use it; this fills it.
      add_sources: Whether placeholders may be met that are no sources.

    Returns:
      The outputs of the placeholders that were met.

    Raises:
      UnliftableError: An operation was met that must not be.
    """
    waiting = [_operation(init_tensor)]
    met = ObjectIdentitySet()
    while waiting:
        op = waiting.pop()
        if op in visited_ops:
            continue
        visited_ops.add(op)
        is_placeholder = op.type == "Placeholder"
        if disallowed_placeholders is not None:
            refused = op in disallowed_placeholders
        else:
            refused = is_placeholder and not add_sources
        if refused:
            raise UnliftableError(
                f"Unable to lift tensor {init_tensor!r} because it depends transitively on "
                f"placeholder {op!r} via at least one path, e.g.: "
                f"{_path_from(op, init_tensor, sources)}"
            )
        if is_placeholder:
            met.update(op.outputs)
        for source in graph_inputs(op):
            op_outputs[source].add(op)
            if source not in visited_ops and source not in (sources or met):
                waiting.append(source)
    return met


def _operation(of: Any) -> Operation:
    return of.op if isinstance(of, Tensor) else of


def _path_from(from_op: Any, tensor: Any, sources: Any) -> str:
    """One way from an operation to a tensor that passes no source, as text, the tensor first."""
    start, end = _operation(from_op), _operation(tensor)
    visited = {each.op for each in sources}
    users: dict[Operation, Operation] = {}
    waiting = [end]
    while waiting:
        op = waiting.pop()
        if op in visited:
            continue
        visited.add(op)
        if op == start:
            way = [op]
            while way[-1] != end:
                way.append(users[way[-1]])
            return " <- ".join(f"{each.name} ({each.type})" for each in reversed(way))
        for source in graph_inputs(op):
            if source not in visited:
                users[source] = op
                waiting.append(source)
    return "??"

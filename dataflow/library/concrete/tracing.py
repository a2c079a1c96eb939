"""Makes concrete functions of a Python function and the arguments of a call."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dataflow.functions.func_graph import FuncGraph, uid
from dataflow.functions.tracing import pack_tensors, trace
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library.concrete.arguments import BoundArguments
from dataflow.library.concrete.function import Arguments, ConcreteFunction
from dataflow.library.datasets.specs import TensorSpec, spec_of
from dataflow.values import nest
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.shapes import TensorShape


class TracedFunction(ConcreteFunction):
    """A concrete function whose body was made in this program."""

    def __init__(self, graph: FuncGraph, bound: BoundArguments, attrs: Mapping[str, Any]) -> None:
        """Makes one of a body.

        Args:
          graph: The body.
          bound: What it was traced with.
          attrs: Attrs of the function.
        """
        count = len(bound.parameters)
        made = graph.to_function()
        for name, value in attrs.items():
            if isinstance(value, bool):
                made.definition.attr[name].b = value
            else:
                made.definition.attr[name].s = str(value).encode()
        names = _unique([each.name or "" for each in bound.parameters])
        specs = tuple(TensorSpec(t.shape, t.dtype) for t in graph.inputs[:count])
        captured = graph.external_captures
        super().__init__(
            made,
            Arguments(names, specs, count, bound.signature),
            nest.map_structure(described, graph.structured_outputs),
            captured,
            variables_among(captured),
        )

    def call_with(self, tensors: Sequence[Tensor]) -> Any:
        """Adds a call on the tensors of a call's arguments."""
        return self._packed(self._call(tensors, self._captured))

    def _waits_for(self) -> list[Operation]:
        return list(self.graph.captured.control)

    def _result_shapes(self) -> list[TensorShape]:
        return self.graph.output_shapes

    def _packed(self, found: Any) -> Any:
        results = self.graph.structured_outputs
        if results is None:
            return found
        return pack_tensors(results, found if isinstance(found, list) else [])


def traced(
    function: Callable[..., Any], name: str, bound: BoundArguments, attrs: Mapping[str, Any]
) -> TracedFunction:
    """Runs a Python function, in a body of its own.

    Args:
      function: What is run.
      name: A part of the graph function's name.
      bound: Its arguments.
      attrs: Attrs of the graph function.

    Raises:
      TypeError: A result is nothing that can become a tensor.
    """
    graph = FuncGraph(f"__inference_{name}_{uid()}")

    @functools.wraps(function)
    def call(*placeholders: Tensor) -> Any:
        args, kwargs = bound.unpacked(placeholders)
        return function(*args, **kwargs)

    return TracedFunction(trace(graph, call, bound.parameters), bound, attrs)


def home_of(function: ConcreteFunction) -> Graph:
    """The graph in which a function can be called again: the innermost that it has tensors of."""
    graph = scopes.get_default_graph()
    owners = {id(tensor.graph) for tensor in function.captured_inputs}
    while isinstance(graph, FuncGraph) and id(graph) not in owners:
        graph = graph.outer_graph
    return graph


def variables_among(captured: Sequence[Tensor]) -> list[Any]:
    """The variables whose handles are among captured tensors."""
    with scopes.init_scope():
        keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
        known = [each for key in keys for each in scopes.get_collection(key)]
    return [
        each
        for each in known
        if any(getattr(each, "handle", None) is tensor for tensor in captured)
    ]


def described(result: Any) -> Any:
    """What a result is known by."""
    if isinstance(result, Tensor):
        return TensorSpec(result.shape, result.dtype)
    return spec_of(result) if isinstance(result, CompositeTensor) else result


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with a number behind those that are there already."""
    seen: dict[str, None] = {}
    for name in names:
        found, number = name, 1
        while found in seen:
            found, number = f"{name}_{number}", number + 1
        seen[found] = None
    return tuple(seen)

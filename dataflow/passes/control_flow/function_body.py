"""The functions of a graph's library as NodeGraphs, which is how they are inlined and run."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from dataflow.errors import InvalidArgumentError, OpError
from dataflow.passes.control_flow.call_graph import called_by
from dataflow.passes.graphs.import_graph import extend
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.schema.instantiation import FunctionSchemas, function_key, in_function, instantiate
from dataflow.schema.opdef import OpDef
from dataflow.values.attrs import NameAttrList
from dataflow.values.dtypes import DType


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """What a function computes.

    Attributes:
        name: The function's name.
        graph: Its nodes. Nobody changes them: many calls share the body.
        arguments: Its `_Arg` nodes, in order.
        results: Its `_Retval` nodes, in order.
        effects: Nodes that run whether or not a result needs them.
        stateful: Nodes that have a state or a side effect.
    """

    name: str
    graph: NodeGraph
    arguments: tuple[Node, ...]
    results: tuple[Node, ...]
    effects: tuple[Node, ...]
    stateful: tuple[Node, ...]

    @property
    def argument_types(self) -> tuple[DType, ...]:
        """Element types of the arguments."""
        return tuple(node.attrs["T"] for node in self.arguments)

    @property
    def result_types(self) -> tuple[DType, ...]:
        """Element types of the results."""
        return tuple(node.attrs["T"] for node in self.results)


class FunctionBodies:
    """Makes the bodies of a library's functions, each once."""

    def __init__(self, graph: NodeGraph) -> None:
        """Takes the library of a graph."""
        self._graph = graph.empty_copy()
        self._functions: Mapping[str, FunctionDef] = self._graph.functions
        self._schemas = FunctionSchemas(self._functions)
        self._bodies: dict[bytes, FunctionBody] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def find_op(self, name: str) -> OpDef | None:
        """The schema of an op type or function, or None."""
        return self._schemas.find(name)

    def unknown_op(self, name: str) -> str:
        """An op type in the body of a function that is not registered; empty if all are."""
        function = self._functions.get(name)
        nodes = () if function is None else function.node_def
        return next((node.op for node in nodes if self.find_op(node.op) is None), "")

    def ops(self, name: str) -> Set[str]:
        """The op types in the body of a function, and in those of functions that it calls."""
        found: set[str] = set()
        waiting, seen = [name], {name}
        while waiting:
            function = self._functions.get(waiting.pop())
            for node in () if function is None else function.node_def:
                found.add(node.op)
                new = self._functions.keys() & set(called_by(node)) - seen
                seen |= new
                waiting.extend(new)
        return found

    def body(self, function: NameAttrList) -> FunctionBody:
        """The body of a function under attrs.

        Raises:
          InvalidArgumentError: There is no such function, or it is malformed; names function and
            node.
        """
        key = function_key(function)
        found = self._bodies.get(key)
        if found is None:
            found = self._bodies[key] = self._make(function)
        return found

    def _make(self, function: NameAttrList) -> FunctionBody:
        definition = self._functions.get(function.name)
        if definition is None:
            raise InvalidArgumentError(
                None,
                None,
                f"Function {function.name} is not defined: the graph's library does not have it.",
            )
        nodes = instantiate(definition, dict(function.attrs), self.find_op)
        graph = self._graph.empty_copy()
        try:
            extend(graph, nodes.graph_def, partition=True)
        except OpError as error:
            raise in_function(error, function.name) from None
        for node in graph.nodes():
            # Bodies are placed with the graph that calls them.
            node.assigned_device = ""

        def find(names: tuple[str, ...]) -> tuple[Node, ...]:
            found = tuple(map(graph.find, names))
            return tuple(node for node in found if node is not None)

        return FunctionBody(
            name=function.name,
            graph=graph,
            arguments=find(nodes.arguments),
            results=find(nodes.results),
            effects=find(nodes.effects),
            stateful=tuple(node for node in graph.nodes() if _has_effects(node)),
        )


def _has_effects(node: Node) -> bool:
    """True if it matters whether a node runs, even if nothing needs what it gives."""
    return node.op_def.is_stateful and node.op not in ("_Arg", "_Retval", "VarHandleOp")

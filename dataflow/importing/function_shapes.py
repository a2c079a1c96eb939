"""Static shapes of what a function returns, from those of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from dataflow.errors import InvalidArgumentError
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.schema.instantiation import FunctionSchemas, function_key, instantiate
from dataflow.values.attrs import NameAttrList
from dataflow.values.shapes import TensorShape

MakeNodes = Callable[
    [Graph, GraphDef, Mapping[tuple[str, int], Tensor], "CallShapes"], Mapping[str, Operation]
]
"""Makes the operations of a GraphDef: for which graph, the nodes, what stands for inputs that are
not among them, and what knows the shapes of calls. Gives the operations by name."""
CALLS: Final = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
"""Calls whose results are as those of the body; for others TensorFlow says nothing."""
MAX_DEPTH: Final = 50
"""Calls within calls that are looked into."""
MAX_NODES: Final = 200_000
"""Nodes of bodies that are looked at for one library, in all."""


class CallShapes:
    """Works the shapes out, once for each function and shapes of its arguments."""

    def __init__(self, functions: Mapping[str, FunctionDef], make: MakeNodes) -> None:
        """Takes a function library, and what makes operations of its nodes."""
        self._functions = functions
        self._schemas = FunctionSchemas(functions)
        self._make = make
        self._known: dict[Any, list[TensorShape] | None] = {}
        self._depth = 0
        self._num_nodes = 0

    def infer(self, op: Operation) -> list[TensorShape] | None:
        """The shapes of the outputs of a call, or None.

        A function that calls itself, or is malformed, has results of unknown shapes: whether it can
        run shows when it is to.
        """
        function: NameAttrList = op.attrs["f"]
        arguments = [(t.dtype.base_dtype, t.shape.dims_tuple, t.handle_data) for t in op.inputs]
        key = (function_key(function), str(arguments))
        if key not in self._known:
            self._known[key] = None
            self._depth += 1
            try:
                if self._depth <= MAX_DEPTH and self._num_nodes <= MAX_NODES:
                    self._known[key] = self._results(function, op)
            except (InvalidArgumentError, ValueError):
                pass
            finally:
                self._depth -= 1
        shapes = self._known[key]
        return shapes if shapes is not None and len(shapes) == len(op.outputs) else None

    def _results(self, function: NameAttrList, op: Operation) -> list[TensorShape] | None:
        definition = self._functions.get(function.name)
        if definition is None:
            return None
        nodes = instantiate(definition, dict(function.attrs), self._schemas.find)
        if len(nodes.arguments) != len(op.inputs):
            return None
        self._num_nodes += len(nodes.graph_def.node)
        graph = Graph()
        givens, body = GraphDef(), GraphDef()
        result_inputs: dict[str, str] = {}
        for node in nodes.graph_def.node:
            if node.op == "_Arg":
                given = givens.node.add(name=node.name, op="Placeholder")
                given.attr["dtype"].CopyFrom(node.attr["T"])
                shape = op.inputs[node.attr["index"].i].shape
                given.attr["shape"].shape.CopyFrom(shape.as_proto())
            elif node.op == "_Retval":
                result_inputs[node.name] = node.input[0]
            else:
                body.node.append(node)
        inputs: dict[tuple[str, int], Tensor] = {}
        for name, given_op in self._make(graph, givens, {}, self).items():
            (tensor,) = given_op.outputs
            inputs[name, 0] = inputs[name, -1] = tensor
        for name, outer in zip(nodes.arguments, op.inputs, strict=True):
            inputs[name, 0].handle_data = outer.handle_data
        made = self._make(graph, body, inputs, self)

        def shape_of(text: str) -> TensorShape:
            name, _, output = text.partition(":")
            given = inputs.get((name, 0))
            return (made[name].outputs[int(output or 0)] if given is None else given).shape

        return [shape_of(result_inputs[name]) for name in nodes.results]

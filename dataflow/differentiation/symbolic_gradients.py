"""Gradient functions for functions that came with none, made when a session is sent the graph.

A SymbolicGradient node says "the gradient of that function". TensorFlow differentiates the function
when the node runs; here it is done while there still is a graph to do it in.
"""

from __future__ import annotations

from collections.abc import Iterable

import dataflow.ops.array.fill as array_fill
from dataflow.differentiation.gradients import gradients
from dataflow.differentiation.zeros import zeros_dtype
from dataflow.functions.func_graph import FuncGraph, find_function
from dataflow.functions.function_def_import import add_function_body
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.parts.functions import GraphFunction
from dataflow.graph.tensor import HandleData, Tensor
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_GRADIENT_OP = "SymbolicGradient"


def add_missing_gradients(graph: Graph, graph_def: GraphDef) -> None:
    """Gives functions that SymbolicGradient nodes name a gradient function, where they have none.

    What cannot be differentiated is left without: the node fails if it is to run.

    Args:
      graph: The graph; it keeps what is made.
      graph_def: The graph, or the newest part of it, with all functions; they are added there.
    """
    library = graph_def.library
    if not library.function:
        return
    known = {entry.function_name for entry in library.gradient}
    present = {function.signature.name for function in library.function}
    waiting = [*_named(graph_def.node), *(n for f in library.function for n in _named(f.node_def))]
    bodies = (function.graph for function in graph._functions.values())
    callers: list[Graph] = [graph, *(body for body in bodies if body is not None)]
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        known.add(name)
        made = _gradient_function(graph, name, callers)
        if made is None:
            continue
        if made.graph is not None:
            callers.append(made.graph)
        library.gradient.add(function_name=name, gradient_func=made.name)
        for function in (made, *made.children):
            if function.name not in present:
                present.add(function.name)
                library.function.append(function.definition)
                waiting += _named(function.definition.node_def)


def _named(nodes: Iterable[NodeDef]) -> list[str]:
    return [node.attr["f"].func.name for node in nodes if node.op == _GRADIENT_OP]


def _gradient_function(graph: Graph, name: str, callers: Iterable[Graph]) -> GraphFunction | None:
    kept: dict[str, GraphFunction | None] = graph._functions.derived_gradients
    if name not in kept:
        function = find_function(graph, name)
        made = None
        if function is not None:
            own_name = f"{name}_symbolic_gradient"
            made, _ = differentiated(own_name, graph, function, _handle_data(name, callers))
        kept[name] = made
    return kept[name]


def _handle_data(name: str, callers: Iterable[Graph]) -> list[HandleData | None]:
    """What the first gradient of a function that is asked for knows of the arguments' handles."""
    for caller in callers:
        for op in caller.get_operations():
            if op.type == _GRADIENT_OP and op.attrs["f"].name == name:
                return [tensor.handle_data for tensor in op.inputs]
    return []


def differentiated(
    name: str, graph: Graph, function: GraphFunction, handle_data: Iterable[HandleData | None]
) -> tuple[GraphFunction | None, list[Tensor]]:
    """A function of the arguments and the gradients of the results, giving those of the former.

    Args:
      name: Its name.
      graph: The graph that is to have it.
      function: What is differentiated.
      handle_data: What is known of the arguments' handles.

    Returns:
      The function, None if there is no gradient; and the tensors of graphs around that it takes
      behind those, because a gradient function in Python has them.
    """
    definition = function.definition
    body = FuncGraph(name, graph)
    try:
        with body.as_default():
            inputs, outputs = add_function_body(body, definition, graph)
            for tensor, known in zip(inputs, handle_data, strict=False):
                tensor.handle_data = tensor.handle_data or known
            if isinstance(function.graph, FuncGraph):
                _stand_in(body, function.graph, inputs)
            body.inputs = []
            grads = [
                body.placeholder(tensor.dtype, TensorShape.of(None), None) for tensor in outputs
            ]
            found = gradients(outputs, inputs, grads)
            results = [
                _zeros_like(tensor) if grad is None else identity(convert_to_tensor(grad))
                for tensor, grad in zip(inputs, found, strict=True)
            ]
    except (LookupError, TypeError, ValueError):
        return None, []
    captured = body.inputs
    outside = [tensor for tensor, inner in body.captured if inner in captured]
    body.inputs = [*inputs, *grads, *captured]
    body.outputs = results
    return body.to_function(_ancestors(results)), outside


def _stand_in(body: FuncGraph, original: FuncGraph, inputs: Iterable[Tensor]) -> None:
    """Has a copied body take its own tensors where a custom gradient knows the original's."""
    copies = dict(zip(original.inputs, inputs, strict=True))
    present = {op.name: op for op in body.get_operations()}
    for op in original.get_operations():
        copy = present.get(op.name)
        if copy is not None and copy.type == op.type:
            copies |= zip(op.outputs, copy.outputs, strict=True)
    copies |= {outer: copies[inner] for outer, inner in original.captures if inner in copies}
    for tensor, copied in copies.items():
        body.captured.add(tensor, copied)


def _zeros_like(tensor: Tensor) -> Tensor:
    """Zeros of the shape of an argument, or of the variable behind it; of a table itself."""
    if tensor.dtype is dtypes.resource:
        if not tensor.handle_data:
            kept: Tensor = identity(tensor)
            return kept
        return array_fill.zeros(single("VariableShape", tensor), dtype=zeros_dtype(tensor))
    zeros: Tensor = array_fill.zeros_like(tensor)
    return zeros


def _ancestors(tensors: Iterable[Tensor]) -> set[Operation]:
    """The operations that have to run for some tensors: a gradient repeats no other effects."""
    found: set[Operation] = set()
    stack = [tensor.op for tensor in tensors]
    while stack:
        op = stack.pop()
        if op not in found:
            found.add(op)
            stack += [tensor.op for tensor in op.inputs]
            stack += op.control_inputs
    return found

"""Gradient functions for functions that came with none, made when a session is sent the graph.

A SymbolicGradient node says "the gradient of that function". TensorFlow differentiates the function
when the node runs; here it is done while there still is a graph to do it in.
"""

from __future__ import annotations

from collections.abc import Iterable

import dataflow.ops.array as array_ops
from dataflow.func_graph import FuncGraph, find_function
from dataflow.function_def_import import add_function_body
from dataflow.gradients import gradients
from dataflow.graph import Graph
from dataflow.graph_functions import GraphFunction
from dataflow.operation import Operation
from dataflow.ops.identity import identity
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.shapes import TensorShape
from dataflow.tensor import Tensor

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
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        known.add(name)
        made = _gradient_function(graph, name)
        if made is None:
            continue
        library.gradient.add(function_name=name, gradient_func=made.name)
        for function in (made, *made.children):
            if function.name not in present:
                present.add(function.name)
                library.function.append(function.definition)
                waiting += _named(function.definition.node_def)


def _named(nodes: Iterable[NodeDef]) -> list[str]:
    return [node.attr["f"].func.name for node in nodes if node.op == _GRADIENT_OP]


def _gradient_function(graph: Graph, name: str) -> GraphFunction | None:
    kept: dict[str, GraphFunction | None] = graph._functions.derived_gradients
    if name not in kept:
        function = find_function(graph, name)
        made = None if function is None else _differentiated(graph, function)
        kept[name] = made
    return kept[name]


def _differentiated(graph: Graph, function: GraphFunction) -> GraphFunction | None:
    """A function of the arguments and the gradients of the results, giving those of the former."""
    definition = function.definition
    body = FuncGraph(f"{function.name}_symbolic_gradient", graph)
    try:
        with body.as_default():
            inputs, outputs = add_function_body(body, definition, graph)
            grads = [
                body.placeholder(tensor.dtype, TensorShape.of(None), None) for tensor in outputs
            ]
            found = gradients(outputs, inputs, grads)
            results = [
                array_ops.zeros_like(tensor) if grad is None else identity(grad)
                for tensor, grad in zip(inputs, found, strict=True)
            ]
    except (LookupError, TypeError, ValueError):
        return None
    body.inputs = [*inputs, *grads]
    body.outputs = results
    return body.to_function(_ancestors(results))


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

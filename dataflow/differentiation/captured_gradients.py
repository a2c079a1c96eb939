"""Gradients of calls of functions whose gradient functions in Python take tensors from outside."""

from __future__ import annotations

from typing import Any

from dataflow.differentiation.calls import symbolic_gradient
from dataflow.differentiation.symbolic_gradients import differentiated
from dataflow.functions.func_graph import FuncGraph, find_function, uid
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.schema import opdef
from dataflow.values import dtypes
from dataflow.values.attrs import NameAttrList


def differentiate_here(graph: Graph) -> None:
    """Has calls of a function and of those around it differentiated where outer tensors are known.

    Args:
      graph: Where an operation is that has a gradient function in Python.
    """
    while isinstance(graph, FuncGraph):
        graph.python_grad_func = _gradient
        graph = graph.outer_graph


def _gradient(op: Operation, *grads: Any) -> list[Any]:
    """By a call of the function's gradient if that takes outer tensors, else as of any function."""
    function = find_function(op.graph, op.attrs["f"].name)
    assert function is not None
    known = [tensor.handle_data for tensor in op.inputs]
    name = f"__backward_{function.name}_{uid()}"
    made, outside = differentiated(name, op.graph, function, known)
    if made is None or not outside:
        return symbolic_gradient(op, *grads)
    graph = scopes.get_default_graph()
    graph._add_function_recursive(made)
    inputs = [*op.inputs, *grads, *outside]
    signature = made.definition.signature
    definition = opdef.find("StatefulPartitionedCall" if signature.is_stateful else op.type)
    assert definition is not None
    types = [arg.type for arg in signature.output_arg]
    attrs = {
        **op.attrs,
        "Tin": tuple(tensor.dtype.base_dtype for tensor in inputs),
        "Tout": tuple(map(dtypes.as_dtype, types)),
        "f": NameAttrList(made.name),
    }
    node = graph.add_op(definition, inputs, attrs, None)
    return [None if out.dtype is dtypes.resource else out for out in node.outputs]

"""The gradient of a call: by the function's own gradient, or by a node that differentiates it."""

from __future__ import annotations

from typing import Any

from dataflow.functions.func_graph import find_function
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.schema import opdef
from dataflow.schema.opdef import GradientFunction
from dataflow.values import dtypes
from dataflow.values.attrs import NameAttrList

_PARTITIONED = ("PartitionedCall", "StatefulPartitionedCall")


def call_gradient(op: Operation, graph: Graph) -> GradientFunction | None:
    """The function that differentiates a call, or None if an operation is no call.

    Args:
      op: An operation whose type has no gradient.
      graph: The graph that has the function, or a graph around it has.
    """
    if op.type not in _PARTITIONED and not graph._is_function(op.type):
        return None
    name = op.attrs["f"].name if op.type in _PARTITIONED else op.type
    function = find_function(graph, name)
    if function is not None and function.python_grad_func is not None:
        return function.python_grad_func
    return symbolic_gradient


def symbolic_gradient(op: Operation, *grads: Any) -> list[Any]:
    """Gradients of a call by a SymbolicGradient node, which is given one for each output."""
    attrs = dict(op.attrs)
    name = attrs["f"].name if op.type in _PARTITIONED else op.type
    called = NameAttrList(name, tuple(sorted(attrs.items())))
    inputs = [*op.inputs, *grads]
    types = [_gradient_type(tensor) for tensor in op.inputs]
    definition = opdef.find("SymbolicGradient")
    assert definition is not None
    node = scopes.get_default_graph().add_op(
        definition,
        inputs,
        {
            "Tin": tuple(tensor.dtype.base_dtype for tensor in inputs),
            "Tout": tuple(types),
            "f": called,
        },
        None,
    )
    # A handle of something else than a variable has no gradient.
    return [None if out.dtype is dtypes.resource else out for out in node.outputs]


def _gradient_type(tensor: Any) -> Any:
    if tensor.dtype is dtypes.resource and tensor.handle_data:
        return tensor.handle_data[0][0]
    return tensor.dtype.base_dtype

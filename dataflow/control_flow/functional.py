"""What If, Case and While nodes have in common: their functions, their attrs, their rewriting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from typing import Any

from dataflow.functions.automatic_control import READ_ONLY_INPUTS, read_only_inputs
from dataflow.functions.func_graph import FuncGraph, find_function, uid
from dataflow.functions.function_def_import import function_def_to_graph
from dataflow.graph import scopes
from dataflow.graph.contexts import containing_xla_context
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.parts.functions import GraphFunction
from dataflow.graph.tensor import Tensor
from dataflow.schema import opdef
from dataflow.values import dtypes
from dataflow.values.attrs import NameAttrList
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

LOWERING_ATTR = "_lower_using_switch_merge"


def unique_function_name(scope: str, name: str) -> str:
    """A name for a function made in a name scope."""
    return f"{scope}{name}_{uid()}".replace("/", "_")


def unique_gradient_name(forward_name: str) -> str:
    """A name for the gradient of a function."""
    return f"{forward_name}_grad_{uid()}"


def add_function(graph: FuncGraph) -> NameAttrList:
    """Makes a body as it is now a function of the graph around it."""
    graph.outer_graph._add_function_recursive(graph.to_function())
    return NameAttrList(graph.name)


def add_functional_op(
    op_type: str, inputs: Sequence[Tensor], attrs: dict[str, Any], name: str | None
) -> Operation:
    """Adds a node that calls functions to the graph of its inputs, or to the function around.

    Raises:
      ValueError: Inputs are of different graphs, which are no functions around.
    """
    graph = scopes.graph_of(inputs)
    definition = opdef.find(op_type)
    assert definition is not None, op_type
    for attr in definition.attrs:
        if attr.has_default:
            attrs.setdefault(attr.name, attr.default)
    # A loop or branch around may bring the inputs in: by nodes in this node's name scope.
    with graph.as_default(), graph.name_scope(name or op_type) as scope:
        return graph.add_op(definition, inputs, attrs, scope)


def mark_for_lowering(op: Operation, lower: bool | None = None) -> None:
    """Says whether the node is to become Switch and Merge nodes before it runs.

    Nothing is said of what a program wants to be compiled.
    """
    if lower is not None or not is_to_be_compiled(op.graph):
        op._set_attr(LOWERING_ATTR, True if lower is None else lower)


def is_to_be_compiled(graph: Graph) -> bool:
    """True if a program wants what is made in a graph, or where its function is, compiled."""
    while containing_xla_context(graph._get_control_flow_context()) is None:
        if not isinstance(graph, FuncGraph):
            return False
        graph = graph.outer_graph
    return True


def mark_read_only_inputs(op: Operation, graphs: Iterable[FuncGraph], first_input: int) -> None:
    """Says which resources the functions of a node only read.

    Args:
      op: The node.
      graphs: The bodies of its functions.
      first_input: Which input of the node is the first one of the functions.
    """
    found = set.intersection(*(read_only_inputs(graph) for graph in graphs))
    op._set_attr(READ_ONLY_INPUTS, tuple(sorted(index + first_input for index in found)))


def is_stateful(graphs: Iterable[FuncGraph]) -> bool:
    """True if a body has an operation with a state or a side effect."""
    return any(op.op_def.is_stateful for graph in graphs for op in graph.get_operations())


def add_outputs(op: Operation, types: Iterable[DType], shapes: Iterable[TensorShape]) -> None:
    """Adds outputs to a node that exists already."""
    op.graph._note_mutation(op, "adding outputs")
    for dtype, shape in zip(types, shapes, strict=True):
        op.outputs.append(Tensor(op, len(op.outputs), dtype, shape))


def add_inputs(op: Operation, tensors: Iterable[Tensor]) -> None:
    """Adds inputs to a node that exists already."""
    op.graph._note_mutation(op, "adding inputs")
    for tensor in tensors:
        op._inputs = (*op._inputs, tensor)
        tensor._consumers.append(op)


def copy_handle_data(sources: Iterable[Tensor], targets: Iterable[Tensor]) -> None:
    """Says of tensors that they point to what others point to."""
    for source, target in zip(sources, targets, strict=False):
        if source.handle_data is not None and target.dtype in (dtypes.resource, dtypes.variant):
            target.handle_data = source.handle_data


def body_of(op: Operation, name: str, input_shapes: Sequence[TensorShape]) -> FuncGraph:
    """A body for a function that a node calls, made from its FunctionDef.

    Raises:
      KeyError: Neither the graph nor one around it has the function.
    """
    function: GraphFunction | None = find_function(op.graph, name)
    if function is None:
        raise KeyError(f"{name} cannot be found in the graph")
    return function_def_to_graph(function.definition, op.graph, input_shapes)


@contextmanager
def without_control_inputs() -> Any:
    """Leaves control dependencies, but not the control-flow context."""
    graph: Graph = scopes.get_default_graph()
    context = graph._get_control_flow_context()
    with graph.control_dependencies(None):
        graph._set_control_flow_context(context)
        yield

"""Which input of a body a resource handle inside it is."""

from __future__ import annotations

from dataflow.functions.func_graph import FuncGraph, find_function
from dataflow.graph.graph import Graph
from dataflow.graph.parts.functions import GraphFunction
from dataflow.graph.tensor import Tensor
from dataflow.proto.function_pb2 import FunctionDef


def resource_input_index(tensor: Tensor, graph: FuncGraph) -> int:
    """The index of the input of `graph` that a handle comes from, through nodes that pass it on.

    Raises:
      ValueError: The handle is made in the body.
      AssertionError: Branches of a conditional give it from different inputs.
    """
    while tensor not in graph.inputs:
        op, index = tensor.op, tensor.value_index
        if op.type in ("Identity", "While", "StatelessWhile"):
            tensor = op.inputs[index]
        elif op.type in ("PartitionedCall", "StatefulPartitionedCall"):
            tensor = op.inputs[_passed_on(op.attrs["f"].name, index, graph)]
        elif op.type in ("If", "StatelessIf"):
            source = _passed_on(op.attrs["then_branch"].name, index, graph)
            if source != _passed_on(op.attrs["else_branch"].name, index, graph):
                raise AssertionError(
                    f"Expected cond branches ({op.type} op) to each have the same input->output "
                    "mapping of resources."
                )
            tensor = op.inputs[source + 1]
        else:
            raise ValueError(
                "Taking gradient of a while loop which creates a resource in its body is not "
                f"supported: {op.name} ({op.type})"
            )
    return graph.inputs.index(tensor)


def _passed_on(name: str, output: int, graph: Graph) -> int:
    """Which argument of a function its result of that index is."""
    function: GraphFunction | None = find_function(graph, name)
    if function is None:
        raise KeyError(f"{name} cannot be found in the graph")
    definition = function.definition
    place = definition.ret[definition.signature.output_arg[output].name]
    return _argument(definition, place, graph)


def _argument(definition: FunctionDef, place: str, graph: Graph) -> int:
    names = [arg.name for arg in definition.signature.input_arg]
    nodes = {node.name: node for node in definition.node_def}
    while place not in names:
        node_name, _, rest = place.partition(":")
        node = nodes[node_name]
        index = int(rest.rpartition(":")[2] or 0)
        if node.op in ("Identity", "While", "StatelessWhile"):
            place = node.input[index]
        elif node.op in ("PartitionedCall", "StatefulPartitionedCall"):
            place = node.input[_passed_on(node.attr["f"].func.name, index, graph)]
        elif node.op in ("If", "StatelessIf"):
            place = node.input[1 + _passed_on(node.attr["then_branch"].func.name, index, graph)]
        else:
            raise ValueError(
                "Taking gradient of a while loop which creates a resource in its body is not "
                f"supported: {node.name} ({node.op})"
            )
    return names.index(place)

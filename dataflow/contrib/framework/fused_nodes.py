"""fuse_op: one node in the place of those between inputs and outputs of a GraphDef."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema.node_validation import parse_input


def fuse_op(
    graph_def: GraphDef,
    input_nodes: Sequence[str],
    output_nodes: Sequence[str],
    output_dtypes: Sequence[int],
    output_quantized: bool,
    op_name: str,
    op_type: str,
) -> GraphDef:
    """The graph with one op in the place of those between some nodes and others.

    Args:
      graph_def: The graph; it stays as it is.
      input_nodes: Names of nodes that are the new op's inputs; they stay.
      output_nodes: Names of nodes of one input each that stay behind the new op.
      output_dtypes: Types of the op's outputs, as numbers.
      output_quantized: Whether they are quantized.
      op_name: The new node's name.
      op_type: Its op.

    Raises:
      TypeError: If `graph_def` is none, names are a string, or what is replaced needs a node that
        comes before the inputs and is none of them.
      AssertionError: If a node is not there, or an output has not one input.
    """
    if not isinstance(graph_def, GraphDef):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    for argument, given in (("input_nodes", input_nodes), ("output_nodes", output_nodes)):
        if isinstance(given, str):
            raise TypeError(f"{argument} must be a list.")
    nodes = {node.name: node for node in graph_def.node}
    needed = {node.name: [parse_input(text)[0] for text in node.input] for node in graph_def.node}
    for name in [*input_nodes, *output_nodes]:
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
    before = _reached(input_nodes, needed)
    up_to_outputs = _reached(output_nodes, needed)
    behind = []
    for name in nodes:
        if name in up_to_outputs:
            if name not in before and name not in output_nodes:
                _check_inputs(name, needed, input_nodes, before)
        elif name not in before:
            behind.append(name)
    result = GraphDef()
    result.node.extend(node for name, node in nodes.items() if name in before)
    fused = result.node.add(name=op_name, op=op_type, input=input_nodes)
    fused.attr["_output_types"].list.type[:] = output_dtypes  # type: ignore[assignment]
    fused.attr["_output_quantized"].b = output_quantized
    for index, name in enumerate(output_nodes):
        output = NodeDef()
        output.CopyFrom(nodes[name])
        if len(output.input) != 1:
            raise AssertionError(
                f"Output node {name} must have one input, and has {len(output.input)}."
            )
        output.input[0] = f"{op_name}:{index}" if index else op_name
        result.node.append(output)
    result.node.extend(nodes[name] for name in behind)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def _reached(ends: Iterable[str], needed: Mapping[str, Sequence[str]]) -> set[str]:
    """The names of nodes and of all that they need."""
    found: set[str] = set()
    pending = list(ends)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(needed[name])
    return found


def _check_inputs(
    name: str,
    needed: Mapping[str, Sequence[str]],
    input_nodes: Sequence[str],
    before: set[str],
) -> None:
    """Raises TypeError if a node has another way to what comes before the inputs."""
    seen: set[str] = set()
    pending = [name]
    while pending:
        current = pending.pop(0)
        if current in seen:
            continue
        seen.add(current)
        if current in input_nodes:
            continue
        if current in before:
            raise TypeError(f"Node {name} uses input {current} not in input_nodes.")
        pending.extend(needed[current])

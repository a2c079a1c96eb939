"""strip_unused: a graph that begins at placeholders, and has only what its outputs need."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from dataflow.importing.sub_graphs import extract_sub_graph
from dataflow.library.files import gfile
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.transforms.files import read_graph, write_graph_file
from dataflow.transforms.views import with_nodes


def strip_unused(
    input_graph_def: GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: int | list[int],
) -> GraphDef:
    """The nodes that the outputs need, with placeholders for the inputs.

    Args:
      input_graph_def: The graph.
      input_node_names: Nodes that become placeholders.
      output_node_names: Nodes to keep.
      placeholder_type_enum: The type of the placeholders, or a list with one for each.

    Raises:
      ValueError: An input is a tensor's name.
      KeyError: An input is not in the graph.
    """
    for name in input_node_names:
        if ":" in name:
            raise ValueError(f"Name '{name}' appears to refer to a Tensor, not an Operation.")
    missing = set(input_node_names) - {node.name for node in input_graph_def.node}
    if missing:
        raise KeyError(f"The following input nodes were not found: {missing}.")
    nodes = []
    for node in input_graph_def.node:
        if node.name in input_node_names:
            kind = placeholder_type_enum
            if isinstance(kind, list):
                kind = kind[list(input_node_names).index(node.name)]
            node = _placeholder(node, kind)
        nodes.append(node)
    return extract_sub_graph(with_nodes(input_graph_def, nodes), output_node_names)


def _placeholder(node: NodeDef, kind: int) -> NodeDef:
    result = NodeDef(name=node.name, op="Placeholder")
    result.attr["dtype"].type = kind  # type: ignore[assignment]
    for key in ("_output_shapes", "shape"):
        if key in node.attr:
            result.attr[key].CopyFrom(node.attr[key])
    return result


def strip_unused_from_files(
    input_graph: str,
    input_binary: bool,
    output_graph: str,
    output_binary: bool,
    input_node_names: str,
    output_node_names: str,
    placeholder_type_enum: int | list[int],
) -> int | None:
    """As `strip_unused`, of a file to a file; names stand between commas.

    Returns:
      None, or -1 if the file is not there or no output is named, which is printed.
    """
    if not gfile.exists(input_graph):
        sys.stdout.write(f"Input graph file '{input_graph}' does not exist!\n")
        return -1
    if not output_node_names:
        sys.stdout.write("You need to supply the name of a node to --output_node_names.\n")
        return -1
    stripped = strip_unused(
        read_graph(input_graph, input_binary),
        input_node_names.split(","),
        output_node_names.split(","),
        placeholder_type_enum,
    )
    write_graph_file(stripped, output_graph, output_binary)
    return None

"""optimize_for_inference: what only training needs goes, and normalization joins the weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.importing.sub_graphs import remove_training_nodes
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.transforms.batch_norms import fold_norms
from dataflow.transforms.strip_unused import strip_unused
from dataflow.transforms.views import constant_node, ensure_graph_is_valid, with_nodes
from dataflow.values import logging
from dataflow.values.dtypes import DType

PLACEHOLDER_WITH_DEFAULT_LIST: Mapping[str, str] = {"keras_learning_phase": "False"}
"""Names of placeholders that become constants, and their values."""


def optimize_for_inference(
    input_graph_def: GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: int | list[int],
    toco_compatible: bool = False,
    placeholder_to_const_names: Sequence[str] | None = None,
) -> GraphDef:
    """A graph for use after training, with the same answers.

    Args:
      input_graph_def: A frozen graph.
      input_node_names: Nodes that become placeholders.
      output_node_names: Nodes to keep.
      placeholder_type_enum: The type of the placeholders, or a list with one for each.
      toco_compatible: Accepted; resizing is never fused with convolutions here.
      placeholder_to_const_names: "name=value" of placeholders that become boolean constants.

    Raises:
      ValueError: The graph is malformed, or an input is a tensor's name.
      KeyError: An input is not in the graph.
    """
    ensure_graph_is_valid(input_graph_def)
    result = convert_placeholder_to_const(input_graph_def, placeholder_to_const_names)
    result = strip_unused(result, input_node_names, output_node_names, placeholder_type_enum)
    result = remove_training_nodes(result, output_node_names)
    result = fold_norms(result, output_node_names)
    ensure_graph_is_valid(result)
    return result


def convert_placeholder_to_const(
    input_graph_def: GraphDef, nodes_to_convert: Sequence[str] | None = None
) -> GraphDef:
    """A graph in which placeholders with boolean defaults are constants.

    Args:
      input_graph_def: The graph.
      nodes_to_convert: "name=value" of each, besides `PLACEHOLDER_WITH_DEFAULT_LIST`.
    """
    wanted = dict(PLACEHOLDER_WITH_DEFAULT_LIST)
    for entry in nodes_to_convert or ():
        key, separator, value = entry.partition("=")
        if separator:
            wanted[key.strip()] = value
    return with_nodes(input_graph_def, (_converted(node, wanted) for node in input_graph_def.node))


def _converted(node: NodeDef, wanted: Mapping[str, str]) -> NodeDef:
    if node.name not in wanted or node.op not in ("Placeholder", "PlaceholderWithDefault"):
        return node
    text, dtype = wanted[node.name], DType(node.attr["dtype"].type)
    value: Any = text
    if dtype.name == "bool":
        if text not in ("True", "true", "False", "false"):
            logging.warning("Neither True nor False is the value of %s: %s", node.name, text)
        value = text in ("True", "true")
    array = dtype.as_numpy_dtype(value)
    return constant_node(node.name, array, node.device)

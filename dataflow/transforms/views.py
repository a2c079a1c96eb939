"""How a GraphDef is looked at: nodes by name, what takes their outputs, values of constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema.node_validation import parse_input
from dataflow.values.dtypes import as_dtype
from dataflow.values.tensor_proto import make_ndarray, make_tensor_proto


def node_name_from_input(node_name: str) -> str:
    """The name of a node, of an input that takes one of its outputs or waits for it."""
    name, _, index = node_name.removeprefix("^").rpartition(":")
    return name if name and index.isdecimal() else node_name.removeprefix("^")


def nodes_by_name(graph_def: GraphDef) -> dict[str, NodeDef]:
    """The nodes by name.

    Raises:
      ValueError: Two have one name.
    """
    found: dict[str, NodeDef] = {}
    for node in graph_def.node:
        if node.name in found:
            raise ValueError("Duplicate node names detected for ", node.name)
        found[node.name] = node
    return found


def node_from_map(node_map: Mapping[str, NodeDef], name: str) -> NodeDef:
    """The node that an input names.

    Raises:
      ValueError: There is none.
    """
    stripped = node_name_from_input(name)
    if stripped not in node_map:
        raise ValueError(f"No node named '{name}' found in map.")
    return node_map[stripped]


def ensure_graph_is_valid(graph_def: GraphDef) -> None:
    """Looks whether names are unique and inputs are there.

    Raises:
      ValueError: A name is there twice, or an input is not.
    """
    nodes = nodes_by_name(graph_def)
    for node in graph_def.node:
        for text in node.input:
            if node_name_from_input(text) not in nodes:
                raise ValueError("Input for ", node.name, " not found: ", text)


def values_from_const(node_def: NodeDef) -> np.ndarray:
    """The value of a constant.

    Raises:
      ValueError: The node is no constant.
    """
    if node_def.op != "Const":
        raise ValueError(
            f"Can not extract constant value from a node that is not Const. Got:\n{node_def}"
        )
    return make_ndarray(node_def.attr["value"].tensor)


def constant_node(name: str, value: np.ndarray, device: str = "") -> NodeDef:
    """A node Const."""
    node = NodeDef(name=name, op="Const", device=device)
    node.attr["dtype"].type = as_dtype(value.dtype).as_datatype_enum  # type: ignore[assignment]
    node.attr["value"].tensor.CopyFrom(make_tensor_proto(value))
    return node


def attr_of(node: NodeDef, name: str) -> AttrValue:
    """An attr of a node; an empty one if it has none, which reading it in place would add."""
    return node.attr[name] if name in node.attr else AttrValue()


def uses(graph_def: GraphDef) -> dict[str, int]:
    """How often each node is an input, or is waited for."""
    counts: dict[str, int] = {}
    for node in graph_def.node:
        for text in node.input:
            name = node_name_from_input(text)
            counts[name] = counts.get(name, 0) + 1
    return counts


def with_nodes(graph_def: GraphDef, nodes: Iterable[NodeDef]) -> GraphDef:
    """A graph with other nodes."""
    result = GraphDef(node=nodes)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def copy_of(graph_def: GraphDef) -> GraphDef:
    """A graph that may be changed."""
    result = GraphDef()
    result.CopyFrom(graph_def)
    return result


def redirected(graph_def: GraphDef, instead: Mapping[str, str]) -> GraphDef:
    """A graph without some nodes, whose first output is another input's; no one waits for them."""

    def follow(text: str) -> str:
        seen: set[str] = set()
        while text.removesuffix(":0") in instead:
            name = text.removesuffix(":0")
            if name in seen:
                raise ValueError(f"Nodes to remove are each other's input: {sorted(seen)}")
            seen.add(name)
            text = instead[name]
        return text

    result = with_nodes(graph_def, (n for n in graph_def.node if n.name not in instead))
    for node in result.node:
        for index, text in enumerate(node.input):
            if not text.startswith("^"):
                node.input[index] = follow(text)
    return result


def needed(graph_def: GraphDef, ends: Iterable[str], starts: Iterable[str] = ()) -> GraphDef:
    """The nodes that some are computed from; what `starts` are computed from is not looked at.

    Raises:
      ValueError: A node is not there.
    """
    nodes = nodes_by_name(graph_def)
    given = {node_name_from_input(name) for name in starts}
    pending = [node_name_from_input(name) for name in ends]
    kept: set[str] = set()
    while pending:
        name = pending.pop()
        if name in kept:
            continue
        kept.add(name)
        inputs = node_from_map(nodes, name).input
        if name not in given:
            pending.extend(parse_input(text)[0] for text in inputs)
    return with_nodes(graph_def, (n for n in graph_def.node if n.name in kept))

"""Replaces the variables of a GraphDef by constants with the values they have in a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dataflow import dtypes, tensor_proto
from dataflow.node_validation import parse_input
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.types_pb2 import DataType

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_PASS_ON = ("Identity", "Enter", "Switch", "Exit", "NextIteration")
"""Ops whose output 0 is what they are given: a handle stays a handle, a value a value."""
_READS = {
    "ReadVariableOp": "Identity",
    "ResourceGather": "GatherV2",
    "ResourceGatherNd": "GatherNd",
}
"""Ops that read a resource variable -> ops that take its value."""


def freeze_variables(session: Any, graph_def: GraphDef, chosen: Callable[[str], bool]) -> GraphDef:
    """Replaces the chosen variables by constants, and reads of resource variables by copies.

    Raises:
      FailedPreconditionError: A variable is not initialised.
      ValueError: A resource variable is never read, so that its value cannot be fetched, or a
        node needs the variable itself.
    """
    nodes = {node.name: node for node in graph_def.node}
    frozen = _frozen(graph_def, nodes, chosen)
    variables = [n for n in graph_def.node if n.op in _VARIABLES and chosen(n.name)]
    reads = [_value_tensor(session, node, graph_def, frozen) for node in variables]
    values = dict(zip([n.name for n in variables], session.run(reads), strict=True))
    result = GraphDef()
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    axes: list[NodeDef] = []
    for node in graph_def.node:
        if node.name in values:
            result.node.append(_constant(node.name, values[node.name], node.attr["dtype"].type))
            continue
        root = frozen.get(parse_input(node.input[0])[0]) if node.input else None
        result.node.append(node if root is None else _reader(node, nodes[root], axes))
    result.node.extend(axes)
    return result


def _frozen(
    graph_def: GraphDef, nodes: Mapping[str, NodeDef], chosen: Callable[[str], bool]
) -> dict[str, str]:
    """Nodes that give a chosen variable, or its handle -> the variable's name."""
    found: dict[str, str] = {}
    for node in graph_def.node:
        trail: list[str] = []
        current = node
        while current.op in _PASS_ON and current.name not in found and current.input:
            trail.append(current.name)
            source = nodes.get(parse_input(current.input[0])[0])
            if source is None or source.name in trail:
                break
            current = source
        root = found.get(current.name)
        if root is None and current.op in _VARIABLES and chosen(current.name):
            root = current.name
        if root is not None:
            found.update(dict.fromkeys([*trail, current.name], root))
    return found


def _value_tensor(
    session: Any, node: NodeDef, graph_def: GraphDef, frozen: Mapping[str, str]
) -> str:
    """The name of a tensor that has the variable's value."""
    if node.op != "VarHandleOp":
        return f"{node.name}:0"
    usual = f"{node.name}/Read/ReadVariableOp"
    try:
        if session.graph.get_operation_by_name(usual).type == "ReadVariableOp":
            return f"{usual}:0"
    except KeyError:
        pass
    for other in graph_def.node:
        if other.op == "ReadVariableOp" and frozen.get(parse_input(other.input[0])[0]) == node.name:
            return f"{other.name}:0"
    raise ValueError(
        f"Cannot freeze variable '{node.name}': nothing in the graph reads it, so its value "
        "cannot be fetched."
    )


def _constant(name: str, value: Any, dtype: DataType) -> NodeDef:
    node = NodeDef(name=name, op="Const")
    node.attr["dtype"].type = dtype
    proto = tensor_proto.make_tensor_proto(value, dtype=dtypes.as_dtype(dtype))
    node.attr["value"].tensor.CopyFrom(proto)
    return node


def _reader(node: NodeDef, variable: NodeDef, axes: list[NodeDef]) -> NodeDef:
    """The node with a value where it had the variable; `axes` takes further nodes it needs."""
    if node.op in _READS:
        return _value_reader(node, axes)
    result = NodeDef()
    result.CopyFrom(node)
    if node.op in _PASS_ON:
        result.attr["T"].type = variable.attr["dtype"].type
        result.attr.pop("_output_shapes", None)
    elif variable.op == "VarHandleOp":
        raise ValueError(
            f"Cannot freeze variable '{variable.name}': node '{node.name}' of type {node.op} needs "
            "its handle. Leave the variable out, or the node out of the outputs."
        )
    return result


def _value_reader(node: NodeDef, axes: list[NodeDef]) -> NodeDef:
    result = NodeDef(name=node.name, op=_READS[node.op], input=[node.input[0]])
    if node.op == "ReadVariableOp":
        result.attr["T"].CopyFrom(node.attr["dtype"])
    else:
        result.input.append(node.input[1])
        result.attr["Tparams"].CopyFrom(node.attr["dtype"])
        result.attr["Tindices"].CopyFrom(node.attr["Tindices"])
    if node.op == "ResourceGather":
        batch_dims = node.attr["batch_dims"].i
        if batch_dims:
            raise ValueError(
                f"batch_dims must be 0 for freeze_graph, but got node({node.name})"
                f".attr('batch_dims') = {batch_dims}."
            )
        axis = f"{node.name}/axis"
        result.input.append(axis)
        result.attr["Taxis"].CopyFrom(node.attr["Tindices"])
        axes.append(_constant(axis, np.int64(0), node.attr["Tindices"].type))
    if "_class" in node.attr:
        result.attr["_class"].CopyFrom(node.attr["_class"])
    return result

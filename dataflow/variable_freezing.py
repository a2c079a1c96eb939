"""Replaces the variables of a GraphDef by constants with the values they have in a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dataflow import dtypes, tensor_proto
from dataflow.node_validation import parse_input
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.types_pb2 import DT_INT32

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_PASSES_HANDLE = ("Identity", "Enter", "Switch", "Exit", "NextIteration")


def freeze_variables(session: Any, graph_def: GraphDef, chosen: Callable[[str], bool]) -> GraphDef:
    """Replaces the chosen variables by constants, and reads of resource variables by copies.

    Raises:
      FailedPreconditionError: A variable is not initialised.
      ValueError: A resource variable is never read, so that its value cannot be fetched.
    """
    nodes = {node.name: node for node in graph_def.node}
    handles = _handles(graph_def.node, nodes, chosen)
    variables = [n for n in graph_def.node if n.op in _VARIABLES and chosen(n.name)]
    reads = [_value_tensor(session, node, graph_def, handles) for node in variables]
    values = dict(zip([n.name for n in variables], session.run(reads), strict=True))
    result = GraphDef()
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    for node in graph_def.node:
        if node.name in values:
            _add_constant(result, node, values[node.name])
        elif _reads_from(node, handles):
            _add_read(result, node, nodes[handles[parse_input(node.input[0])[0]]])
        else:
            result.node.add().CopyFrom(node)
    return result


def _handles(
    all_nodes: Iterable[NodeDef], nodes: Mapping[str, NodeDef], chosen: Callable[[str], bool]
) -> dict[str, str]:
    """Nodes that give the handle of a chosen resource variable -> the variable's name."""
    found: dict[str, str] = {}
    for node in all_nodes:
        trail: list[str] = []
        current = node
        while current.op in _PASSES_HANDLE and current.name not in found and current.input:
            trail.append(current.name)
            source = nodes.get(parse_input(current.input[0])[0])
            if source is None or source.name in trail:
                break
            current = source
        root = found.get(current.name)
        if root is None and current.op == "VarHandleOp" and chosen(current.name):
            root = current.name
        if root is not None:
            found.update(dict.fromkeys([*trail, current.name], root))
    return found


def _reads_from(node: NodeDef, handles: Mapping[str, str]) -> bool:
    return bool(node.input) and parse_input(node.input[0])[0] in handles


def _value_tensor(
    session: Any, node: NodeDef, graph_def: GraphDef, handles: Mapping[str, str]
) -> str:
    """The name of a tensor that has the variable's value."""
    if node.op != "VarHandleOp":
        return f"{node.name}:0"
    usual = f"{node.name}/Read/ReadVariableOp"
    graph = session.graph
    if usual in {op.name for op in graph.get_operations() if op.type == "ReadVariableOp"}:
        return f"{usual}:0"
    for other in graph_def.node:
        if (
            other.op == "ReadVariableOp"
            and handles.get(parse_input(other.input[0])[0]) == node.name
        ):
            return f"{other.name}:0"
    raise ValueError(
        f"Cannot freeze variable '{node.name}': nothing in the graph reads it, so its value "
        "cannot be fetched."
    )


def _add_constant(result: GraphDef, node: NodeDef, value: Any) -> None:
    constant = result.node.add()
    constant.name = node.name
    constant.op = "Const"
    constant.attr["dtype"].type = node.attr["dtype"].type
    dtype = dtypes.as_dtype(node.attr["dtype"].type)
    proto = tensor_proto.make_tensor_proto(value, dtype=dtype)
    constant.attr["value"].tensor.CopyFrom(proto)


def _add_read(result: GraphDef, node: NodeDef, variable: NodeDef) -> None:
    """What takes a handle takes the value instead."""
    dtype = variable.attr["dtype"].type
    copy = result.node.add()
    copy.CopyFrom(node)
    if node.op == "ReadVariableOp":
        copy.op = "Identity"
        copy.attr.clear()
        copy.attr["T"].type = dtype
        if "_class" in node.attr:
            copy.attr["_class"].CopyFrom(node.attr["_class"])
    elif node.op in _PASSES_HANDLE:
        copy.attr["T"].type = dtype
    elif node.op == "ResourceGather":
        axis = result.node.add()
        axis.name = f"{node.name}/axis"
        axis.op = "Const"
        axis.attr["dtype"].type = DT_INT32
        axis.attr["value"].tensor.CopyFrom(tensor_proto.make_tensor_proto(0, dtype=dtypes.int32))
        copy.op = "GatherV2"
        control = [text for text in node.input if text.startswith("^")]
        del copy.input[:]
        copy.input.extend([*node.input[:2], axis.name, *control])
        copy.attr.clear()
        copy.attr["Tparams"].type = dtype
        copy.attr["Tindices"].type = node.attr["Tindices"].type
        copy.attr["Taxis"].type = DT_INT32
        copy.attr["batch_dims"].i = node.attr["batch_dims"].i
    else:
        raise ValueError(
            f"Cannot freeze variable '{variable.name}': node '{node.name}' of type {node.op} needs "
            "its handle. Leave the variable out, or the node out of the outputs."
        )

"""Replaces the variables of a GraphDef by constants with the values they have in a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dataflow.importing.body_freezing import (
    BodyFreezer,
    Endpoint,
    FrozenVariable,
    carriers,
    constant,
)
from dataflow.importing.body_freezing import endpoint as endpoint_of
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")


def freeze_variables(session: Any, graph_def: GraphDef, chosen: Callable[[str], bool]) -> GraphDef:
    """Replaces the chosen variables by constants, and reads of resource variables by copies.

    Functions that take the handle of a chosen variable are replaced by ones that take its value,
    under names of their own.

    Raises:
      FailedPreconditionError: A variable is not initialised.
      ValueError: A resource variable is never read, so that its value cannot be fetched, or a
        node needs the variable itself.
    """
    variables = [n for n in graph_def.node if n.op in _VARIABLES and chosen(n.name)]
    frozen = {
        n.name: FrozenVariable(n.name, n.op == "VarHandleOp", n.attr["dtype"].type)
        for n in variables
    }
    carried = carriers(graph_def.node, frozen)
    reads = [_value_tensor(session, node, graph_def, carried) for node in variables]
    values = dict(zip(frozen, session.run(reads), strict=True))
    frozen = {n: replace(v, shape=np.shape(values[n])) for n, v in frozen.items()}
    freezer = BodyFreezer(graph_def.library)
    result = GraphDef()
    result.versions.CopyFrom(graph_def.versions)
    for node in freezer.nodes(graph_def.node, frozen, in_function=False):
        if node.name in values:
            node = constant(node.name, values[node.name], frozen[node.name].dtype)
        result.node.append(node)
    result.library.CopyFrom(freezer.library(result.node, graph_def.library))
    return result


def _value_tensor(
    session: Any, node: NodeDef, graph_def: GraphDef, carried: Mapping[Endpoint, FrozenVariable]
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
        if other.op == "ReadVariableOp":
            read = carried.get(endpoint_of(other.input[0]))
            if read is not None and read.name == node.name:
                return f"{other.name}:0"
    raise ValueError(
        f"Cannot freeze variable '{node.name}': nothing in the graph reads it, so its value "
        "cannot be fetched."
    )

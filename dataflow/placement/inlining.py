"""Nodes of functions in place of calls: SavedModels of TensorFlow 2 have whole nets in one."""

from __future__ import annotations

import re
from typing import Final

from dataflow.errors import InvalidArgumentError
from dataflow.functions.function_def_import import function_def_to_graph_def
from dataflow.graph.graph import Graph
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema.node_validation import parse_input

_CALLS: Final = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
_PRIMITIVES: Final = frozenset({"Switch", "RefSwitch", "Enter", "RefEnter"})
_NO_NODE_NAME: Final = re.compile(r"[^A-Za-z0-9_.\\/>\-]")
_GROUP: Final = b"loc:@"
_MAX_NODES: Final = 100_000
"""Nodes from which on calls stay."""


def inlined(graph_def: GraphDef) -> GraphDef:
    """The graph with the nodes of functions in place of the calls of them.

    They have the names that the traces of steps give them. In the place of a call stands an
    IdentityN of its results, or a NoOp. Calls stay in graphs with Switch or Enter nodes, calls of
    functions that call themselves, and functions of other ops.

    Raises:
      InvalidArgumentError: A function is malformed.
    """
    ops = {node.op for node in graph_def.node}
    if not ops & _CALLS or ops & _PRIMITIVES:
        return graph_def
    outer = Graph()
    outer._functions.add_definitions(graph_def.library.function, {})
    result = GraphDef()
    result.CopyFrom(graph_def)
    del result.node[:]
    pending = [(node, frozenset[str]()) for node in reversed(graph_def.node)]
    while pending:
        node, inside = pending.pop()
        called = node.attr["f"].func.name if node.op in _CALLS else ""
        full = len(result.node) + len(pending) > _MAX_NODES
        if full or called in inside or called not in outer._functions:
            result.node.append(node)
            continue
        body = _expanded(node, outer._functions[called].definition, outer)
        pending += [(each, inside | {called}) for each in reversed(body)]
    return result


def _expanded(call: NodeDef, definition: FunctionDef, outer: Graph) -> list[NodeDef]:
    """The nodes of a function for one call, the last of which has the call's name."""
    body, flat_names = function_def_to_graph_def(definition, outer)
    prefix = f"{call.name}/_{_NO_NODE_NAME.sub('_', definition.signature.name)}/"
    given = [text for text in call.input if not text.startswith("^")]
    waits = [text for text in call.input if text.startswith("^")]
    args, results = definition.signature.input_arg, definition.signature.output_arg
    if len(given) != len(args) or any(each.name not in definition.ret for each in results):
        raise InvalidArgumentError(
            None, None, f"'{call.name}' does not fit the function '{definition.signature.name}'"
        )
    arguments = {arg.name: text for arg, text in zip(args, given, strict=True)}

    def behind(text: str) -> str:
        name, is_control = parse_input(text)[0], text.startswith("^")
        if name not in arguments:
            return f"^{prefix}{name}" if is_control else f"{prefix}{text}"
        taken = arguments[name]
        return f"^{parse_input(taken)[0]}" if is_control else taken

    nodes = []
    for node in body.node:
        if node.name in arguments:
            continue
        node.name = prefix + node.name
        node.input[:] = [*map(behind, node.input), *waits]
        node.device = node.device or call.device
        if "_class" in node.attr:
            groups = node.attr["_class"].list.s
            groups[:] = [_GROUP + prefix.encode() + each.removeprefix(_GROUP) for each in groups]
        nodes.append(node)
    end = NodeDef(name=call.name, op="IdentityN" if results else "NoOp", device=call.device)
    for result in results:
        text = definition.ret[result.name]
        end.input.append(behind(flat_names.get(text) or flat_names.get(f"{text}:0", text)))
        end.attr["T"].list.type.append(result.type)
    end.input.extend(behind(f"^{name}") for name in definition.control_ret.values())
    end.input.extend(waits)
    return [*nodes, end]

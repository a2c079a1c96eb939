"""The schemas of the ops that a graph has, and attrs that have the values these give by default."""

from __future__ import annotations

from collections.abc import Iterator

from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.op_def_pb2 import OpList
from dataflow.schema import op_def_proto, opdef

_OF_RUNTIMES = ("_Arg", "_Retval", "_ListToArray", "_ArrayToList")
_CALLS = ("PartitionedCall", "StatefulPartitionedCall", "BatchFunction")


def ops_used(graph_def: GraphDef) -> OpList:
    """The schemas of a graph's ops, and of those of the functions it calls, by name."""
    functions = {f.signature.name: f for f in graph_def.library.function}
    names: set[str] = set()
    pending = [graph_def.node]
    while pending:
        for node in pending.pop():
            called = (node.attr["f"].func.name,) if node.op in _CALLS else ()
            for name in (node.op, *called):
                if name not in names and name in functions:
                    pending.append(functions[name].node_def)
                names.add(name)
    known = (opdef.find(name) for name in sorted(names - functions.keys()))
    return OpList(op=[op_def_proto.to_proto(each) for each in known if each is not None])


def ops_used_by_graph_def(graph_def: GraphDef) -> list[str]:
    """The types of the ops of a graph and of the functions that its nodes call."""
    functions = {each.signature.name: each for each in graph_def.library.function}
    found: set[str] = set()
    waiting = [graph_def.node]
    while waiting:
        for node in waiting.pop():
            if node.op in functions and node.op not in found:
                waiting.append(functions[node.op].node_def)
            found.add(node.op)
    return sorted(found - functions.keys())


def stripped_op_list_for_graph(graph_def: GraphDef) -> OpList:
    """The definitions of a graph's ops, by name.

    Raises:
      ValueError: One is not defined.
    """
    for op in ops_used_by_graph_def(graph_def):
        if opdef.find(op) is None and op not in _OF_RUNTIMES:
            raise ValueError(f"Op {op} is used by the graph, but is not registered")
    return ops_used(graph_def)


def strip_default_attrs(meta_graph: MetaGraphDef) -> None:
    """Takes attrs off that have their default, so that older readers, which lack them, can read."""
    functions = {f.signature.name for f in meta_graph.graph_def.library.function}
    defaults: dict[str, dict[str, bytes]] = {}
    for node in _nodes(meta_graph.graph_def):
        if node.op in functions:
            continue
        if node.op not in defaults:
            defaults[node.op] = _defaults(node.op)
        for name, default in defaults[node.op].items():
            given = node.attr.get(name)
            if given is not None and given.SerializeToString(deterministic=True) == default:
                del node.attr[name]
    meta_graph.meta_info_def.stripped_default_attrs = True


def _nodes(graph_def: GraphDef) -> Iterator[NodeDef]:
    yield from graph_def.node
    for function in graph_def.library.function:
        yield from function.node_def


def _defaults(op_type: str) -> dict[str, bytes]:
    definition = opdef.find(op_type)
    if definition is None:
        return {}
    return {
        attr.name: attr.default_value.SerializeToString(deterministic=True)
        for attr in op_def_proto.to_proto(definition).attr
        if attr.HasField("default_value")
    }

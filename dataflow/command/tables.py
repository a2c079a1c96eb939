"""Tables of graphs without a MetaGraph: which operations fill them, and graphs that have those."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema.node_validation import parse_input
from dataflow.values.tensor_proto import make_tensor_proto

_FILLS = {
    "HashTable": "InitializeTable",
    **dict.fromkeys(
        ("MutableHashTable", "MutableHashTableOfTensors", "MutableDenseHashTable"),
        "LookupTableImport",
    ),
}
"""A table's op -> what fills it; both end with V2 where handles are resources."""
_FILLING = frozenset(
    f"{op}{version}"
    for op in (*_FILLS.values(), "InitializeTableFromTextFile", "InitializeTableFromDataset")
    for version in ("", "V2")
)
_GIVEN = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "RestoreV2"})
"""Ops whose values come from elsewhere: what needs one is no part of how a model begins."""
_ALL = "init_all_tables"


def fills(graph_def: GraphDef) -> list[str]:
    """The names of the operations that fill tables with what the graph itself has."""
    nodes = {node.name: node for node in graph_def.node}

    def needs_more(node: NodeDef) -> bool:
        pending, seen = [node], {node.name}
        for each in pending:
            for text in each.input:
                name = parse_input(text)[0]
                if name in nodes and name not in seen:
                    seen.add(name)
                    pending.append(nodes[name])
        return any(each.op in _GIVEN for each in pending)

    return [n.name for n in graph_def.node if n.op in _FILLING and not needs_more(n)]


def with_contents(session: Any, graph_def: GraphDef) -> tuple[GraphDef, str | None]:
    """A frozen graph with what its tables have in a session, and the node that fills them.

    Tables that something in the graph fills already are left to that.
    """
    filled = {parse_input(n.input[0])[0] for n in graph_def.node if n.op in _FILLING and n.input}
    tables = [
        node
        for node in graph_def.node
        if node.op.removesuffix("V2") in _FILLS and node.name not in filled
    ]
    if not tables:
        return graph_def, None
    graph = session.graph
    with graph.as_default():
        contents = session.run([_exported(graph, node) for node in tables])
    result = GraphDef()
    result.CopyFrom(graph_def)
    names = {node.name for node in graph_def.node}
    start = result.node.add(name=_free(_ALL, names), op="NoOp")
    for node, arrays in zip(tables, contents, strict=True):
        base, version = node.op.removesuffix("V2"), "V2" if node.op.endswith("V2") else ""
        fill = result.node.add(name=_free(f"{node.name}/fill", names), op=_FILLS[base] + version)
        types = ("Tkey", "Tval") if base == "HashTable" else ("Tin", "Tout")
        fill.input.append(node.name)
        for attr, held, array in zip(types, ("key_dtype", "value_dtype"), arrays, strict=True):
            dtype = node.attr[held].type
            value = result.node.add(name=_free(f"{fill.name}/{held[:-6]}s", names), op="Const")
            value.attr["dtype"].type = fill.attr[attr].type = dtype
            value.attr["value"].tensor.CopyFrom(make_tensor_proto(array, dtype=dtype))
            fill.input.append(value.name)
        start.input.append(f"^{fill.name}")
    return result, start.name


def _exported(graph: Any, node: NodeDef) -> Any:
    return apply_op(
        "LookupTableExportV2" if node.op.endswith("V2") else "LookupTableExport",
        graph.get_operation_by_name(node.name).outputs[0],
        Tkeys=node.attr["key_dtype"].type,
        Tvalues=node.attr["value_dtype"].type,
    )


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name

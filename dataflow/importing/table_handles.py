"""Lookup tables of graphs from before TensorFlow 1.3, whose handles were references to strings."""

from __future__ import annotations

from dataflow.proto.graph_pb2 import GraphDef

_NEWER = {
    name: f"{name}V2"
    for name in (
        "HashTable",
        "InitializeTable",
        "InitializeTableFromTextFile",
        "LookupTableExport",
        "LookupTableFind",
        "LookupTableImport",
        "LookupTableInsert",
        "LookupTableSize",
        "MutableDenseHashTable",
        "MutableHashTable",
        "MutableHashTableOfTensors",
    )
}
"""Op -> the one that has a handle of type resource; all else is equal."""


def with_table_handles(graph_def: GraphDef) -> GraphDef:
    """The graph with the newer ops of tables, where it has older ones."""
    if not any(node.op in _NEWER for node in graph_def.node):
        return graph_def
    result = GraphDef()
    result.CopyFrom(graph_def)
    for node in result.node:
        node.op = _NEWER.get(node.op, node.op)
    return result

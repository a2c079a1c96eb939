"""Collections of a graph as CollectionDefs, and back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError

from dataflow.errors import DataLossError
from dataflow.graph.collection_protos import proto_functions
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.proto.meta_graph_pb2 import CollectionDef, MetaGraphDef
from dataflow.saving.meta_graph.scoped_nodes import is_below
from dataflow.values import logging, wire_fault
from dataflow.values.scope_names import prepend_name_scope, strip_name_scope

_TRAINABLE = GraphKeys.TRAINABLE_VARIABLES
_FIRST_VERSION_THAT_SAYS_TRAINABLE = (1, 9)


def write_collection(
    meta_graph: MetaGraphDef,
    key: Any,
    items: Iterable[Any],
    export_scope: str | None,
    left_out: Collection[str],
) -> None:
    """Writes a collection; one that cannot be written is left out, and the log says so.

    Args:
      meta_graph: Where to.
      key: Name of the collection.
      items: What is in it.
      export_scope: Only what is below this name scope is written, and without it.
      left_out: Names of nodes that are not written.
    """
    if not isinstance(key, (str, bytes)):
        logging.warning(
            "Only collections with string type keys will be serialized. This key has %s", type(key)
        )
        return
    kept = [item for item in items if is_below(item, export_scope, left_out)]
    if not kept:
        return
    name = key.decode() if isinstance(key, bytes) else key
    try:
        # What is written depends on the user's own objects and functions.
        _fill(meta_graph.collection_def[name], key, kept, export_scope)
    except Exception as error:
        logging.warning(
            "Collection %s is left out of the MetaGraphDef: its items have no registered functions "
            "that make messages of them, and are neither nodes, strings nor numbers of one type. "
            "%s: %s",
            key,
            type(error).__name__,
            error,
        )
        del meta_graph.collection_def[name]


def _fill(definition: CollectionDef, key: Any, items: list[Any], export_scope: str | None) -> None:
    functions = proto_functions(key)
    if functions.to_proto is not None:
        for item in items:
            message = functions.to_proto(item, export_scope=export_scope)
            if message:
                if not isinstance(message, functions.message):
                    raise TypeError(f"a {type(message).__name__} is no {functions.message}")
                definition.bytes_list.value.append(message.SerializeToString())
        return
    kind = _kind(items[0])
    values: Any = getattr(definition, kind).value
    if kind == "node_list":
        values.extend(strip_name_scope(item.name, export_scope) for item in items)
    elif kind == "bytes_list":
        values.extend(i.encode() if isinstance(i, str) else bytes(i) for i in items)
    else:
        values.extend(items)


def _kind(item: Any) -> str:
    if isinstance(item, (str, bytes)):
        return "bytes_list"
    if isinstance(item, int):
        return "int64_list"
    if isinstance(item, float):
        return "float_list"
    return "any_list" if isinstance(item, AnyMessage) else "node_list"


class _Entry(NamedTuple):
    key: str
    kind: str
    values: Any


def read_collections(
    graph: Graph, meta_graph: MetaGraphDef, scope: str, wanted: Callable[[str], bool]
) -> None:
    """Adds what a MetaGraphDef has in collections to those of the graph.

    Args:
      graph: The graph, which has the nodes and is the default one.
      meta_graph: Where from.
      scope: The name scope that the nodes were imported into.
      wanted: Whether a collection is read, by its name.
    """
    says_trainable = _says_trainable(meta_graph.meta_info_def.tensorflow_version)
    variables: dict[bytes, Any] = {}
    for entry in _entries(meta_graph, wanted):
        functions = proto_functions(entry.key)
        if functions.from_proto is None or entry.kind != "bytes_list":
            for value in entry.values:
                graph.add_to_collection(entry.key, _plain(graph, entry.kind, value, scope))
            continue
        is_variable = entry.key in GraphKeys._VARIABLE_COLLECTIONS
        for data in entry.values:
            item = variables.get(data) if is_variable else None
            if item is None:
                message = _parsed(functions.message, entry.key, data)
                if is_variable and not says_trainable:
                    message.trainable = entry.key == _TRAINABLE
                item = functions.from_proto(message, import_scope=scope)
            if is_variable:
                # One variable is in several collections.
                variables[data] = item
            graph.add_to_collection(entry.key, item)


def _parsed(kind: Any, key: str, data: bytes) -> Any:
    try:
        return kind.FromString(data)
    except DecodeError:
        fault = wire_fault.find(data, kind.DESCRIPTOR)
    raise DataLossError(None, None, f"An item of the collection {key} cannot be read: {fault}")


def _entries(meta_graph: MetaGraphDef, wanted: Callable[[str], bool]) -> Iterator[_Entry]:
    # What trains a variable is known when those that are trained have been read.
    for key in sorted(meta_graph.collection_def, key=lambda key: (key != _TRAINABLE, key)):
        if not wanted(key):
            continue
        definition = meta_graph.collection_def[key]
        kind = definition.WhichOneof("kind")
        if kind is None:
            logging.error("Cannot identify data type for collection %s. Skipping.", key)
            continue
        yield _Entry(key, kind, getattr(definition, kind).value)


def _plain(graph: Graph, kind: str, value: Any, scope: str) -> Any:
    if kind == "node_list":
        return graph.as_graph_element(prepend_name_scope(value, scope))
    if kind == "bytes_list" and scope:
        return prepend_name_scope(value.decode(errors="surrogateescape"), scope)
    return value


def _says_trainable(version: str) -> bool:
    """Whether a VariableDef of that version of TensorFlow says if the variable is trained."""
    if not version:
        return True
    numbers = [int(part) if part.isdecimal() else 0 for part in version.split(".")[:2]]
    return tuple(numbers) >= _FIRST_VERSION_THAT_SAYS_TRAINABLE

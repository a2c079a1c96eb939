"""A MetaGraphDef's nodes and collections, added to the default graph."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.importing.import_graph import import_graph_def
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.saving.meta_graph.collection_defs import read_collections
from dataflow.values.scope_names import strip_name_scope
from dataflow.values.system_errors import local_path


def as_meta_graph_def(meta_graph_or_file: Any) -> MetaGraphDef:
    """A MetaGraphDef of ours, of one, of one of TensorFlow's own class, or of a file.

    Raises:
      OSError: There is no such file, or it holds no MetaGraphDef.
    """
    if isinstance(meta_graph_or_file, MetaGraphDef):
        return meta_graph_or_file
    descriptor = getattr(meta_graph_or_file, "DESCRIPTOR", None)
    if descriptor is not None and descriptor.name == "MetaGraphDef":
        return MetaGraphDef.FromString(meta_graph_or_file.SerializeToString())
    path = local_path(meta_graph_or_file)
    if not os.path.exists(path):
        raise OSError(f"File does not exist. Received: {path}.")
    with open(path, "rb") as file:
        data = file.read()
    try:
        return MetaGraphDef.FromString(data)
    except DecodeError:
        pass
    try:
        return text_format.Parse(data.decode(), MetaGraphDef())
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise OSError(f"Cannot parse file {path}: {error}.") from None


def import_scoped_meta_graph(
    meta_graph: MetaGraphDef,
    clear_devices: bool = False,
    import_scope: str | None = None,
    input_map: Mapping[str, Any] | None = None,
    unbound_inputs_col_name: str | None = "unbound_inputs",
    restore_collections_predicate: Callable[[str], bool] = lambda _: True,
    return_elements: Sequence[str] | None = None,
) -> tuple[dict[str, Any], list[Any] | None]:
    """Adds nodes and collections to the default graph.

    Args:
      meta_graph: What is added.
      clear_devices: Whether to take the nodes' devices off.
      import_scope: Name scope to put them in.
      input_map: Tensors in place of inputs of these names.
      unbound_inputs_col_name: The collection of inputs that `input_map` must have.
      restore_collections_predicate: Whether a collection is read, by its name.
      return_elements: Names of operations and tensors to return.

    Returns:
      The variables by their names without the scope, and the elements asked for.

    Raises:
      ValueError: An input is not bound.
    """
    _check_bound(meta_graph, unbound_inputs_col_name, input_map or {})
    graph = scopes.get_default_graph()
    nodes = meta_graph.graph_def
    if clear_devices:
        nodes = GraphDef()
        nodes.CopyFrom(meta_graph.graph_def)
        for node in nodes.node:
            node.device = ""
    info = meta_graph.meta_info_def
    scope = graph.unique_name(import_scope or "", mark_as_used=False)
    elements = import_graph_def(
        nodes,
        name=import_scope or scope,
        input_map=input_map,
        producer_op_list=info.stripped_op_list if info.HasField("stripped_op_list") else None,
        return_elements=return_elements,
    )

    def wanted(key: str) -> bool:
        return key != unbound_inputs_col_name and restore_collections_predicate(key)

    read_collections(graph, meta_graph, scope, wanted)
    variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope)
    return {strip_name_scope(each.name, scope): each for each in variables}, elements


def _check_bound(
    meta_graph: MetaGraphDef, collection: str | None, input_map: Mapping[str, Any]
) -> None:
    if not collection or collection not in meta_graph.collection_def:
        return
    definition = meta_graph.collection_def[collection]
    kind = definition.WhichOneof("kind")
    values = getattr(definition, kind).value if kind else ()
    names = [value.decode() if isinstance(value, bytes) else str(value) for value in values]
    if names and sorted(names) != sorted(input_map):
        missing = ",".join(name for name in names if name not in input_map)
        raise ValueError(
            f"Graph contains unbound inputs: {missing}. Must provide these inputs through "
            "input_map."
        )

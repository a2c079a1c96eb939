"""export_meta_graph: a graph with its collections and its Saver as a MetaGraphDef."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.collection_protos import proto_functions
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.importing.files import write_graph
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.saver_pb2 import SaverDef
from dataflow.saving.meta_graph.collection_defs import write_collection
from dataflow.saving.meta_graph.ops_used import ops_used
from dataflow.saving.meta_graph.ops_used import strip_default_attrs as strip_defaults
from dataflow.saving.meta_graph.scoped_nodes import nodes_below, nodes_of_other_savers
from dataflow.values.system_errors import local_path
from dataflow.values.versions import GIT_VERSION, VERSION


def export_meta_graph(
    filename: str | os.PathLike[str] | None = None,
    meta_info_def: Any = None,
    graph_def: GraphDef | None = None,
    saver_def: SaverDef | None = None,
    collection_list: Sequence[Any] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> MetaGraphDef:
    """A graph with all that is needed to go on with it elsewhere.

    Args:
      filename: A file to write it to, too.
      meta_info_def: A `MetaGraphDef.MetaInfoDef` to begin with.
      graph_def: The nodes; those of `graph` if None.
      saver_def: The nodes of the Saver that goes with it.
      collection_list: Names of the collections to write; all if None.
      as_text: Writes protobuf text rather than binary.
      graph: The graph; the default graph if None.
      export_scope: Only what is below this name scope is written, without the scope in its name.
      clear_devices: Whether to leave devices out.
      clear_extraneous_savers: Whether to leave out Savers other than that of `saver_def`.
      strip_default_attrs: Whether to leave out attrs that have their default.
      save_debug_info: Accepted; where nodes were made is not written.
      **kwargs: `unbound_inputs_col_name`, the collection in which names of inputs from outside of
        `export_scope` are put; "unbound_inputs" by default.

    Raises:
      TypeError: An argument is of a wrong type.
      ValueError: The graph is larger than 2 GB.
    """
    unbound_name = kwargs.pop("unbound_inputs_col_name", "unbound_inputs")
    if kwargs:
        raise TypeError(f"export_meta_graph has no arguments {sorted(kwargs)}")
    for value, kind, name in (
        (graph, Graph, "graph"),
        (meta_info_def, MetaGraphDef.MetaInfoDef, "meta_info_def"),
        (graph_def, GraphDef, "graph_def"),
        (saver_def, SaverDef, "saver_def"),
    ):
        if value is not None and not isinstance(value, kind):
            raise TypeError(
                f"{name} must be of type {kind.__name__}. Received type: {type(value)}."
            )
    graph = scopes.get_default_graph() if graph is None else graph
    nodes = graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def
    left_out: Collection[str] = ()
    if export_scope or clear_extraneous_savers or clear_devices:
        if clear_extraneous_savers:
            left_out = nodes_of_other_savers(nodes, saver_def)
        nodes, unbound = nodes_below(nodes, export_scope, left_out, clear_devices)
        if unbound_name:
            graph.clear_collection(unbound_name)
            for name in unbound:
                graph.add_to_collection(unbound_name, name)
    result = MetaGraphDef(graph_def=nodes, meta_info_def=meta_info_def, saver_def=saver_def)
    result.meta_info_def.tensorflow_version = VERSION
    result.meta_info_def.tensorflow_git_version = GIT_VERSION
    if not result.meta_info_def.stripped_op_list.op:
        result.meta_info_def.stripped_op_list.CopyFrom(ops_used(nodes))
    if strip_default_attrs:
        strip_defaults(result)
    keys = graph.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        items = graph.get_collection(key)
        if clear_extraneous_savers and key == GraphKeys.SAVERS and saver_def is not None:
            read = proto_functions(key).from_proto
            with graph.as_default():
                items = items if read is None else [read(saver_def)]
        write_collection(result, key, items, export_scope, left_out)
    if filename:
        folder, name = os.path.split(local_path(filename))
        write_graph(result, folder, name, as_text=as_text)
    return result

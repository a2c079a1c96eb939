"""tensorflow.python.framework.meta_graph: parts of graphs, written and read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from dataflow.graph.graph import Graph
from dataflow.graph.scopes import get_default_graph
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.saving.meta_graph import restore
from dataflow.saving.meta_graph.collection_defs import write_collection
from dataflow.saving.meta_graph.export import export_meta_graph
from dataflow.saving.meta_graph.ops_used import ops_used_by_graph_def, stripped_op_list_for_graph
from dataflow.saving.meta_graph.ops_used import (
    strip_default_attrs as strip_graph_default_valued_attrs,
)
from dataflow.saving.meta_graph.restore import as_meta_graph_def as read_meta_graph_file

__all__ = [
    "ops_used_by_graph_def",
    "read_meta_graph_file",
    "strip_graph_default_valued_attrs",
    "stripped_op_list_for_graph",
]

_UNBOUND = "unbound_inputs"


def add_collection_def(
    meta_graph_def: MetaGraphDef,
    key: Any,
    graph: Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Collection[str] | None = None,
    override_contents: Sequence[Any] | None = None,
) -> None:
    """Writes a collection.

    Args:
      meta_graph_def: Where to.
      key: Its name.
      graph: Whose it is; the default graph if None.
      export_scope: Only what is below this name scope is written.
      exclude_nodes: Names of nodes that are not written.
      override_contents: What is written instead of the collection.

    Raises:
      TypeError: `graph` is none.
    """
    if graph and not isinstance(graph, Graph):
        raise TypeError(f"graph must be of type Graph, not {type(graph)}")
    items = override_contents or (graph or get_default_graph()).get_collection(key)
    write_collection(meta_graph_def, key, items, export_scope, exclude_nodes or ())


def create_meta_graph_def(
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Sequence[Any] | None = None,
    graph: Any = None,
    export_scope: str | None = None,
    exclude_nodes: Any = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
) -> MetaGraphDef:
    """A graph with all that is needed to go on with it elsewhere; see `tf.train.export_meta_graph`.

    `exclude_nodes` is accepted: Savers and scopes say what is left out.
    """
    return export_meta_graph(
        meta_info_def=meta_info_def,
        graph_def=graph_def,
        saver_def=saver_def,
        collection_list=collection_list,
        graph=graph,
        export_scope=export_scope,
        clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs,
    )


def export_scoped_meta_graph(
    filename: Any = None,
    graph_def: Any = None,
    graph: Any = None,
    export_scope: str | None = None,
    as_text: bool = False,
    unbound_inputs_col_name: str = _UNBOUND,
    clear_devices: bool = False,
    saver_def: Any = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> tuple[MetaGraphDef, dict[str, Any]]:
    """`tf.train.export_meta_graph`, and the variables below the scope by their names in it."""
    graph = graph or get_default_graph()
    made = export_meta_graph(
        filename=filename,
        graph_def=graph_def,
        graph=graph,
        export_scope=export_scope,
        as_text=as_text,
        unbound_inputs_col_name=unbound_inputs_col_name,
        clear_devices=clear_devices,
        saver_def=saver_def,
        clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs,
        save_debug_info=save_debug_info,
        **kwargs,
    )
    scope = f"{export_scope.rstrip('/')}/" if export_scope else ""
    variables = graph.get_collection("variables", scope=scope or None)
    return made, {each.name.removeprefix(scope): each for each in variables}


def import_scoped_meta_graph_with_return_elements(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    graph: Graph | None = None,
    import_scope: str | None = None,
    input_map: Mapping[str, Any] | None = None,
    unbound_inputs_col_name: str | None = _UNBOUND,
    restore_collections_predicate: Callable[[str], bool] = lambda _: True,
    return_elements: Sequence[str] | None = None,
) -> tuple[dict[str, Any], list[Any] | None]:
    """Adds what was written to a graph, by default the default one.

    Returns:
      The variables by their names without the scope, and the elements asked for.
    """
    with graph.as_default() if graph else nullcontext():
        return restore.import_scoped_meta_graph(
            read_meta_graph_file(meta_graph_or_file),
            clear_devices,
            import_scope,
            input_map,
            unbound_inputs_col_name,
            restore_collections_predicate,
            return_elements,
        )


def import_scoped_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    graph: Graph | None = None,
    import_scope: str | None = None,
    input_map: Mapping[str, Any] | None = None,
    unbound_inputs_col_name: str | None = _UNBOUND,
    restore_collections_predicate: Callable[[str], bool] = lambda _: True,
) -> dict[str, Any]:
    """The same, with the variables alone."""
    return import_scoped_meta_graph_with_return_elements(
        meta_graph_or_file,
        clear_devices,
        graph,
        import_scope,
        input_map,
        unbound_inputs_col_name,
        restore_collections_predicate,
    )[0]


def copy_scoped_meta_graph(
    from_scope: str, to_scope: str, from_graph: Graph | None = None, to_graph: Graph | None = None
) -> dict[str, Any]:
    """Copies what is below a name scope to another scope or graph; gives the variables made.

    Raises:
      ValueError: Both scopes are the same, and in one graph.
    """
    source, target = from_graph or get_default_graph(), to_graph or get_default_graph()
    if source is target and from_scope == to_scope:
        raise ValueError(
            "'from_scope' and 'to_scope' need to be different when performing copy in the same "
            "graph."
        )
    written, _ = export_scoped_meta_graph(export_scope=from_scope, graph=source)
    return import_scoped_meta_graph(written, graph=target, import_scope=to_scope)

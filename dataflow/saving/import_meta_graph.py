"""import_meta_graph: a MetaGraphDef added to the default graph, and the Saver that goes with it."""

from __future__ import annotations

from typing import Any

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.saving.meta_graph.restore import as_meta_graph_def, import_scoped_meta_graph
from dataflow.saving.saver import Saver
from dataflow.values import logging


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:
    """Adds a graph that was saved, with its collections, to the default graph.

    Args:
      meta_graph_or_file: A MetaGraphDef, or the path of a file with one.
      clear_devices: Whether to take devices off.
      import_scope: Name scope to put what is added in.
      **kwargs: `graph`, if it is not the default one; `input_map`, `return_elements`,
        `restore_collections_predicate` and `unbound_inputs_col_name` of
        `import_scoped_meta_graph`.

    Returns:
      The graph's Saver, or one of all variables; None if there are none.

    Raises:
      OSError: There is no such file, or it holds no MetaGraphDef.
      ValueError: The graph is malformed, or an input is not bound.
    """
    return import_meta_graph_with_return_elements(
        meta_graph_or_file, clear_devices, import_scope, **kwargs
    )[0]


def import_meta_graph_with_return_elements(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> tuple[Saver | None, list[Any] | None]:
    """As `import_meta_graph`; what `return_elements` asks for is returned, too."""
    graph = kwargs.pop("graph", None) or scopes.get_default_graph()
    with graph.as_default():
        return _import(as_meta_graph_def(meta_graph_or_file), clear_devices, import_scope, kwargs)


def _import(
    meta_graph: MetaGraphDef, clear_devices: bool, import_scope: str | None, options: Any
) -> tuple[Saver | None, list[Any] | None]:
    variables, elements = import_scoped_meta_graph(
        meta_graph, clear_devices=clear_devices, import_scope=import_scope, **options
    )
    if meta_graph.HasField("saver_def"):
        scope = import_scope
        if variables:
            name, variable = next(iter(variables.items()))
            scope = variable.name.removesuffix(name)
        return Saver(saver_def=meta_graph.saver_def, name=scope), elements
    if any(
        scopes.get_collection(key, import_scope)
        for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.SAVEABLE_OBJECTS)
    ):
        return Saver(), elements
    logging.info("Saver not created because there are no variables in the graph to restore")
    return None, elements

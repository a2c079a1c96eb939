"""freeze_graph: a graph and a checkpoint as one graph without variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.importing.import_graph import import_graph_def
from dataflow.importing.sub_graphs import convert_variables_to_constants
from dataflow.library.files import gfile
from dataflow.ops.basic.single import single
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.saver_pb2 import SaverDef
from dataflow.saving.import_meta_graph import import_meta_graph
from dataflow.saving.reading import new_checkpoint_reader
from dataflow.saving.saved_model.loader import SavedModelLoader, load
from dataflow.saving.saver import Saver
from dataflow.saving.state import checkpoint_exists
from dataflow.session.session import Session
from dataflow.transforms.files import read_message, write_graph_file
from dataflow.transforms.views import copy_of


def freeze_graph(
    input_graph: str | None,
    input_saver: str | None,
    input_binary: bool,
    input_checkpoint: str | None,
    output_node_names: str,
    restore_op_name: str | None,
    filename_tensor_name: str | None,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_denylist: str = "",
    input_meta_graph: str | bool | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str = "serve",
    checkpoint_version: int = SaverDef.V2,
) -> GraphDef:
    """Writes a graph with the values of a checkpoint in place of its variables.

    Args:
      input_graph: A file with a GraphDef.
      input_saver: A file with a SaverDef.
      input_binary: Whether the files are binary rather than text.
      input_checkpoint: The checkpoint.
      output_node_names: Nodes to keep, between commas.
      restore_op_name: Not used.
      filename_tensor_name: Not used.
      output_graph: Where to write it; nowhere if empty.
      clear_devices: Whether to leave devices out.
      initializer_nodes: Nodes to run after restoring, between commas.
      variable_names_whitelist: The variables to replace, between commas; all if empty.
      variable_names_denylist: Variables to leave, between commas.
      input_meta_graph: A file with a MetaGraphDef, instead of a GraphDef.
      input_saved_model_dir: A SavedModel, instead of graph and checkpoint.
      saved_model_tags: The tags of its graph, between commas.
      checkpoint_version: Accepted; both versions are read.

    Returns:
      The graph.

    Raises:
      OSError: A file is not there or cannot be read.
      ValueError: There is no such checkpoint, or no output is named.
    """
    graph_def = meta_graph = saver_def = None
    tags = _names(saved_model_tags) or []
    if input_saved_model_dir:
        loader = SavedModelLoader(input_saved_model_dir)
        graph_def = loader.get_meta_graph_def_from_tags(tags).graph_def
    elif input_graph:
        graph_def = _read(GraphDef, input_graph, input_binary, "graph")
    if input_meta_graph:
        meta_graph = _read(MetaGraphDef, str(input_meta_graph), input_binary, "meta graph")
    if input_saver:
        saver_def = _read(SaverDef, input_saver, input_binary, "saver")
    return freeze_graph_with_def_protos(
        graph_def,
        saver_def,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_denylist,
        meta_graph,
        input_saved_model_dir,
        tags,
        checkpoint_version,
    )


def _read(kind: Any, path: str, binary: bool, name: str) -> Any:
    if not gfile.exists(path):
        raise OSError(f"Input {name} file '{path}' does not exist!")
    return read_message(kind, path, binary)


def freeze_graph_with_def_protos(
    input_graph_def: GraphDef | None,
    input_saver_def: SaverDef | None,
    input_checkpoint: str | None,
    output_node_names: str,
    restore_op_name: str | None,
    filename_tensor_name: str | None,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_denylist: str = "",
    input_meta_graph_def: MetaGraphDef | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: Sequence[str] | None = None,
    checkpoint_version: int = SaverDef.V2,
) -> GraphDef:
    """As `freeze_graph`, of messages rather than files."""
    if not input_saved_model_dir and not checkpoint_exists(input_checkpoint or ""):
        raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
    if not output_node_names:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    graph_def = input_graph_def
    if input_meta_graph_def is not None:
        graph_def = input_meta_graph_def.graph_def
    if graph_def is None:
        raise ValueError("There is no graph: give a GraphDef, a MetaGraphDef or a SavedModel.")
    if clear_devices:
        graph_def = copy_of(graph_def)
        for node in graph_def.node:
            node.device = ""
    with Graph().as_default() as graph, Session(graph=graph) as session:
        _restore(
            session,
            graph_def,
            input_saver_def,
            input_checkpoint or "",
            input_meta_graph_def,
            input_saved_model_dir,
            saved_model_tags or (),
        )
        if initializer_nodes and not (input_saver_def or input_saved_model_dir):
            session.run(_names(initializer_nodes))
        frozen = convert_variables_to_constants(
            session,
            graph_def,
            _names(output_node_names) or [],
            _names(variable_names_whitelist),
            _names(variable_names_denylist),
        )
    if output_graph:
        write_graph_file(frozen, output_graph, binary=True)
    return frozen


def _names(text: str) -> list[str] | None:
    return [name for name in text.replace(" ", "").split(",") if name] or None


def _restore(
    session: Any,
    graph_def: GraphDef,
    saver_def: SaverDef | None,
    checkpoint: str,
    meta_graph: MetaGraphDef | None,
    saved_model: str | None,
    tags: Sequence[str],
) -> None:
    """Adds the graph to the session's, and gives its variables their values."""
    if meta_graph is not None and saver_def is None:
        restorer = import_meta_graph(meta_graph, clear_devices=True)
        if restorer is not None:
            restorer.restore(session, checkpoint)
        return
    if saved_model and saver_def is None:
        load(session, tags, saved_model)
        return
    import_graph_def(graph_def, name="")
    if saver_def is not None:
        Saver(saver_def=saver_def).restore(session, checkpoint)
        return
    reader = new_checkpoint_reader(checkpoint)
    variables, handles = {}, []
    for key in reader.get_variable_to_shape_map():
        try:
            tensor = session.graph.get_tensor_by_name(f"{key}:0")
        except KeyError:
            continue
        if tensor.op.type == "VarHandleOp":
            value = convert_to_tensor(reader.get_tensor(key), dtype=tensor.op.get_attr("dtype"))
            handles.append(single("AssignVariableOp", tensor, value, dtype=value.dtype))
        else:
            variables[key] = tensor
    if variables or not handles:
        _saver_of(session.graph, variables).restore(session, checkpoint)
    session.run(handles)


def _saver_of(graph: Graph, variables: dict[str, Any]) -> Saver:
    try:
        return Saver(var_list=variables)
    except (TypeError, ValueError) as error:
        if any("/part_" in op.name for op in graph.get_operations()):
            raise ValueError(
                "Models containing partition variables cannot be converted from checkpoint files. "
                "Please pass in a SavedModel using the flag --input_saved_model_dir."
            ) from error
        if any(
            op.type in ("Variable", "VariableV2", "VarHandleOp") for op in graph.get_operations()
        ):
            raise
        raise ValueError(
            "No variables were found in this model. It is likely the model was frozen previously. "
            "You cannot freeze a graph twice."
        ) from error

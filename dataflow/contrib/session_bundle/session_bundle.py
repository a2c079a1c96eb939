"""Loads session bundles."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf.message import DecodeError

from dataflow.contrib.session_bundle import constants
from dataflow.errors import DataLossError
from dataflow.graph.scopes import get_collection, reset_default_graph
from dataflow.library.files import gfile
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.session_bundle_manifest_pb2 import AssetFile
from dataflow.saving.import_meta_graph import import_meta_graph
from dataflow.session.session import Session
from dataflow.values import wire_fault


def maybe_session_bundle_dir(export_dir: Any) -> bool:
    """Whether a folder has the MetaGraph of a session bundle."""
    return bool(gfile.exists(os.path.join(export_dir, constants.META_GRAPH_DEF_FILENAME)))


def load_session_bundle_from_path(
    export_dir: Any, target: Any = "", config: Any = None, meta_graph_def: Any = None
) -> tuple[Session, MetaGraphDef]:
    """Loads a bundle into a new default graph.

    Args:
      export_dir: The bundle's folder.
      target: Where the session runs.
      config: The session's options.
      meta_graph_def: A MetaGraph in place of the folder's.

    Returns:
      A session that has the bundle's variables, and its MetaGraph.

    Raises:
      RuntimeError: The folder has no MetaGraph, or that has several graphs or operations to start
        with.
    """
    meta_graph = meta_graph_def or read_meta_graph(export_dir)
    collections = meta_graph.collection_def
    if constants.GRAPH_KEY in collections:
        served = collections[constants.GRAPH_KEY].any_list.value
        if len(served) != 1:
            raise RuntimeError(f"Expected exactly one serving GraphDef in : {meta_graph}")
        meta_graph.graph_def.CopyFrom(GraphDef.FromString(served[0].value))
    reset_default_graph()
    session = Session(target, graph=None, config=config)
    saver = import_meta_graph(meta_graph)
    variables = _variables(export_dir)
    if variables is not None and saver is not None:
        saver.restore(session, os.path.join(export_dir, variables))
    if constants.INIT_OP_KEY in collections:
        if len(collections[constants.INIT_OP_KEY].node_list.value) != 1:
            raise RuntimeError(f"Expected exactly one serving init op in : {meta_graph}")
        session.run(get_collection(constants.INIT_OP_KEY), _assets(export_dir, meta_graph))
    return session, meta_graph


def read_meta_graph(export_dir: Any) -> MetaGraphDef:
    """The MetaGraph of a bundle.

    Raises:
      RuntimeError: There is none.
      DataLossError: The file holds something else; the message names file and place.
    """
    path = os.path.join(export_dir, constants.META_GRAPH_DEF_FILENAME)
    if not gfile.exists(path):
        raise RuntimeError(f"Expected meta graph file missing {path}")
    with gfile.GFile(path, "rb") as file:
        data = file.read()
    try:
        return MetaGraphDef.FromString(data)
    except DecodeError:
        fault = wire_fault.find(data, MetaGraphDef.DESCRIPTOR)
    raise DataLossError(None, None, f"{path}: not a MetaGraphDef: {fault}")


def _variables(export_dir: Any) -> str | None:
    """Which name a Saver finds the variables by, in either format of checkpoints."""
    for name in (constants.VARIABLES_INDEX_FILENAME_V2, constants.VARIABLES_FILENAME):
        if gfile.exists(os.path.join(export_dir, name)):
            return constants.VARIABLES_FILENAME
    sharded = constants.VARIABLES_FILENAME_PATTERN
    return sharded if gfile.glob(os.path.join(export_dir, sharded)) else None


def _assets(export_dir: Any, meta_graph: MetaGraphDef) -> dict[str, str]:
    """Paths of a bundle's files by the names of the constants that held them."""
    if constants.ASSETS_KEY not in meta_graph.collection_def:
        return {}
    packed = meta_graph.collection_def[constants.ASSETS_KEY].any_list.value
    assets = [AssetFile.FromString(each.value) for each in packed]
    return {
        each.tensor_binding.tensor_name: os.path.join(
            export_dir, constants.ASSETS_DIRECTORY, each.filename
        )
        for each in assets
    }

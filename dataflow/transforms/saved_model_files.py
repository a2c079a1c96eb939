"""What is in a SavedModel's file: the helpers that programs import beside TensorFlow's tools."""

from __future__ import annotations

from typing import Any

from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.saved_model_pb2 import SavedModel
from dataflow.saving.saved_model.files import parse_saved_model


def read_saved_model(saved_model_dir: Any) -> SavedModel:
    """The message in a folder, of its binary file, or else of the one in text.

    Raises:
      OSError: There is no such file, or it holds no SavedModel.
    """
    return parse_saved_model(saved_model_dir)


def get_saved_model_tag_sets(saved_model_dir: Any) -> list[list[str]]:
    """The tags of each graph.

    Raises:
      OSError: See `read_saved_model`.
    """
    graphs = read_saved_model(saved_model_dir).meta_graphs
    return [list(graph.meta_info_def.tags) for graph in graphs]


def get_meta_graph_def(saved_model_dir: Any, tag_set: str) -> MetaGraphDef:
    """The graph that has all of these tags and no other.

    Args:
      saved_model_dir: The folder.
      tag_set: Tags with commas between them; "" for the graph without tags.

    Raises:
      OSError: See `read_saved_model`.
      RuntimeError: There is no such graph.
    """
    wanted = {tag for tag in tag_set.split(",") if tag}
    graphs = read_saved_model(saved_model_dir).meta_graphs
    for graph in graphs:
        if set(graph.meta_info_def.tags) == wanted:
            return graph
    there = [",".join(graph.meta_info_def.tags) for graph in graphs]
    raise RuntimeError(
        f"MetaGraphDef associated with tag-set {tag_set} could not be found in the SavedModel. "
        f"Please use one of the following tag-sets: {there}"
    )

"""Trained graphs without masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.importing.import_graph import import_graph_def
from dataflow.importing.sub_graphs import convert_variables_to_constants, extract_sub_graph
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.saving.import_meta_graph import import_meta_graph
from dataflow.saving.state import latest_checkpoint
from dataflow.session.session import Session
from dataflow.values import logging
from dataflow.values.tensor_proto import make_tensor_proto

_MASKED: Final = "masked_weight"


def strip_pruning_vars_fn(input_graph_def: GraphDef, output_node_names: Sequence[str]) -> GraphDef:
    """A graph of constants in which products of masks and weights are constants.

    Args:
      input_graph_def: The graph, whose variables are constants.
      output_node_names: What is kept, with all that it needs.
    """
    with Graph().as_default() as graph:
        import_graph_def(input_graph_def, name="")
        names = [node.name for node in input_graph_def.node if _MASKED in node.name]
        with Session(graph=graph) as session:
            found = session.run({name: f"{name}:0" for name in names})
    stripped = GraphDef()
    for node in input_graph_def.node:
        made = stripped.node.add()
        if node.name not in found:
            made.CopyFrom(node)
            continue
        value = found[node.name]
        zeros = 100 * (1 - np.count_nonzero(value) / max(value.size, 1))
        logging.info("%s has %d values, %1.2f%% zeros", node.name, value.size, zeros)
        made.name, made.op = node.name, "Const"
        made.attr["dtype"].CopyFrom(node.attr["T"])
        made.attr["value"].tensor.CopyFrom(make_tensor_proto(value))
    return extract_sub_graph(stripped, list(output_node_names))


def graph_def_from_checkpoint(checkpoint_dir: str, output_node_names: Sequence[str]) -> Any:
    """The graph of a folder's newest checkpoint, whose variables have become constants.

    Raises:
      ValueError: There is no checkpoint.
    """
    path = latest_checkpoint(checkpoint_dir)
    if path is None:
        raise ValueError(f"Could not find a checkpoint at: {checkpoint_dir}.")
    saver: Any = import_meta_graph(f"{path}.meta", clear_devices=True)
    with Session() as session:
        saver.restore(session, path)
        graph = scopes.get_default_graph().as_graph_def()
        return convert_variables_to_constants(session, graph, list(output_node_names))

"""Summaries for TensorBoard's view of graphs: runs with their traces, and models of Keras."""

from __future__ import annotations

from typing import Any

from dataflow.graph import scopes
from dataflow.ops.basic.constant import constant
from dataflow.proto import config_pb2, summary_pb2
from dataflow.recording.resource_writer import CPU
from dataflow.recording.written import summary_scope, write
from dataflow.values import dtypes, logging


def run_metadata(name: str, data: Any, step: Any = None) -> Any:
    """Writes what a run told.

    Args:
      name: Name of the summary; with the scopes around it, it is the tag.
      data: A RunMetadata.
      step: An int64 scalar; the default step if None.

    Returns:
      A boolean scalar: whether it was written, which it is not without a writer.

    Raises:
      ValueError: There is a writer, and no step.
    """
    plugin = "graph_run_metadata"
    return _write(name, f"{plugin}_summary", plugin, data.SerializeToString(), [data, step], step)


def run_metadata_graphs(name: str, data: Any, step: Any = None) -> Any:
    """Writes the graphs of a run, without its times; see `run_metadata`."""
    plugin = "graph_run_metadata_graph"
    graphs = config_pb2.RunMetadata(
        function_graphs=data.function_graphs, partition_graphs=data.partition_graphs
    )
    written = graphs.SerializeToString()
    return _write(name, f"{plugin}_summary", plugin, written, [graphs, step], step)


def keras_model(name: str, data: Any, step: Any = None) -> Any:
    """Writes the configuration of a model of Keras; False, and a warning, if it tells none.

    Args:
      name: Name of the summary; with the scopes around it, it is the tag.
      data: The model.
      step: An int64 scalar; the default step if None.

    Returns:
      A boolean scalar: whether it was written, which it is not without a writer.

    Raises:
      ValueError: There is a writer, and no step.
    """
    try:
        told = data.to_json()
    except Exception as error:  # What a model of a program's raises must not end the program.
        logging.warning("Model failed to serialize as JSON. Ignoring... %s", error)
        return False
    return _write(name, "graph_keras_model", "graph_keras_model", told, [data, step], step)


def _write(
    name: str, default_name: str, plugin: str, content: str | bytes, values: Any, step: Any
) -> Any:
    metadata = summary_pb2.SummaryMetadata()
    metadata.plugin_data.plugin_name = plugin
    metadata.plugin_data.content = b"1"
    with summary_scope(name, default_name, values) as (tag, _):
        with scopes.device(CPU):
            tensor = constant(content, dtype=dtypes.string)
        return write(tag, tensor, step, metadata)

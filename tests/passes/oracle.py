"""TensorFlow's own importer, placer and partitioner, asked about GraphDefs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client import pywrap_tf_session as c_api
from tensorflow.python.framework import c_api_util

from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime.signature import StepSignature
from tests.oracle import unoptimized

tf.disable_v2_behavior()


def _fill(graph: tf.Graph, graph_def: GraphDef) -> None:
    """Imports a GraphDef as it is: Python's importer would rewrite devices of colocated nodes."""
    options = c_api_util.ScopedTFImportGraphDefOptions()
    c_api.TF_ImportGraphDefOptionsSetUniquifyNames(options.options, False)
    with (
        graph._c_graph.get() as c_graph,
        c_api_util.tf_buffer(graph_def.SerializeToString()) as buffer,
    ):
        c_api.TF_GraphImportGraphDefWithResults(c_graph, buffer, options.options)
    graph._add_new_tf_operations(compute_devices=False)


def import_error(graph_def: GraphDef) -> str | None:
    """What TensorFlow's importer has against a GraphDef, or None."""
    try:
        _fill(tf.Graph(), graph_def)
    except tf.errors.OpError as error:
        return str(error.message)
    return None


@dataclass(frozen=True, slots=True)
class Partitions:
    """What TensorFlow ran: its nodes with their devices, as GraphDefs by device."""

    by_device: dict[str, GraphDef]


def partitions(
    graph_def: GraphDef,
    num_cpus: int,
    fetches: list[str],
    targets: list[str] | None = None,
    feeds: dict[str, Any] | None = None,
    first: list[str] | None = None,
    soft: bool = False,
) -> Partitions:
    """Runs a graph on several CPU devices of one process, without optimisation.

    Raises:
      OpError: TensorFlow cannot place, split or run it.
    """
    config = unoptimized(device_count={"CPU": num_cpus}, allow_soft_placement=soft)
    with tf.Graph().as_default() as graph:
        _fill(graph, graph_def)
        with tf.Session(graph=graph, config=config) as session:
            for name in first or []:
                session.run(graph.get_operation_by_name(name), feeds)
            metadata = tf.RunMetadata()
            session.run(
                fetches + [graph.get_operation_by_name(name) for name in targets or []],
                feeds,
                options=tf.RunOptions(output_partition_graphs=True),
                run_metadata=metadata,
            )
    found = {}
    for part in metadata.partition_graphs:
        converted = GraphDef.FromString(part.SerializeToString())
        found[converted.node[0].device] = converted
    return Partitions(found)


def callable_error(graph_def: GraphDef, signature: StepSignature) -> tuple[str, str] | None:
    """How TensorFlow's master refuses a step, as exception class and message, or None."""
    options = config_pb2.CallableOptions(
        feed=signature.feeds, fetch=signature.fetches, target=signature.targets
    )
    with tf.Graph().as_default() as graph:
        _fill(graph, graph_def)
        with tf.Session(graph=graph) as session:
            try:
                session._make_callable_from_options(options)
            except tf.errors.OpError as error:
                return type(error).__name__, str(error.message)
    return None


def placement_error(graph_def: GraphDef, num_cpus: int = 2, soft: bool = False) -> str | None:
    """Why TensorFlow cannot place a graph, or None."""
    names = [node.name for node in graph_def.node]
    try:
        partitions(graph_def, num_cpus, [], names, soft=soft)
    except tf.errors.OpError as error:
        # The client puts an account of the nodes' origins before the message.
        return re.split(r"\nNode: '[^']*'\n", str(error.message))[-1].removeprefix("\n")
    return None

"""TensorFlow's partitioner with a master and workers, on servers in this process."""

from __future__ import annotations

import functools
import socket
from collections.abc import Callable
from contextlib import closing
from typing import Any

import tensorflow.compat.v1 as tf

from dataflow.proto.graph_pb2 import GraphDef
from tests.oracle import unoptimized

NUM_TASKS = 2
NUM_CPUS = 2
DEVICES = [
    f"/job:worker/replica:0/task:{task}/device:CPU:{index}"
    for task in range(NUM_TASKS)
    for index in range(NUM_CPUS)
]


def run(build: Callable[[], list[Any]]) -> tuple[list[Any], GraphDef, list[GraphDef]]:
    """Runs what `build` makes on two workers of two CPUs each, without optimisation.

    Returns:
      The values, the graph as it was built, and the graphs of the devices.
    """
    metadata = tf.RunMetadata()
    with tf.Graph().as_default() as graph:
        fetches = build()
        with tf.Session(_servers()[0].target, config=unoptimized()) as session:
            session.run(tf.global_variables_initializer())
            values = session.run(
                fetches,
                options=tf.RunOptions(output_partition_graphs=True),
                run_metadata=metadata,
            )
        built = GraphDef.FromString(graph.as_graph_def().SerializeToString())
    parts = [GraphDef.FromString(p.SerializeToString()) for p in metadata.partition_graphs]
    return values, built, parts


@functools.cache
def _servers() -> list[Any]:
    """The servers; TensorFlow has no way to stop one before the process ends."""
    addresses = [f"127.0.0.1:{_free_port()}" for _ in range(NUM_TASKS)]
    cluster = tf.train.ClusterSpec({"worker": addresses})
    config = tf.ConfigProto(device_count={"CPU": NUM_CPUS})
    return [
        tf.train.Server(cluster, job_name="worker", task_index=task, config=config)
        for task in range(NUM_TASKS)
    ]


def _free_port() -> int:
    with closing(socket.socket()) as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])

"""A program on a simulated cluster of two machines: a model that fits neither is served by both.

Run by `test_two_nodes.py` in a process of its own; prints what it finds, one fact a line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import ray

import dataflow as tf
from dataflow.errors import ResourceExhaustedError
from dataflow.placement.measures import weight_bytes
from dataflow.placement.pipeline import Pipeline
from tests.ray.two_machines import two_machines

MEMORY = 5 << 20
"""Bytes for weights that each machine is taken to have."""
TASKS = ["/job:worker/task:0", "/job:worker/task:1"]
folder = Path(sys.argv[1])
values = np.load(folder / "x.npy")


def say(what: str, value: object) -> None:
    sys.stdout.write(f"out: {what}: {value}\n")
    sys.stdout.flush()


def products_by_task(pipeline: Pipeline) -> dict[str, list[str]]:
    """The products that each task computes in a step."""
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    pipeline.session.run("y:0", {"x:0": values}, options, metadata)
    return {
        device.device.partition("/task:")[2][0]: sorted(
            stats.node_name for stats in device.node_stats if stats.node_name.startswith("MatMul")
        )
        for device in metadata.step_stats.dev_stats
    }


cluster = two_machines()
try:
    Pipeline(folder / "net", {TASKS[0]: MEMORY})
except ResourceExhaustedError as error:
    say("one machine", "bytes" in error.message)
with Pipeline(folder / "net", dict.fromkeys(TASKS, MEMORY), in_flight=4) as pipeline:
    say("first", pipeline.run({"x": values})["y"].tolist())
    weights = dict.fromkeys(TASKS, 0)
    for node in pipeline.placed.node:
        weights[node.device] += weight_bytes(node)
    say("weights", json.dumps(list(weights.values())))
    say("products", json.dumps(products_by_task(pipeline)))
    requests = [{"x": values * n} for n in range(12)]
    alone = [pipeline.run(request)["y"] for request in requests]
    together = [answer["y"] for answer in pipeline.map(requests)]
    same = zip(alone, together, strict=True)
    say("in order", all(np.array_equal(a, b) for a, b in same))
with tf.Graph().as_default(), tf.Session() as session:
    tf.saved_model.load(session, ["serve"], folder / "net")
    say("whole", session.run("y:0", {"x:0": values}).tolist())
ray.shutdown()
cluster.shutdown()

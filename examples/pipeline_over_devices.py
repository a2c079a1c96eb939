"""Cuts a model over two devices by the bytes of its weights, and answers requests as a pipeline.

python examples/pipeline_over_devices.py --target ray

Each device holds the weights of its layers only; while the second works on one request, the first
works on the next.
"""

from __future__ import annotations

import collections
import tempfile
from pathlib import Path

import click
import numpy as np

import dataflow as tf
from dataflow.placement.measures import weight_bytes
from dataflow.placement.pipeline import Pipeline

DEVICES = ["/cpu:0", "/cpu:1"]


def save_net(folder: Path, layers: int, width: int) -> None:
    """Saves a net of dense layers with random weights."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        x = h = tf.placeholder(tf.float32, [None, width], name="x")
        for number in range(layers):
            h = tf.layers.dense(h, width, tf.tanh, name=f"layer{number}")
        y = tf.identity(h, name="y")
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, str(folder), {"x": x}, {"y": y})


@click.command()
@click.option("--target", default="", help="'ray' runs it on a cluster.")
@click.option("--layers", default=6)
@click.option("--width", default=256)
@click.option("--requests", default=20)
def main(target: str, layers: int, width: int, requests: int) -> None:
    """Shows where the weights are, and that the answers are those of the whole model."""
    rng = np.random.default_rng(0)
    asked = [{"x": rng.standard_normal((8, width)).astype(np.float32)} for _ in range(requests)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "net"
        save_net(folder, layers, width)
        config = tf.ConfigProto(device_count={"CPU": len(DEVICES)})
        with Pipeline(folder, DEVICES, by="memory", target=target, config=config) as pipeline:
            held: collections.Counter[str] = collections.Counter()
            for node in pipeline.placed.node:
                held[node.device] += weight_bytes(node)
            for device in DEVICES:
                print(f"{device} holds {held[device]} bytes of weights")
            answers = [answer["y"] for answer in pipeline.map(asked)]
        with tf.Graph().as_default(), tf.Session() as session:
            tf.saved_model.load(session, ["serve"], str(folder))
            whole = [session.run("y:0", {"x:0": each["x"]}) for each in asked]
    same = sum(np.array_equal(a, b) for a, b in zip(answers, whole, strict=True))
    print(f"{same} of {requests} answers are those of the whole model")


if __name__ == "__main__":
    main()

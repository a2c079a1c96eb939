"""Trains a convolutional classifier on real handwritten digits, its layers spread over devices.

python examples/train_digits.py --target ray --devices 2 --steps 400 --batch 64
"""

from __future__ import annotations

import time
from collections import Counter

import click
import numpy as np
from digits import HELD_OUT, Model, held_out_accuracy, loss_and_accuracy, read_digits, train
from rich.console import Console
from rich.table import Table

import dataflow as tf


def weight(name: str, shape: list[int]) -> tf.Tensor:
    """A weight, started with He's normal initialiser."""
    spread = np.sqrt(2.0 / np.prod(shape[:-1]))
    return tf.Variable(tf.truncated_normal(shape, stddev=spread), name=name)


def bias(name: str, size: int) -> tf.Tensor:
    """A bias, started at zero."""
    return tf.Variable(tf.zeros([size]), name=name)


def build_model(devices: int) -> Model:
    """Two convolutions on the first device, two dense layers and the loss on the last."""
    first, last = "/cpu:0", f"/cpu:{devices - 1}"
    images = tf.placeholder(tf.float32, [None, 8, 8, 1], name="images")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    with tf.device(first):
        hidden = tf.nn.conv2d(images, weight("conv1", [3, 3, 1, 32]), [1, 1, 1, 1], "SAME")
        hidden = tf.nn.relu(tf.nn.bias_add(hidden, bias("conv1_bias", 32)))
        hidden = tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        hidden = tf.nn.conv2d(hidden, weight("conv2", [3, 3, 32, 64]), [1, 1, 1, 1], "SAME")
        hidden = tf.nn.relu(tf.nn.bias_add(hidden, bias("conv2_bias", 64)))
        hidden = tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        flat = tf.reshape(hidden, [-1, 2 * 2 * 64])
    with tf.device(last):
        dense = tf.nn.relu(tf.matmul(flat, weight("dense", [256, 128])) + bias("dense_bias", 128))
        logits = tf.matmul(dense, weight("logits", [128, 10])) + bias("logits_bias", 10)
        loss, accuracy = loss_and_accuracy(labels, logits)
    optimizer = tf.train.AdamOptimizer(1e-3)
    train = optimizer.minimize(loss, colocate_gradients_with_ops=True)
    return Model(images, labels, loss, accuracy, train)


def placement_table(metadata: tf.RunMetadata) -> Table:
    """What ran where in the step that the metadata describes."""
    nodes: dict[str, Counter[str]] = {}
    for graph in metadata.partition_graphs:
        for node in graph.node:
            nodes.setdefault(node.device, Counter())[node.op] += 1
    table = Table(title="What ran where")
    for column in ("device", "nodes", "sends", "receives", "most frequent ops"):
        table.add_column(column)
    for device, ops in sorted(nodes.items()):
        frequent = ", ".join(f"{op} {count}" for op, count in ops.most_common(4))
        row = (
            device[device.index("/task:") :],
            str(ops.total()),
            str(ops["_Send"]),
            str(ops["_Recv"]),
            frequent,
        )
        table.add_row(*row)
    return table


@click.command()
@click.option("--target", default="", show_default=True, help='"" for this process, or "ray".')
@click.option(
    "--devices", default=2, show_default=True, type=click.IntRange(1), help="CPU devices."
)
@click.option("--steps", default=500, show_default=True, type=click.IntRange(1))
@click.option("--batch", default=64, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=7, show_default=True, help="Seed of the initial weights.")
def main(target: str, devices: int, steps: int, batch: int, seed: int) -> None:
    """Trains on the digits and prints the accuracy on those held out."""
    console = Console()
    digits = read_digits()
    started = time.monotonic()
    with tf.Graph().as_default():
        tf.set_random_seed(seed)
        model = build_model(devices)
        initialize = tf.global_variables_initializer()
        with tf.Session(target, config=tf.ConfigProto(device_count={"CPU": devices})) as session:
            console.print(f"session open after {time.monotonic() - started:.1f} s, devices:")
            for device in session.list_devices():
                console.print(f"  {device.name}", highlight=False)
            session.run(initialize)
            train(session, model, digits, steps, batch, console)
            metadata = tf.RunMetadata()
            options = tf.RunOptions(output_partition_graphs=True)
            sample = {
                model.images: digits.train_images[:batch],
                model.labels: digits.train_labels[:batch],
            }
            session.run(model.train, sample, options=options, run_metadata=metadata)
            accuracy = held_out_accuracy(session, model, digits)
    console.print(placement_table(metadata))
    seconds = time.monotonic() - started
    console.print(f"held-out accuracy {accuracy:.4f} on {HELD_OUT} digits after {seconds:.1f} s")


if __name__ == "__main__":
    main()

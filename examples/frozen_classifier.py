"""Trains a net on digits, freezes it, folds its normalization, and classifies with the file.

python examples/frozen_classifier.py --steps 300 --target ray --out /tmp/digits

Of the folder then `python -m dataflow inspect /tmp/digits/frozen.pb` says what is in it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click
import numpy as np
from digits import Digits, Model, held_out_accuracy, loss_and_accuracy, read_digits, train
from rich.console import Console

import dataflow as tf
from dataflow.transforms.transform_graph import TransformGraph

PASSES = [
    "strip_unused_nodes",
    "remove_nodes(op=Identity, op=StopGradient)",
    "fold_constants",
    "fold_old_batch_norms",
    "merge_duplicate_nodes",
    "sort_by_execution_order",
]


def build(training: bool) -> Model:
    """Two convolutions with batch normalization, and what trains them."""
    images = tf.placeholder(tf.float32, [None, 8, 8, 1], name="images")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    h = images
    for filters in (16, 32):
        h = tf.layers.conv2d(h, filters, 3, padding="same", use_bias=False)
        h = tf.nn.relu(tf.layers.batch_normalization(h, training=training, momentum=0.9))
        h = tf.layers.max_pooling2d(h, 2, 2)
    logits = tf.layers.dense(tf.layers.flatten(h), 10)
    tf.nn.softmax(logits, name="probabilities")
    loss, accuracy = loss_and_accuracy(labels, logits)
    step = tf.no_op()
    if training:
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            step = tf.train.AdamOptimizer(3e-3).minimize(loss)
    return Model(images, labels, loss, accuracy, step)


def save(folder: Path, digits: Digits, steps: int, target: str, console: Console) -> float:
    """Trains, writes a SavedModel of the net as it is used, and returns its accuracy."""
    checkpoint = str(folder / "trained")
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        model = build(training=True)
        saver = tf.train.Saver()
        with tf.Session(target) as session:
            session.run(tf.global_variables_initializer())
            train(session, model, digits, steps, 64, console)
            saver.save(session, checkpoint)
    with tf.Graph().as_default():
        model = build(training=False)
        with tf.Session(target) as session:
            tf.train.Saver().restore(session, checkpoint)
            reached = held_out_accuracy(session, model, digits)
            output = session.graph.get_tensor_by_name("probabilities:0")
            tf.saved_model.simple_save(
                session, folder / "saved", {"images": model.images}, {"probabilities": output}
            )
    return reached


def freeze(folder: Path) -> tuple[tf.GraphDef, tf.GraphDef]:
    """The SavedModel without variables, as it is and after passes, which is written."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.saved_model.loader.load(session, ["serve"], folder / "saved")
        frozen = tf.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), ["probabilities"]
        )
    smaller = TransformGraph(frozen, ["images"], ["probabilities"], PASSES)
    tf.train.write_graph(smaller, str(folder), "frozen.pb", as_text=False)
    return frozen, smaller


def classify(path: Path, images: np.ndarray, target: str) -> np.ndarray:
    """What the graph in a file takes each image for."""
    graph_def = tf.GraphDef.FromString(path.read_bytes())
    with tf.Graph().as_default(), tf.Session(target) as session:
        tf.import_graph_def(graph_def, name="")
        return np.argmax(session.run("probabilities:0", {"images:0": images}), 1)


@click.command()
@click.option("--target", default="", show_default=True, help='"" for this process, or "ray".')
@click.option("--steps", default=300, show_default=True, type=click.IntRange(1))
@click.option("--out", type=click.Path(path_type=Path), help="A new folder for the files.")
def main(target: str, steps: int, out: Path | None) -> None:
    """Trains, freezes, and prints the accuracy of the frozen net on digits held out."""
    console = Console()
    digits = read_digits()
    with tempfile.TemporaryDirectory() as temporary:
        folder = out or Path(temporary)
        folder.mkdir(exist_ok=True)
        trained = save(folder, digits, steps, target, console)
        frozen, smaller = freeze(folder)
        found = classify(folder / "frozen.pb", digits.test_images, target)
    reached = float(np.mean(found == digits.test_labels))
    console.print(f"trained net: accuracy {trained:.4f}, {len(frozen.node)} nodes when frozen")
    console.print(f"after passes: {len(smaller.node)} nodes")
    console.print(f"held-out accuracy {reached:.4f} on {len(digits.test_labels)} digits")


if __name__ == "__main__":
    main()

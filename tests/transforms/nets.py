"""A frozen net with what passes look for, and how its answers are computed."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow as tf
from dataflow.proto.graph_pb2 import GraphDef

IMAGES = np.random.default_rng(1).uniform(0, 1, (2, 8, 8, 3)).astype(np.float32)
OUTPUTS = ("answer",)


def net() -> GraphDef:
    """Convolutions with each kind of normalization and factor, and constants of constants."""
    random = np.random.default_rng(2)

    def weights(*shape: int) -> Any:
        return tf.constant(random.normal(0, 0.5, shape).astype(np.float32))

    def near_one(size: int) -> Any:
        return tf.constant(random.uniform(0.5, 1.5, size).astype(np.float32))

    def normed(x: Any, size: int) -> Any:
        return tf.nn.fused_batch_norm(
            x, near_one(size), weights(size), weights(size), near_one(size), 0.01, "NHWC", False
        )[0]

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="images")
        h = normed(tf.nn.conv2d(x, weights(3, 3, 3, 16), [1, 1, 1, 1], "SAME", name="first"), 16)
        h = tf.identity(tf.nn.relu(h))
        h = tf.nn.depthwise_conv2d_native(h, weights(3, 3, 16, 2), [1, 2, 2, 1], "SAME")
        h = normed(tf.nn.bias_add(h, weights(32)), 32)
        h = tf.check_numerics(tf.nn.relu(h), "no number")
        h = tf.nn.conv2d(h, weights(1, 1, 32, 40), [1, 1, 1, 1], "SAME") * near_one(40)
        h = tf.reduce_mean(h, [1, 2]) + tf.sqrt(tf.add(tf.constant(3.0), 4.0))
        h = tf.matmul(h, weights(40, 30)) * near_one(30)
        h = tf.stop_gradient(h) + tf.square(h) + tf.square(h)
        first, second = tf.split(tf.constant(np.arange(60, dtype=np.float32).reshape(2, 30)), 2)
        h = h * first / (second + 1.0)
        tf.nn.softmax(4.0 * tf.tanh(0.02 * h), name="answer")
        tf.negative(x, name="unused")
        return graph.as_graph_def()


def answer(graph_def: GraphDef, library: Any = tf) -> np.ndarray:
    """What a library computes."""
    message = library.GraphDef.FromString(graph_def.SerializeToString())
    with library.Graph().as_default() as graph, library.Session(graph=graph) as session:
        library.import_graph_def(message, name="")
        found: np.ndarray = session.run("answer:0", {"images:0": IMAGES})
        return found


def ops(graph_def: GraphDef) -> list[str]:
    """The ops of the nodes."""
    return [node.op for node in graph_def.node]

"""Programs with ops that TensorFlow has given up: graphs of an early version still take them."""

from __future__ import annotations

from typing import Any


def make_old(tf: Any, producer: int = 1) -> Any:
    """Lets the default graph be one of an early version; gives the module of all ops."""
    old = tf.GraphDef()
    old.versions.producer = producer
    tf.import_graph_def(old, name="")
    return tf.raw_ops

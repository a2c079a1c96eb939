"""SavedModels for servers, written by TensorFlow, and TensorFlow's own answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tensorflow

from tests.oracle import open_session

oracle = tensorflow.compat.v1
oracle.disable_v2_behavior()

CLASSES = [b"cat", b"dog", b"\xc3\xa9mu"]


def write_factor(folder: Path, version: int, factor: float) -> None:
    """A version that multiplies by a factor, and that says how many rows its step had."""
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        x = oracle.placeholder(oracle.float32, [None, 2], name="x")
        w = oracle.get_variable("w", initializer=np.float32(factor), use_resource=True)
        y = oracle.multiply(x, w, name="y")
        rows = oracle.shape(x)[0]
        counted = oracle.fill([rows], rows)
        words = oracle.placeholder(oracle.string, [None], name="words")
        numbers = oracle.strings.to_number(words)
        lists = oracle.placeholder(oracle.float32, [None, None], name="lists")
        sums = oracle.reduce_sum(lists, 1)
        session.run(oracle.global_variables_initializer())
        make = oracle.saved_model.predict_signature_def
        signatures = {
            "serving_default": make({"x": x}, {"y": y}),
            "rows": make({"x": x}, {"rows": counted}),
            "numbers": make({"words": words}, {"numbers": numbers}),
            "sums": make({"lists": lists}, {"sums": sums}),
            "total": make({"x": x}, {"total": oracle.reduce_sum(x)}),
        }
        builder = oracle.saved_model.Builder(str(folder / str(version)))
        builder.add_meta_graph_and_variables(session, ["serve"], signatures)
        builder.save()


def write_zoo(folder: Path, version: int = 7) -> None:
    """A version with signatures of all kinds."""
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        make = oracle.saved_model.predict_signature_def
        w = np.random.default_rng(1).standard_normal((3, 3)).astype(np.float32)
        serialized = oracle.placeholder(oracle.string, [None], name="serialized")
        parsed = oracle.io.parse_example(
            serialized,
            {
                "age": oracle.io.FixedLenFeature([], oracle.float32),
                "count": oracle.io.FixedLenFeature([], oracle.int64, default_value=3),
                "kind": oracle.io.FixedLenFeature([], oracle.string, default_value=b"none"),
            },
        )
        length = oracle.cast(oracle.strings.length(parsed["kind"]), oracle.float32)
        count = oracle.cast(parsed["count"], oracle.float32)
        features = oracle.stack([parsed["age"], count, length], 1)
        scores = oracle.nn.softmax(oracle.matmul(features, w))
        classes = oracle.tile([CLASSES], [oracle.shape(scores)[0], 1])
        values = oracle.reduce_sum(features, 1, keepdims=True)
        a = oracle.placeholder(oracle.float32, [None, 2], name="a")
        n = oracle.placeholder(oracle.int64, [None], name="n")
        kinds: dict[str, Any] = {}
        for kind in ("int32", "uint8", "int64", "bool", "double", "half", "bfloat16", "string"):
            dtype = getattr(oracle, kind)
            kinds[kind] = oracle.placeholder(dtype, None, name=kind)
        text = oracle.placeholder(oracle.string, [None], name="text")
        signature = oracle.saved_model.build_signature_def
        info = oracle.saved_model.build_tensor_info
        signatures = {
            "serving_default": make({"a": a, "n": n}, {"sum": a + 1.5, "twice": 2 * n}),
            "text": make({"text": text}, {"out": text, "out_bytes": text}),
            "binary": make({"text": text}, {"out_bytes": oracle.strings.substr(text, 0, 2)}),
            "classify": oracle.saved_model.classification_signature_def(
                serialized, classes, scores
            ),
            "scores": signature(
                {"inputs": info(serialized)},
                {"scores": info(scores)},
                "tensorflow/serving/classify",
            ),
            "regress": oracle.saved_model.regression_signature_def(serialized, values),
            **{
                name: make({"v": each}, {"r": oracle.identity(each)})
                for name, each in kinds.items()
            },
        }
        session.run(oracle.global_variables_initializer())
        builder = oracle.saved_model.Builder(str(folder / str(version)))
        builder.add_meta_graph_and_variables(session, ["serve"], signatures)
        builder.save()


PROGRAM = """
import sys
import tensorflow as tf

class Net(tf.Module):
    def __init__(self):
        self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        keys = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([5, 6], tf.int64))
        self.table = tf.lookup.StaticHashTable(keys, -1)

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None], tf.string)])
    def ask(self, x, key):
        y = x @ self.w
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: y + 1, lambda: y)
        return {"y": y, "id": self.table.lookup(key)}

net = Net()
tf.saved_model.save(net, sys.argv[1], signatures=net.ask)
print(net.ask(tf.constant([[1.0, 0.5]]), tf.constant(["b"]))["y"].numpy().tolist())
"""
"""Saves a model as TensorFlow 2 does, and prints an answer of its own."""


def asked_of_tensorflow(
    folder: Path, signature: str, inputs: dict[str, Any]
) -> dict[str, np.ndarray]:
    """What TensorFlow's session gives for a signature of a SavedModel."""
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        meta_graph = oracle.saved_model.load(session, ["serve"], str(folder))
        found = meta_graph.signature_def[signature]
        feeds = {found.inputs[key].name: value for key, value in inputs.items()}
        values: dict[str, np.ndarray] = session.run(
            {key: info.name for key, info in found.outputs.items()}, feeds
        )
        return values

"""Forests that tests grow: data, and what a training leaves."""

from __future__ import annotations

import json
import zlib
from typing import Any, NamedTuple

import numpy as np
from google.protobuf import text_format
from google.protobuf.descriptor_pool import DescriptorPool

import dataflow as tf
from dataflow.contrib.tensor_forest.python import tensor_forest
from dataflow.contrib.tensor_forest.python.ops import gen_model_ops, gen_stats_ops
from dataflow.proto.fertile_stats_pb2 import FertileStats
from dataflow.proto.generic_tree_model_pb2 import Model
from dataflow.variables.resources import initialize_resources, shared_resources

_DRAWN = np.random.RandomState(0)
NUMBERS = np.round(_DRAWN.randn(600, 7), 3).astype(np.float32)
CLASSES = ((NUMBERS[:, 0] > 0.3) + (NUMBERS[:, 1] * NUMBERS[:, 2] > 0)).astype(np.float32)
TARGETS = np.stack([NUMBERS[:, 0] + NUMBERS[:, 1], NUMBERS[:, 2] * 2], 1).astype(np.float32)
WEIGHTS = _DRAWN.rand(600).astype(np.float32) * 2
COLUMNS = {
    "a": NUMBERS[:, :3],
    "b": _DRAWN.randint(0, 5, (600, 2)).astype(np.int32),
    "c": NUMBERS[:, 3:],
}
_EPOCHS = 2
_NO_MESSAGES = DescriptorPool()


def text_of(message: Any) -> str:
    """A message in one line; what an Any holds stays packed, whatever has been imported."""
    text = text_format.MessageToString(message, as_one_line=True, descriptor_pool=_NO_MESSAGES)
    return text.replace("tensorflow.decision_trees", "dataflow.decision_trees")


def digest(text: str) -> int:
    """A number for a text."""
    return zlib.crc32(text.encode())


class Grown(NamedTuple):
    """What a training leaves."""

    sizes: list[int]
    trees: list[int]
    """Digests of trees,"""
    stats: list[int]
    """of what their leaves have counted,"""
    predictions: int
    """and of what the forest predicts, bit by bit."""


def nodes_of(serialized: bytes) -> list[str]:
    """The nodes of a tree as text."""
    return [text_of(node) for node in Model.FromString(serialized).decision_tree.nodes]


def counts_of(serialized: bytes) -> str:
    """What leaves have counted, as text."""
    slots = FertileStats.FromString(serialized).node_to_slot
    return json.dumps(sorted(digest(text_of(slot)) for slot in slots))


def grow(
    data: Any = NUMBERS, labels: Any = CLASSES, weights: Any = None, batches: int = 6, **given: Any
) -> Grown:
    """Trains a forest with the seed 5 twice with all examples.

    Args:
      data: Features.
      labels: Classes or targets.
      weights: Weights of examples.
      batches: How many batches the examples make.
      **given: Hyperparameters.
    """
    classes, features = (2 if labels.ndim > 1 else 3), given.pop("num_features", 7)
    given = {"num_trees": 1, "max_nodes": 60, "split_after_samples": 25, **given}
    params = tensor_forest.ForestHParams(
        num_classes=classes, num_features=features, base_random_seed=5, **given
    ).fill()
    with tf.Graph().as_default():
        fed = data if isinstance(data, dict) else {"": data}
        columns = {
            name: tf.placeholder(each.dtype, [None, each.shape[1]]) for name, each in fed.items()
        }
        inputs = columns if isinstance(data, dict) else columns[""]
        answers = tf.placeholder(tf.float32, [None, *labels.shape[1:]])
        weighted = tf.placeholder(tf.float32, [None])
        forest = tensor_forest.RandomForestGraphs(params)
        more = {} if weights is None else {"input_weights": weighted}
        train = forest.training_graph(inputs, answers, **more)
        predictions = forest.inference_graph(inputs)[0]
        trees = [
            gen_model_ops.tree_serialize(forest.variables[i].tree) for i in range(params.num_trees)
        ]
        stats = [
            gen_stats_ops.fertile_stats_serialize(
                forest.variables[i].stats, params=params.serialized_params_proto
            )
            for i in range(params.num_trees)
        ]
        everything = {columns[name]: each for name, each in fed.items()}
        everything[answers] = labels
        if weights is not None:
            everything[weighted] = weights
        size = len(labels) // batches
        with tf.Session() as session:
            session.run(initialize_resources(shared_resources()))
            for first in [*range(0, len(labels), size)] * _EPOCHS:
                batch = {key: value[first : first + size] for key, value in everything.items()}
                session.run(train, batch)
            predicted, grown, counted = session.run([predictions, trees, stats], everything)
    nodes = [nodes_of(tree) for tree in grown]
    return Grown(
        [len(tree) for tree in nodes],
        [digest("\n".join(tree)) for tree in nodes],
        [digest(counts_of(each)) for each in counted],
        zlib.crc32(np.ascontiguousarray(predicted, np.float32).tobytes()),
    )

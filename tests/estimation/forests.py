"""Data for boosted trees, what grown trees look like, and boosting in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.proto.boosted_trees_pb2 import TreeEnsemble

BOUNDARIES = [-2.0, 0.5, 12.0]
ROWS = np.array(
    [
        [12.5, 1.0, -2.001, -2.0001, -1.999],
        [2.0, -3.0, 0.5, 0.0, 0.4995],
        [3.0, 20.0, 50.0, -100.0, 102.75],
    ],
    np.float32,
)
"""Features by examples."""
FEATURES = {f"f_{number}": row for number, row in enumerate(ROWS)}
CLASSES = [[0.0], [1.0], [1.0], [0.0], [0.0]]
NUMBERS = [[1.5], [0.3], [0.2], [2.0], [5.0]]

Tree = Any
"""The value of a leaf, or (feature, bucket, gain, value before the split, left, right)."""


def numeric() -> list[Any]:
    """A column of numbers for each feature."""
    return [tf.feature_column.numeric_column(name) for name in FEATURES]


def bucketized() -> list[Any]:
    """A column of buckets for each feature."""
    return [tf.feature_column.bucketized_column(each, BOUNDARIES) for each in numeric()]


def inputs(labels: Any, **features: Any) -> Any:
    """An input function of all rows, again and again."""
    return lambda: ({**FEATURES, **features}, labels)


def once() -> Any:
    """An input function of the features, once."""
    return tf.estimator.inputs.numpy_input_fn(FEATURES, batch_size=2, num_epochs=1, shuffle=False)


def saved(folder: Any) -> TreeEnsemble:
    """The ensemble in the newest checkpoint of a folder."""
    reader = tf.train.load_checkpoint(str(folder))
    return TreeEnsemble.FromString(reader.get_tensor("boosted_trees:0_serialized"))


def progress(folder: Any) -> tuple[int, int, int]:
    """The global step, the trees that are done, and the layers attempted, of a checkpoint."""
    ensemble = saved(folder)
    return (
        int(tf.train.load_checkpoint(str(folder)).get_tensor("global_step")),
        sum(each.is_finalized for each in ensemble.tree_metadata),
        ensemble.growing_metadata.num_layers_attempted,
    )


def _value(leaf: Any) -> float:
    return float(leaf.vector.value[0] if leaf.HasField("vector") else leaf.scalar)


def shown(ensemble: TreeEnsemble) -> list[Tree]:
    """The trees of an ensemble."""

    def of(tree: Any, number: int) -> Tree:
        node = tree.nodes[number]
        if node.WhichOneof("node") == "leaf":
            return _value(node.leaf)
        split, before = node.bucketized_split, node.metadata.original_leaf
        return (
            split.feature_id,
            split.threshold,
            node.metadata.gain,
            _value(before),
            of(tree, split.left_id),
            of(tree, split.right_id),
        )

    return [of(tree, 0) for tree in ensemble.trees]


def about(trees: Sequence[Tree]) -> list[Any]:
    """Trees to compare with, to six digits."""

    def of(tree: Tree) -> Any:
        if not isinstance(tree, tuple):
            return pytest.approx(tree, rel=2e-5, abs=2e-6)
        return (*tree[:2], *map(of, tree[2:]))

    return [of(tree) for tree in trees]


def boosted(
    buckets: np.ndarray,
    labels: np.ndarray,
    trees: int,
    depth: int,
    rate: float,
    l1: float = 0.0,
    l2: float = 0.0,
    weights: Any = 1.0,
) -> np.ndarray:
    """The predictions for all rows, of trees that are grown layer by layer for squared errors.

    Args:
      buckets: Shape [examples, features].
      labels: Shape [examples].
      trees: How many.
      depth: How many layers each has.
      rate: The learning rate.
      l1: Regularization.
      l2: Regularization.
      weights: Of examples.
    """
    found = np.zeros(len(labels))
    weights = np.broadcast_to(weights, labels.shape) / np.count_nonzero(
        np.broadcast_to(weights, labels.shape)
    )

    def best(gradients: np.ndarray, hessians: np.ndarray) -> tuple[float, float]:
        """The gain and the value of a node."""
        gradient, hessian = gradients.sum(), hessians.sum()
        gradient = np.sign(gradient) * max(abs(gradient) - l1, 0.0)
        if hessian + l2 <= 0:
            return 0.0, 0.0
        return gradient**2 / (hessian + l2), -gradient / (hessian + l2)

    for _ in range(trees):
        nodes = [np.arange(len(labels))]
        for _ in range(depth):
            gradients, hessians = 2 * (found - labels) * weights, 2 * weights
            after = []
            for rows in nodes:
                tried: list[tuple[float, int, list[np.ndarray]]] = []
                for feature in range(buckets.shape[1]):
                    for bucket in range(buckets.max() + 1):
                        left = buckets[rows, feature] <= bucket
                        both = [rows[left], rows[~left]]
                        gains = [best(gradients[each], hessians[each])[0] for each in both]
                        tried.append((sum(gains), len(tried), both))
                _, _, both = max(tried, key=lambda each: (each[0], -each[1]))
                after += [each for each in both if len(each)]
            for rows in after:
                found[rows] += rate * best(gradients[rows], hessians[rows])[1]
            nodes = after
    return found

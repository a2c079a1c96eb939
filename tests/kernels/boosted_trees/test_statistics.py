"""Sums by node and bucket, against loops over examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.kernels.boosted_trees.graphs import hidden, refusal, run

_EXAMPLES, _SPLITS, _BUCKETS = 60, 4, 5


def _given(seed: int, columns: int = 1) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    return {
        "node_ids": random.integers(0, _SPLITS, _EXAMPLES).astype(np.int32),
        "gradients": random.normal(size=(_EXAMPLES, columns)).astype(np.float32),
        "hessians": random.uniform(size=(_EXAMPLES, columns)).astype(np.float32),
    }


def test_sums_by_feature() -> None:
    given, random = _given(1), np.random.default_rng(2)
    features = random.integers(0, _BUCKETS, (3, _EXAMPLES)).astype(np.int32)
    expected = np.zeros((3, _SPLITS, _BUCKETS, 2))
    for place, feature in enumerate(features):
        for example, node in enumerate(given["node_ids"]):
            expected[place, node, feature[example], 0] += given["gradients"][example, 0]
            expected[place, node, feature[example], 1] += given["hessians"][example, 0]
    found = run(
        lambda: tf.raw_ops.BoostedTreesMakeStatsSummary(
            **given,
            bucketized_features_list=list(features),
            max_splits=_SPLITS,
            num_buckets=_BUCKETS,
        )
    )
    assert np.array_equal(found, expected.astype(np.float32))


def test_sums_of_several_dimensions_and_logits() -> None:
    """-1 stands for no value, whose bucket is one more than there are."""
    given, random = _given(3, 2), np.random.default_rng(4)
    feature = random.integers(-1, _BUCKETS, (_EXAMPLES, 3)).astype(np.int32)
    expected = np.zeros((_SPLITS, 3, _BUCKETS + 1, 4))
    values = np.concatenate([given["gradients"], given["hessians"]], axis=1)
    for example, node in enumerate(given["node_ids"]):
        for dimension, bucket in enumerate(feature[example]):
            expected[node, dimension, bucket] += values[example]
    found = run(
        lambda: tf.raw_ops.BoostedTreesAggregateStats(
            **given, feature=feature, max_splits=_SPLITS, num_buckets=_BUCKETS
        )
    )
    assert np.array_equal(found, expected.astype(np.float32))


def _sparse(given: dict[str, Any], indices: Any, values: Any, shape: Any = (_EXAMPLES, 6)) -> Any:
    return tf.raw_ops.BoostedTreesSparseAggregateStats(
        **given,
        feature_indices=hidden(indices),
        feature_values=hidden(values),
        feature_shape=hidden(shape),
        max_splits=_SPLITS,
        num_buckets=_BUCKETS,
    )


@pytest.mark.parametrize("at_once", [1 << 21, 100])
def test_sums_of_sparse_features(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many dimensions are summed at a time."""
    monkeypatch.setattr("dataflow.kernels.boosted_trees.statistics._AT_ONCE", at_once)
    given, random = _given(5), np.random.default_rng(6)
    dense = random.integers(0, _BUCKETS, (_EXAMPLES, 6))
    there = random.uniform(size=dense.shape) < 0.3
    expected: dict[tuple[int, int, int], Any] = {}
    values = np.concatenate([given["gradients"], given["hessians"]], axis=1)
    for example, node in enumerate(given["node_ids"].tolist()):
        for dimension in range(6):
            bucket = int(dense[example, dimension]) if there[example, dimension] else _BUCKETS
            key = node, dimension, bucket
            expected[key] = expected.get(key, np.zeros(2, np.float32)) + values[example]
    indices, sums, shape = run(lambda: _sparse(given, np.argwhere(there), dense[there]))
    assert shape.tolist() == [_SPLITS, 6, _BUCKETS + 1, 2]
    rows = [[*key, statistic] for key in sorted(expected) for statistic in range(2)]
    assert indices.tolist() == rows
    assert np.array_equal(sums, np.concatenate([expected[key] for key in sorted(expected)]))


def test_no_examples() -> None:
    none = {name: values[:0] for name, values in _given(7).items()}
    indices, sums, _ = run(lambda: _sparse(none, np.zeros((0, 2)), [], (0, 6)))
    assert indices.shape == (0, 4)
    assert sums.shape == (0,)
    dense = run(
        lambda: tf.raw_ops.BoostedTreesAggregateStats(
            **none, feature=np.zeros((0, 2), np.int32), max_splits=2, num_buckets=1
        )
    )
    assert np.array_equal(dense, np.zeros((2, 2, 2, 2), np.float32))


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"node_ids": [4]}, "node_ids 0th entry should be < 4, got: 4"),
        ({"node_ids": [-1]}, "node_ids 0th entry should be >=0, got: -1"),
        ({"feature": [[6]]}, "feature 0th entry should be < 6, got: 6"),
        ({"feature": [[-2]]}, "feature 0th entry should be >=0, got: -2"),
        ({"feature": [0]}, "feature must be a matrix, received shape [1]"),
        (
            {"gradients": [[1.0], [2.0]]},
            "node_ids size should match 0th dim of gradients. node ids size: 1, gradients dim0: 2",
        ),
    ],
)
def test_ids_beyond_their_limits(changed: dict[str, Any], text: str) -> None:
    given = {"node_ids": [0], "gradients": [[1.0]], "hessians": [[1.0]], "feature": [[0]]}
    types = {"gradients": np.float32, "hessians": np.float32}

    def build() -> Any:
        merged = {**given, **changed}
        shown = {name: hidden(v, types.get(name, np.int32)) for name, v in merged.items()}
        return tf.raw_ops.BoostedTreesAggregateStats(**shown, max_splits=4, num_buckets=5)

    assert refusal(build) == text


@pytest.mark.parametrize(
    ("indices", "values", "text"),
    [
        ([[60, 0]], [0], "feature_indices(0, 0) is not a valid index"),
        ([[0, 6]], [0], "Got invalid feature index feature_indices(0, 1) = 6"),
        ([[0, -1]], [0], "Got invalid feature index feature_indices(0, 1) = -1"),
        ([[1, 0], [0, 0]], [0, 0], "feature_indices should be increasing"),
        ([[0, 0], [0, 0]], [0, 0], "feature_indices should be increasing"),
        ([[0, 0]], [0, 0], "Number of elements in feature_values must match"),
        ([[0, 0, 0]], [0], "feature_indices must be a matrix of shape [?, 2]"),
        ([[0, 0]], [6], "feature_values 0th entry should be < 6, got: 6"),
    ],
)
def test_sparse_features_that_are_none(indices: Any, values: Any, text: str) -> None:
    assert refusal(lambda: _sparse(_given(8), indices, values)).startswith(text)


def test_gradients_are_refused() -> None:
    """TensorFlow has none."""
    with tf.Graph().as_default():
        given = {name: tf.constant(value) for name, value in _given(9).items()}
        feature = np.zeros((_EXAMPLES, 1), np.int32)
        sums = tf.raw_ops.BoostedTreesAggregateStats(
            **given, feature=feature, max_splits=_SPLITS, num_buckets=_BUCKETS
        )
        with pytest.raises(LookupError, match="BoostedTreesAggregateStats"):
            tf.gradients(sums, given["gradients"])

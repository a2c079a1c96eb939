"""The best splits, against the textbook's formula tried on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.boosted_trees.splits import first_of_largest
from tests.kernels.boosted_trees.graphs import hidden, refusal, run

_LEFT, _RIGHT, _EQUAL = (
    b"INEQUALITY_DEFAULT_LEFT",
    b"INEQUALITY_DEFAULT_RIGHT",
    b"EQUALITY_DEFAULT_RIGHT",
)
_LIMITS = [(0.0, 0.0, 0.0, 0.0), (0.0, 0.3, 0.1, 0.0), (0.4, 0.2, 0.0, 9.0), (0.1, 0.0, 5.0, 0.0)]


class _Split(NamedTuple):
    gain: float
    dimension: int
    bucket: int
    left: Any
    right: Any
    kind: bytes


def _leaf(sums: Any, logits: int, l1: float, l2: float) -> tuple[Any, float]:
    """The weight that minimizes g w + (h + l2) w^2 / 2 + l1 |w|, and twice what that takes off."""
    gradient, hessian = sums[:logits], sums[logits:]
    if logits == 1:
        shrunk = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0)
        curvature = np.array([[hessian[0] + l2]])
    else:
        shrunk = gradient
        whole = np.diag(hessian) if len(hessian) == logits else hessian.reshape(logits, logits)
        curvature = whole + l2 * np.eye(logits)
    if np.allclose(curvature, 0):
        return np.zeros(logits), 0.0
    weight = -np.linalg.solve(curvature, shrunk)
    return weight, float(-shrunk @ weight)


def _all_splits(sums: Any, kind: str) -> Iterator[tuple[int, int, bytes, Any, Any]]:
    """Dimension, bucket, kind and the sums of both sides, of each way to split a node."""
    for dimension, buckets in enumerate(sums):
        whole = buckets.sum(axis=0)
        for bucket in range(len(buckets) - 1):
            if kind == "equality":
                yield dimension, bucket, _EQUAL, buckets[bucket], whole - buckets[bucket]
                continue
            left = buckets[: bucket + 1].sum(axis=0)
            yield dimension, bucket, _LEFT, left + buckets[-1], whole - left - buckets[-1]
            yield dimension, bucket, _RIGHT, left, whole - left


def _best(sums: Any, kind: str, logits: int, limits: tuple[float, ...]) -> _Split | None:
    l1, l2, complexity, least = limits
    sums = sums.astype(np.float64)
    whole = sums[0].sum(axis=0)
    if np.linalg.norm(whole[logits:]) < least:
        return None
    best: _Split | None = None
    for dimension, bucket, name, left, right in _all_splits(sums, kind):
        (on_left, left_gain), (on_right, right_gain) = (
            _leaf(side, logits, l1, l2) for side in (left, right)
        )
        gain = left_gain + right_gain - _leaf(whole, logits, l1, l2)[1] - complexity
        if best is None or gain > best.gain + 1e-6:
            best = _Split(gain, dimension, bucket, on_left, on_right, name)
    return best


def _sums(seed: int, logits: int, hessians: str, dimensions: int = 2) -> Any:
    """Of 4 nodes and 4 buckets beside that of missing values; all dimensions add up to the same."""
    random = np.random.default_rng(seed)
    examples, size = 200, logits * logits if hessians == "full" else logits
    gradients = random.normal(size=(examples, logits))
    roots = random.normal(size=(examples, logits, logits))
    curvatures = np.abs(roots[:, 0]) if size == logits else roots @ np.swapaxes(roots, 1, 2)
    values = np.concatenate([gradients, curvatures.reshape(examples, size)], axis=1)
    nodes = random.integers(0, 4, examples)
    sums = np.zeros((4, dimensions, 5, logits + size))
    for dimension in range(dimensions):
        np.add.at(sums, (nodes, dimension, random.integers(0, 5, examples)), values)
    return sums.astype(np.float32)


def _assert_best(found: Any, sums: Any, kind: str, logits: int, limits: tuple[float, ...]) -> None:
    expected = [(node, _best(sums[node], kind, logits, limits)) for node in range(1, 4)]
    there = [(node, split) for node, split in expected if split is not None]
    assert found.node_ids.tolist() == [node for node, _ in there]
    for place, (_, split) in enumerate(there):
        assert found.feature_dimensions[place] == split.dimension
        assert found.thresholds[place] == split.bucket
        assert found.split_with_default_directions[place] == split.kind
        np.testing.assert_allclose(found.gains[place], split.gain, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(found.left_node_contribs[place], split.left, rtol=1e-3)
        np.testing.assert_allclose(found.right_node_contribs[place], split.right, rtol=1e-3)


def _found(sums: Any, limits: tuple[float, ...], kind: str = "inequality", logits: int = 1) -> Any:
    return run(
        lambda: tf.raw_ops.BoostedTreesCalculateBestFeatureSplit(
            node_id_range=[1, 4],
            stats_summary=sums,
            l1=limits[0],
            l2=limits[1],
            tree_complexity=limits[2],
            min_node_weight=limits[3],
            logits_dimension=logits,
            split_type=kind,
        )
    )


@pytest.mark.parametrize("kind", ["inequality", "equality"])
@pytest.mark.parametrize("limits", _LIMITS)
def test_best_split_of_one_logit(kind: str, limits: tuple[float, ...]) -> None:
    sums = _sums(1, 1, "diagonal")
    _assert_best(_found(sums, limits, kind), sums, kind, 1, limits)


@pytest.mark.parametrize("kind", ["inequality", "equality"])
@pytest.mark.parametrize("hessians", ["diagonal", "full"])
def test_best_split_of_several_logits(kind: str, hessians: str) -> None:
    sums, limits = _sums(2, 3, hessians), (0.0, 0.2, 0.1, 0.0)
    _assert_best(_found(sums, limits, kind, 3), sums, kind, 3, limits)


@pytest.mark.parametrize("hessians", ["diagonal", "full"])
def test_nothing_in_a_node(hessians: str) -> None:
    """A matrix of zeros is not solved: the first way to split is as good as any other."""
    found = _found(0 * _sums(3, 2, hessians), (0.0, 0.0, 0.5, 0.0), logits=2)
    assert found.node_ids.tolist() == [1, 2, 3]
    assert found.gains.tolist() == [-0.5] * 3
    assert found.thresholds.tolist() == [0] * 3
    assert not found.left_node_contribs.any()


def test_singular_hessians() -> None:
    """Of one logit only the first counts: the other gets nothing, as Eigen's solver has it."""
    sums = np.zeros((4, 1, 3, 6), np.float32)
    sums[1, 0, 0] = [1, 0, 2, 0, 0, 0]
    sums[1, 0, 1] = [-1, 0, 4, 0, 0, 0]
    found = _found(sums, (0.0, 0.0, 0.0, 1.0), logits=2)
    assert found.node_ids.tolist() == [1]
    assert found.left_node_contribs.tolist() == [[-0.5, 0]]
    assert found.right_node_contribs.tolist() == [[0.25, 0]]
    assert found.gains.tolist() == [0.75]


def test_gains_that_are_nearly_as_large() -> None:
    """Of those the first counts, each against the best before it."""
    rows = np.float32(
        [
            [0, 5e-16, 9e-16, 0],
            [0, 2e-15, 2.5e-15, 0],
            [0, 2e-15, 2.5e-15, 4e-15],
            [np.nan, 1, 1, 0],
            [-np.inf, np.nan, -np.inf, np.nan],
            [1, 2, 3, 3],
        ]
    )
    places, found = first_of_largest(rows)
    assert places[found].tolist() == [0, 1, 3, 1, 2]
    assert found.tolist() == [True] * 4 + [False, True]


def test_best_of_several_features() -> None:
    """And what TensorFlow 1 has for it: each feature for itself."""
    features = [_sums(seed, 1, "diagonal") for seed in (4, 5, 6)]
    for feature in features:
        # Nodes are the same examples, whichever feature splits them.
        feature[:, :, -1] += (features[0][:, :1] - feature[:, :]).sum(axis=2)
    kinds = ["inequality", "equality", "inequality"]
    limits = (0.1, 0.3, 0.2, 0.0)
    found = run(
        lambda: tf.raw_ops.BoostedTreesCalculateBestFeatureSplitV2(
            node_id_range=[1, 4],
            stats_summaries_list=features,
            split_types=kinds,
            candidate_feature_ids=[7, 3, 5],
            l1=limits[0],
            l2=limits[1],
            tree_complexity=limits[2],
            min_node_weight=limits[3],
            logits_dimension=1,
        )
    )
    for place, node in enumerate(range(1, 4)):
        each = [
            _best(feature[node], kind, 1, limits)
            for feature, kind in zip(features, kinds, strict=True)
        ]
        best = max(range(3), key=lambda place, each=each: each[place].gain)
        assert found.feature_ids[place] == (7, 3, 5)[best]
        assert found.thresholds[place] == each[best].bucket
        assert found.split_with_default_directions[place] == each[best].kind
        np.testing.assert_allclose(found.gains[place], each[best].gain, rtol=1e-3)


@pytest.mark.parametrize("limits", _LIMITS)
def test_best_gains_of_features(limits: tuple[float, ...]) -> None:
    """Here the last bucket is one like the others."""
    sums = _sums(7, 1, "diagonal", dimensions=3)
    features = list(np.swapaxes(sums, 0, 1))
    found = run(
        lambda: tf.raw_ops.BoostedTreesCalculateBestGainsPerFeature(
            node_id_range=[0, 4],
            stats_summary_list=features,
            l1=limits[0],
            l2=limits[1],
            tree_complexity=limits[2],
            min_node_weight=limits[3],
            max_splits=4,
        )
    )
    for place, feature in enumerate(features):
        rows = list(zip(*(column[place].tolist() for column in found), strict=True))
        nodes = [n for n in range(4) if feature[n, :, 1].sum() >= limits[3]]
        assert [row[0] for row in rows] == nodes
        for node, gain, threshold, left, right in rows:
            padded = np.concatenate([feature[node], np.zeros((1, 2))])[None]
            best = _best(padded, "inequality", 1, limits)
            assert best is not None
            assert threshold == best.bucket
            np.testing.assert_allclose(gain, best.gain, rtol=1e-3, atol=1e-4)
            np.testing.assert_allclose([left[0], right[0]], [*best.left, *best.right], rtol=1e-3)


def _sparse(indices: Any, values: Any, shape: Any, limits: tuple[float, ...]) -> Any:
    return tf.raw_ops.BoostedTreesSparseCalculateBestFeatureSplit(
        node_id_range=[0, 4],
        stats_summary_indices=hidden(indices),
        stats_summary_values=hidden(values, np.float32),
        stats_summary_shape=hidden(shape),
        l1=limits[0],
        l2=limits[1],
        tree_complexity=limits[2],
        min_node_weight=limits[3],
        logits_dimension=1,
    )


@pytest.mark.parametrize("limits", _LIMITS)
def test_best_split_by_a_sparse_feature(limits: tuple[float, ...]) -> None:
    """A bucket without examples is no threshold."""
    sums = _sums(8, 1, "diagonal", dimensions=3)
    sums[:, :, -1] += sums[:, :, 1]
    sums[:, :, 1] = 0
    indices = np.argwhere(sums)
    found = run(lambda: _sparse(indices, sums[tuple(indices.T)], sums.shape, limits))
    for place, node in enumerate(found.node_ids.tolist()):
        best = _best(sums[node], "inequality", 1, limits)
        assert best is not None
        assert found.feature_dimensions[place] == best.dimension
        assert found.thresholds[place] == best.bucket != 1
        assert found.split_with_default_directions[place] == best.kind
        np.testing.assert_allclose(found.gains[place], best.gain, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(found.left_node_contribs[place], best.left, rtol=1e-3)
        np.testing.assert_allclose(found.right_node_contribs[place], best.right, rtol=1e-3)
    weights = sums[:, 0].sum(axis=1)[:, 1]
    assert found.node_ids.tolist() == np.flatnonzero(weights >= limits[3]).tolist()


def test_a_sparse_summary_without_sums() -> None:
    found = run(lambda: _sparse(np.zeros((0, 4)), [], [4, 2, 3, 2], _LIMITS[0]))
    assert all(len(column) == 0 for column in found)
    assert found.left_node_contribs.shape == (0, 1)


def test_values_of_tensorflow() -> None:
    """What TensorFlow 1.15 gave, to the bit: the least of its float32 sums decides."""
    sums = np.array([[[[0.5, 1.0], [-0.3, 2.0], [0.2, 0.5]]]] * 2, np.float32)
    found = _found(np.concatenate([sums, sums]), (0.0, 0.0, 0.0, 0.0))
    assert found.gains.tolist() == [np.float32(0.32595238)] * 3
    assert found.left_node_contribs.ravel().tolist() == [np.float32(-0.46666667)] * 3
    assert found.right_node_contribs.ravel().tolist() == [np.float32(0.15)] * 3


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"node_id_range": [0, 5]}, "node_id_range must be within [0, 4)"),
        ({"node_id_range": [-1, 2]}, "node_id_range must be within [0, 4)"),
        ({"node_id_range": [0]}, "node_id_range must be a rank 1 tensor with shape=[2]"),
        ({"l1": [0.0]}, "l1 must be a scalar, got a tensor of shape [1]"),
        ({"stats_summary": np.zeros((4, 1, 3))}, "stats_summary argument must have rank 4"),
        ({"stats_summary": np.zeros((4, 1, 3, 1))}, "hessian dim should be < 0, got 0"),
        ({"stats_summary": np.zeros((4, 1, 3, 3))}, "hessian dim should be <= 1 but got: 2"),
        ({"stats_summary": np.zeros((4, 0, 3, 2))}, "A stats summary must have a dimension"),
        ({"stats_summary": np.zeros((4, 1, 1, 2))}, "A stats summary must have a bucket beside"),
    ],
)
def test_summaries_that_are_none(changed: dict[str, Any], text: str) -> None:
    given = {
        "node_id_range": [0, 4],
        "stats_summary": np.zeros((4, 1, 3, 2)),
        **dict.fromkeys(("l1", "l2", "tree_complexity", "min_node_weight"), 0.0),
        **changed,
    }

    def build() -> Any:
        shown = {
            name: hidden(value, np.int32 if name == "node_id_range" else np.float32)
            for name, value in given.items()
        }
        return tf.raw_ops.BoostedTreesCalculateBestFeatureSplit(**shown, logits_dimension=1)

    assert refusal(build).startswith(text)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ([0, 0, 3, 0], "Bucket in stats_summary_indices must be in [0, 3), got 3 at index 0"),
        ([0, 0, 0, 2], "Stat dim in stats_summary_indices must be in [0, 2), got 2 at index 0"),
        ([0, -1, 0, 0], "stats_summary_indices must not be negative, got [0, -1, 0, 0]"),
    ],
)
def test_sparse_summaries_that_are_none(row: list[int], text: str) -> None:
    assert refusal(lambda: _sparse([row], [1.0], [4, 2, 3, 2], _LIMITS[0])).startswith(text)


def test_kinds_that_are_none() -> None:
    def build() -> Any:
        return tf.raw_ops.BoostedTreesCalculateBestFeatureSplitV2(
            node_id_range=[0, 1],
            stats_summaries_list=[np.zeros((1, 1, 2, 2), np.float32)],
            split_types=["no"],
            candidate_feature_ids=[0],
            l1=0.0,
            l2=0.0,
            tree_complexity=0.0,
            min_node_weight=0.0,
            logits_dimension=1,
        )

    text = "Operation received an exception: Incorrect split type"
    assert refusal(build, tf.errors.AbortedError) == text

"""k-means clustering, beside Lloyd's algorithm and the mini-batch rule in numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf

_RANDOM = np.random.default_rng(0)
_CORNERS = np.array([[0, 1], [10, 2], [2, 10], [10, 10]], np.float32)
_POINTS = (np.repeat(_CORNERS, 50, 0) + _RANDOM.normal(size=(200, 2))).astype(np.float32)
_RANDOM.shuffle(_POINTS)
_BATCHES = np.split(_POINTS, 4)
_BEGIN = _CORNERS + np.float32(1)
_STEPS = 7


def _trained(batches: list[Any], steps: int = _STEPS, **options: Any) -> list[Any]:
    """Centers at the beginning and at the end, and the clusters of all points."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(7)
        points = tf.placeholder(tf.float32, [None, 2])
        made = tf.contrib.factorization.KMeans(points, 4, random_seed=3, **options)
        _, clusters, _, is_complete, begin, step = made.training_graph()
        session.run(tf.global_variables_initializer())
        turn = 0
        while not session.run(is_complete):
            session.run(begin, {points: batches[turn % len(batches)]})
            turn += 1
        first = session.run("clusters:0")
        for turn in range(steps):
            session.run(step, {points: batches[turn % len(batches)]})
        return [first, session.run("clusters:0"), session.run(clusters[0], {points: _POINTS})]


def _nearest(points: Any, centers: Any) -> Any:
    return np.square(points[:, None] - centers).sum(2).argmin(1)


def _unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("is_cosine", [False, True])
def test_all_points_move_centers_to_their_means(is_cosine: bool) -> None:
    metric = "cosine" if is_cosine else "squared_euclidean"
    first, last, clusters = _trained([_POINTS], initial_clusters=_BEGIN, distance_metric=metric)
    points, centers = _POINTS.astype(np.float64), _BEGIN.astype(np.float64)
    if is_cosine:
        points, centers = _unit(points), _unit(centers)
    np.testing.assert_allclose(first, centers, rtol=1e-6)
    for _ in range(_STEPS):
        near = _nearest(points, centers)
        centers = np.array([points[near == each].mean(0) for each in range(4)])
        centers = _unit(centers) if is_cosine else centers
    np.testing.assert_allclose(last, centers, rtol=1e-5)
    np.testing.assert_array_equal(clusters, _nearest(points, centers))


@pytest.mark.parametrize("period", [1, 3])
def test_batches_move_centers_by_the_rule(period: int) -> None:
    _, last, _ = _trained(
        _BATCHES,
        initial_clusters=_BEGIN,
        use_mini_batch=True,
        mini_batch_steps_per_iteration=period,
    )
    kept, moved = _BEGIN.astype(np.float64), _BEGIN.astype(np.float64)
    members, left = np.full(4, period == 1, np.int64), period
    for turn in range(_STEPS):
        batch = _BATCHES[turn % 4]
        near = _nearest(batch, moved if period == 1 else kept)
        if left:
            left -= period > 1
        else:
            kept, left = moved.copy(), period - 1
            members[:] = 0
        for each in set(near.tolist()):
            own = batch[near == each]
            members[each] += len(own)
            moved[each] += (own - moved[each]).sum(0) / members[each]
    np.testing.assert_allclose(last, moved if period == 1 else kept, rtol=1e-5)


@pytest.mark.parametrize(
    "way", ["random", "kmeans_plus_plus", "kmc2", lambda parts, _: parts[0][:3]]
)
def test_centers_begin_as_points(way: Any) -> None:
    """Those that one batch does not give come from the next one."""
    batches = [_POINTS[:3], _POINTS] if way == "random" or callable(way) else [_POINTS]
    options = {"initial_clusters": way, "kmc2_chain_length": 60}
    if callable(way):
        batches = [_POINTS[:3], _POINTS[5:6]]
    first, _, _ = _trained(batches, 0, **options)
    assert first.shape == (4, 2)
    assert all((row == _POINTS).all(1).any() for row in first)


def test_an_estimator_finds_clusters(tmp_path: Path) -> None:
    def points() -> Any:
        both = {"x": _POINTS[:, :1], "y": _POINTS[:, 1:]}
        return tf.data.Dataset.from_tensors(both).repeat(9)

    def once() -> Any:
        return points().take(1)

    made = tf.contrib.factorization.KMeansClustering(
        4,
        str(tmp_path / "model"),
        initial_clusters=tf.contrib.factorization.KMEANS_PLUS_PLUS_INIT,
        use_mini_batch=False,
        relative_tolerance=1e-4,
        random_seed=1,
    )
    made.train(points)
    centers = made.cluster_centers()
    order = np.lexsort(np.round(centers / 10).T)
    near = _nearest(_POINTS, centers)
    np.testing.assert_allclose(centers[order], _CORNERS, atol=0.5)
    assert list(made.predict_cluster_index(once)) == near.tolist()
    distances = np.square(_POINTS[:, None] - centers).sum(2)
    np.testing.assert_allclose(list(made.transform(once)), distances, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(made.score(once), distances.min(1).sum(), rtol=1e-4)
    # It ends early: the loss no longer changes.
    assert made.get_variable_value("global_step") < 8


def test_what_is_refused() -> None:
    factorization = tf.contrib.factorization
    for make in (factorization.KMeansClustering, lambda *a, **k: factorization.KMeans([], *a, **k)):
        with pytest.raises(ValueError, match="Unsupported initialization algorithm 'sorted'"):
            make(3, initial_clusters="sorted")
        with pytest.raises(ValueError, match="Unsupported distance metric 'far'"):
            make(3, distance_metric="far")
    with tf.Graph().as_default(), tf.Session() as session:
        near = tf.raw_ops.NearestNeighbors(points=_POINTS, centers=_CORNERS, k=-1)
        with pytest.raises(tf.errors.InvalidArgumentError) as refused:
            session.run(near)
        assert refused.value.message.startswith("Expected k >= 0.")

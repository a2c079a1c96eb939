"""Mixtures of Gaussians: each step against expectation maximization in numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import factorization

POINTS = np.concatenate(
    [
        np.random.RandomState(0).normal(0, 1, [30, 2]),
        np.random.RandomState(1).normal([4, -3], [0.5, 2], [50, 2]),
    ]
).astype(np.float32)
MEANS = POINTS[[3, 60]]


def chances(points: Any, weights: Any, means: Any, covariances: Any) -> Any:
    """Logarithms of weighted densities [points, Gaussians]."""
    found = []
    for weight, mean, covariance in zip(weights, means, covariances, strict=True):
        covariance = covariance + 1e-3 * np.eye(2)
        away = points - mean
        distance = (away @ np.linalg.inv(covariance) * away).sum(1)
        size = np.linalg.slogdet(covariance)[1]
        found.append(np.log(weight) - 0.5 * (distance + 2 * np.log(2 * np.pi) + size))
    return np.stack(found, 1)


def stepped(steps: int, kind: str, params: str) -> tuple[Any, Any, Any]:
    """Weights, means and covariances after some steps."""
    only = np.ones([2, 2]) if kind == "full" else np.eye(2)
    x = POINTS.astype(np.float64)
    covariances = np.stack([np.cov(x.T) * only + 1e-3 * np.eye(2)] * 2)
    weights, means = np.full(2, 0.5), MEANS.astype(np.float64)
    for _ in range(steps):
        each = chances(x, weights, means, covariances)
        shares = np.exp(each - np.logaddexp.reduce(each, 1, keepdims=True))
        counts = shares.sum(0)
        if "w" in params:
            weights = counts / counts.sum()
        if "m" in params:
            means = shares.T @ x / counts[:, None]
        if "c" in params:
            second = np.einsum("nk,ni,nj->kij", shares, x, x) / counts[:, None, None]
            centered = second - np.einsum("ki,kj->kij", means, means)
            covariances = centered * only + 1e-3 * np.eye(2)
    return weights, means, covariances


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("kind", ["full", "diag"])
@pytest.mark.parametrize("params", ["wmc", "m", "wm"])
def test_steps(kind: str, params: str, parts: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        data = [tf.constant(part) for part in np.split(POINTS, parts)]
        if parts == 2:
            # The first part alone says how wide the Gaussians are at first.
            data = [tf.constant(POINTS), tf.constant(POINTS)]
        model = factorization.GmmAlgorithm(data, 2, tf.constant(MEANS), params, kind)
        session.run(tf.global_variables_initializer())
        assert not session.run(model.is_initialized())
        session.run(model.init_ops())
        session.run(model.init_ops())
        for _ in range(3):
            session.run(model.training_ops())
        weights, means, covariances = stepped(3, kind, params)
        np.testing.assert_allclose(session.run(model.alphas()), weights, rtol=1e-3)
        np.testing.assert_allclose(session.run(model.clusters())[:, 0], means, rtol=2e-3, atol=1e-3)
        found = session.run(model.covariances())
        if kind == "diag":
            covariances = np.stack([np.diag(each) for each in covariances])
        np.testing.assert_allclose(found, covariances, rtol=5e-3, atol=2e-3)
        each = chances(POINTS, *stepped(3, kind, params))
        total = np.logaddexp.reduce(each.ravel()) + np.log(parts)
        assert session.run(model.log_likelihood_op()) == pytest.approx(total, rel=1e-3)
        np.testing.assert_equal(session.run(model.assignments()[0]), each.argmax(1))
        if parts == 1:
            scores = np.logaddexp.reduce(each, 1)
            np.testing.assert_allclose(session.run(model.scores())[:, 0], scores, atol=0.02)


def test_random_means_are_points() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        found = factorization.gmm(tf.constant(POINTS), "random", 3, random_seed=5)
        session.run(tf.global_variables_initializer())
        session.run(found[4])
        (means,) = [each for each in tf.global_variables() if each.op.name == "clusters"]
        assert all((mean == POINTS).all(1).any() for mean in session.run(means)[:, 0])
        with pytest.raises(ValueError, match="Invalid covariance type: round"):
            factorization.gmm(tf.constant(POINTS), "random", 3, 5, "round")


def test_estimators(tmp_path: Path) -> None:
    model = factorization.GMM(2, str(tmp_path), initial_clusters=MEANS)
    input_fn = lambda: (tf.constant(POINTS), None)  # noqa: E731
    model.fit(input_fn=input_fn, steps=3)
    weights, means, covariances = stepped(3, "full", "wmc")
    np.testing.assert_allclose(model.weights(), weights, rtol=1e-3)
    np.testing.assert_allclose(model.clusters(), means, rtol=2e-3, atol=1e-3)
    np.testing.assert_allclose(model.covariances(), covariances, rtol=5e-3, atol=2e-3)
    each = chances(POINTS, weights, means, covariances)
    expected = np.logaddexp.reduce(each.ravel())
    assert model.score(input_fn=input_fn, steps=1) == pytest.approx(expected, rel=1e-2)
    found = model.predict_assignments(input_fn=input_fn)
    np.testing.assert_equal([next(found) for _ in POINTS], each.argmax(1))
    found.close()

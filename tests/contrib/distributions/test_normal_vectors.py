"""tf.contrib.distributions' normal distributions of vectors, against scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import dataflow as tf
from dataflow.contrib import distributions

LOC = np.array([0.5, -1.0, 2.0])
TRIL = np.array([[1.0, 0, 0], [0.5, 2, 0], [-1, 0.3, 0.7]])
FULL = TRIL @ TRIL.T
DIAGONAL = np.array([0.5, 1.0, 3.0])
TWO = np.array([2.0])
LOW_RANK = np.diag(DIAGONAL) + 2 * TRIL[:, :1] @ TRIL[:, :1].T
POINTS = np.array([[0.0, 0, 0], [1, -2, 2.5]])


@pytest.mark.parametrize(
    ("make", "covariance"),
    [
        (lambda: distributions.MultivariateNormalTriL(LOC, TRIL), FULL),
        (lambda: distributions.MultivariateNormalFullCovariance(LOC, FULL), FULL),
        (lambda: distributions.MultivariateNormalDiag(LOC, DIAGONAL), np.diag(DIAGONAL**2)),
        (lambda: distributions.MultivariateNormalDiag(LOC), np.eye(3)),
        (
            lambda: distributions.MultivariateNormalDiag(LOC, scale_identity_multiplier=2.0),
            4 * np.eye(3),
        ),
        (lambda: distributions.MultivariateNormalTriL(LOC), np.eye(3)),
        (lambda: distributions.MultivariateNormalFullCovariance(LOC), np.eye(3)),
        (
            lambda: distributions.MultivariateNormalDiagPlusLowRank(
                LOC, DIAGONAL, scale_perturb_factor=TRIL[:, :1], scale_perturb_diag=TWO
            ),
            LOW_RANK @ LOW_RANK,
        ),
        (
            lambda: distributions.MultivariateNormalDiagPlusLowRank(LOC, DIAGONAL),
            np.diag(DIAGONAL**2),
        ),
    ],
)
def test_as_in_scipy(make: Any, covariance: np.ndarray) -> None:
    theirs = multivariate_normal(LOC, covariance)
    with tf.Graph().as_default(), tf.Session() as session:
        made = make()
        drawn = made.sample(20000, seed=1)
        assert drawn.shape.as_list() == [20000, 3]
        assert made.batch_shape.as_list() == []
        fetched = [made.log_prob(POINTS), made.entropy(), made.mean(), made.covariance()]
        densities, entropy, mean, found = session.run(fetched)
        samples, variance = session.run([drawn, made.variance()])
    np.testing.assert_allclose(densities, theirs.logpdf(POINTS))
    np.testing.assert_allclose(entropy, theirs.entropy())
    np.testing.assert_allclose(mean, LOC)
    np.testing.assert_allclose(found, covariance, atol=1e-12)
    np.testing.assert_allclose(variance, np.diag(covariance))
    np.testing.assert_allclose(np.cov(samples.T), covariance, atol=0.25)


def test_batches_and_divergence() -> None:
    """The divergence is the mean of the difference of the densities' logarithms."""
    with tf.Graph().as_default(), tf.Session() as session:
        a = distributions.MultivariateNormalTriL(np.stack([LOC, 0 * LOC]), TRIL)
        b = distributions.MultivariateNormalDiag(LOC, DIAGONAL)
        assert a.batch_shape.as_list() == [2]
        assert session.run(a.sample(4)).shape == (4, 2, 3)
        found = session.run(a.kl_divergence(b))
    for loc, each in zip((LOC, 0 * LOC), found, strict=True):
        inverse = np.diag(DIAGONAL**-2.0)
        gap = LOC - loc
        logs = np.log(np.linalg.det(np.diag(DIAGONAL**2)) / np.linalg.det(FULL))
        want = 0.5 * (np.trace(inverse @ FULL) + gap @ inverse @ gap - 3 + logs)
        np.testing.assert_allclose(each, want)


def test_what_is_missing_is_told() -> None:
    for made in (
        distributions.MultivariateNormalTriL,
        distributions.MultivariateNormalFullCovariance,
    ):
        with pytest.raises(ValueError, match="Must specify one or both of `loc`, `scale_tril`"):
            made()
    for made in (
        distributions.MultivariateNormalDiag,
        distributions.MultivariateNormalDiagPlusLowRank,
        distributions.VectorLaplaceDiag,
        distributions.VectorExponentialDiag,
    ):
        with pytest.raises(ValueError, match="Cannot infer `event_shape` unless `loc`"):
            made()
        with pytest.raises(ValueError, match="could not be broadcast up to that of 'loc'"):
            made([1.0, 2.0], [1.0, 2.0, 3.0])

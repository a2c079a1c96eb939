"""tf.contrib.bayesflow.monte_carlo against sums in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf

monte_carlo = tf.contrib.bayesflow.monte_carlo
DRAWN = np.random.RandomState(0).randn(50, 2).astype(np.float32)


def computed(value: Any) -> Any:
    with tf.Session() as session:
        return session.run(value)


def test_samples_of_another_distribution() -> None:
    distributions = tf.contrib.distributions
    other = distributions.MultivariateNormalDiag([0.5, 0.0], [2.0, 1.0])
    wanted = distributions.MultivariateNormalDiag([0.0, 0.0], [1.0, 1.0])
    found, logs = computed(
        [
            monte_carlo.expectation_importance_sampler(
                lambda x: tf.reduce_sum(x, -1), wanted.log_prob, other, z=DRAWN
            ),
            monte_carlo.expectation_importance_sampler_logspace(
                lambda x: tf.reduce_sum(x, -1), wanted.log_prob, other, z=DRAWN
            ),
        ]
    )
    first = DRAWN[:, 0]
    weights = 2 * np.exp(-0.5 * first**2 + 0.5 * ((first - 0.5) / 2) ** 2)
    np.testing.assert_allclose(found, (DRAWN.sum(-1) * weights).mean(), rtol=1e-4)
    np.testing.assert_allclose(logs, np.log((np.exp(DRAWN.sum(-1)) * weights).mean()), rtol=1e-4)
    drawn = monte_carlo.expectation_importance_sampler(
        lambda x: x[..., 0] ** 2, wanted.log_prob, other, n=5000, seed=3
    )
    np.testing.assert_allclose(computed(drawn), 1.0, atol=0.2)


def test_gradients_of_expectations() -> None:
    place = tf.constant(0.3)
    normal = tf.distributions.Normal(place, 1.0)
    x = tf.constant(DRAWN[:, 0])
    moved = monte_carlo.expectation(tf.square, x + place)
    scored = monte_carlo.expectation(
        tf.square, x, normal.log_prob, use_reparametrization=False, keep_dims=True
    )
    one, other, slopes = computed(
        [moved, scored, [tf.gradients(each, place)[0] for each in (moved, scored)]]
    )
    values = DRAWN[:, 0]
    np.testing.assert_allclose(one, ((values + 0.3) ** 2).mean(), rtol=1e-5)
    np.testing.assert_allclose(other, [(values**2).mean()], rtol=1e-5)
    np.testing.assert_allclose(slopes[0], 2 * (values + 0.3).mean(), rtol=1e-5)
    np.testing.assert_allclose(slopes[1], (values**2 * (values - 0.3)).mean(), rtol=1e-4)


def test_what_is_refused() -> None:
    normal = tf.distributions.Normal(0.0, 1.0)
    with pytest.raises(ValueError, match="`f` must be a callable function"):
        monte_carlo.expectation(3, DRAWN)
    with pytest.raises(ValueError, match="`log_prob` must be a callable function"):
        monte_carlo.expectation(tf.square, DRAWN, use_reparametrization=False)
    for given in ({}, {"z": DRAWN, "n": 3}):
        with pytest.raises(ValueError, match='exactly one of arguments "n" and "z"'):
            monte_carlo.expectation_importance_sampler(tf.square, normal.log_prob, normal, **given)

"""Mixtures of affine maps, against numpy, and the scales that tests of distributions make."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.distributions.vectors.by_operators import (
    VectorExponentialLinearOperator,
    VectorLaplaceLinearOperator,
)
from dataflow.porting.spellings.distributions import checked_samples as helpers
from dataflow.porting.spellings.distributions import mixed as made

distributions = tf.contrib.distributions


def computed(value: Any, feed: Any = None) -> Any:
    with tf.Session() as session:
        return session.run(value, feed)


def _normal_log_density(x: np.ndarray) -> np.ndarray:
    return -0.5 * x**2 - 0.5 * np.log(2 * np.pi)


@pytest.mark.parametrize("scheme", ["quantiles", "gauss_hermite"])
def test_density_and_moments(scheme: str) -> None:
    scale = np.array([[[2.0, 0.0], [0.5, 1.5]], [[1.0, 0.0], [0.0, 3.0]]], np.float32)
    loc = np.array([[1.0, -1.0], [0.0, 0.5]], np.float32)
    mix_loc = np.array([[0.4], [-0.3]], np.float32)
    drawn = distributions.VectorDiffeomixture(
        mix_loc,
        [2.0],
        distributions.Normal(0.0, 1.0),
        loc=[loc[0], loc[1]],
        scale=[
            tf.linalg.LinearOperatorLowerTriangular(scale[0]),
            tf.linalg.LinearOperatorDiag(np.diagonal(scale[1])),
        ],
        quadrature_size=5,
        quadrature_fn=getattr(distributions, f"quadrature_scheme_softmaxnormal_{scheme}"),
    )
    assert drawn.batch_shape.as_list() == [2]
    assert drawn.event_shape.as_list() == [2]
    x = np.random.RandomState(0).randn(3, 2, 2).astype(np.float32)
    grid, chance, log_density, mean, variance, covariance = computed(
        [
            drawn.grid,
            drawn.mixture_distribution.probs,
            drawn.log_prob(x),
            drawn.mean(),
            drawn.variance(),
            drawn.covariance(),
        ]
    )
    np.testing.assert_allclose(grid.sum(1), np.ones([2, 5]), rtol=1e-6)
    if scheme == "gauss_hermite":
        points, weights = np.polynomial.hermite.hermgauss(5)
        logits = mix_loc / 2 + np.sqrt(2) / 2 * points
        np.testing.assert_allclose(grid[:, 0], 1 / (1 + np.exp(-logits)), rtol=1e-5)
        np.testing.assert_allclose(chance, weights / weights.sum(), rtol=1e-5)
    for row in range(2):
        density = np.zeros(3)
        means, spreads = [], []
        for point in range(5):
            both = grid[row, :, point]
            matrix, place = np.tensordot(both, scale, 1), both @ loc
            inside = np.linalg.solve(matrix, (x[:, row] - place).T).T
            logs = _normal_log_density(inside).sum(-1) - np.log(np.linalg.det(matrix))
            density += chance[point] * np.exp(logs)
            means.append(place)
            spreads.append(matrix @ matrix.T)
        wanted = chance @ np.array(means)
        gaps = np.array(means) - wanted
        whole = np.tensordot(chance, np.array(spreads) + gaps[:, :, None] * gaps[:, None], 1)
        np.testing.assert_allclose(log_density[:, row], np.log(density), rtol=1e-4)
        np.testing.assert_allclose(mean[row], wanted, rtol=1e-5)
        np.testing.assert_allclose(covariance[row], whole, rtol=1e-4)
        np.testing.assert_allclose(variance[row], np.diagonal(whole), rtol=1e-4)


def test_samples_of_a_batch_have_the_moments() -> None:
    drawn = distributions.VectorDiffeomixture(
        [[0.0], [1.0]],
        [1.0],
        distributions.Normal(0.0, 1.0),
        loc=[None, np.float32([2.0, 2.0, 2.0])],
        scale=[
            tf.linalg.LinearOperatorScaledIdentity(3, np.float32(1.1)),
            tf.linalg.LinearOperatorIdentity(3),
        ],
    )
    samples, mean, deviation = computed([drawn.sample(20000, seed=5), drawn.mean(), drawn.stddev()])
    assert samples.shape == (20000, 2, 3)
    np.testing.assert_allclose(samples.mean(0), mean, atol=0.05)
    np.testing.assert_allclose(samples.std(0), deviation, atol=0.05)
    # 1.15 says so.
    np.testing.assert_allclose(mean, [[1.0] * 3, [0.57584] * 3], rtol=1e-4)


def test_what_is_refused() -> None:
    normal = distributions.Normal(0.0, 1.0)
    one = tf.linalg.LinearOperatorIdentity(2)

    def made(**changes: Any) -> Any:
        given = {"mix_loc": [0.0], "temperature": [1.0], "distribution": normal, **changes}
        return distributions.VectorDiffeomixture(**{"scale": [one, one], **given})

    with pytest.raises(ValueError, match="num_component >= 2"):
        made(scale=[one])
    with pytest.raises(ValueError, match="must be same-length lists"):
        made(loc=[None])
    with pytest.raises(NotImplementedError, match=r"len.scale.=3 is not 2"):
        made(scale=[one] * 3)
    with pytest.raises(NotImplementedError, match=r"normal_scale.shape\[-1\]=2 is not 1"):
        made(temperature=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"normal_scale.rank=0 is not at least one"):
        made(mix_loc=0.0, temperature=1.0)
    with pytest.raises(ValueError, match=r"distribution.is_scalar_batch=False is not True"):
        made(distribution=distributions.Normal([0.0], 1.0))
    with pytest.raises(TypeError, match=r"dtype mismatch; distribution.dtype"):
        made(distribution=distributions.Normal(np.float64(0), np.float64(1)))
    full = tf.linalg.LinearOperatorFullMatrix([[1.0]])
    with pytest.raises(NotImplementedError, match="Unsupported Linop type"):
        made(scale=[full, full])
    with pytest.raises(ValueError, match="is_positive_definite = None != True"):
        made(scale=[tf.linalg.LinearOperatorDiag([1.0, 1.0]), one], validate_args=True)
    with pytest.raises(ValueError, match="should be reparameterized"):
        made(distribution=distributions.Poisson(1.0), validate_args=True)


def test_vectors_that_an_operator_mixes() -> None:
    scale = np.array([[1.0, 0.0], [0.5, 2.0]], np.float32)
    operator = tf.linalg.LinearOperatorLowerTriangular(scale)
    drawn = VectorLaplaceLinearOperator([1.0, 2.0], operator)
    mean, covariance, logs = computed(
        [drawn.mean(), drawn.covariance(), drawn.log_prob([[2.0, 3.0]])]
    )
    np.testing.assert_allclose(mean, [1, 2])
    np.testing.assert_allclose(covariance, 2 * scale @ scale.T, rtol=1e-6)
    inside = np.linalg.solve(scale, [1.0, 1.0])
    np.testing.assert_allclose(logs, [-np.abs(inside).sum() - np.log(4) - np.log(2)], rtol=1e-5)
    rising = VectorExponentialLinearOperator([1.0, 2.0], operator)
    np.testing.assert_allclose(computed(rising.mean()), [2.0, 4.5])
    with pytest.raises(ValueError, match="Missing required `scale` parameter"):
        VectorLaplaceLinearOperator([1.0])


def test_scales_and_shapes() -> None:
    lower = made.make_tril_scale(
        scale_tril=[[1.0, 5.0], [2.0, 3.0]],
        scale_diag=[1.0, 2.0],
        scale_identity_multiplier=0.5,
        assert_positive=True,
        validate_args=True,
    )
    np.testing.assert_allclose(computed(lower.to_dense()), [[2.5, 0.0], [2.0, 5.5]])
    assert lower.is_positive_definite
    assert not made.is_diagonal_scale(lower)
    single = made.make_tril_scale(loc=[1.0, 2.0], scale_identity_multiplier=3.0)
    assert made.is_diagonal_scale(single)
    np.testing.assert_allclose(computed(single.to_dense()), 3 * np.eye(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be non-zero"):
        made.make_diag_scale(scale_diag=[1.0, 0.0], validate_args=True)
    with pytest.raises(ValueError, match="Cannot infer `event_shape`"):
        made.make_diag_scale(scale_identity_multiplier=1.0)
    with pytest.raises(TypeError, match="to be instance of LinearOperator"):
        made.is_diagonal_scale(3)
    assert made.get_broadcast_shape(tf.ones([2, 1]), tf.ones([3])) == [2, 3]
    weights = np.array([[0.5, 0.5], [0.1, 0.9]], np.float32)
    means = np.array([[0.0, 2.0], [1.0, 1.0]], np.float32)
    deviations = np.array([[1.0, 1.0], [2.0, 3.0]], np.float32)
    found = computed(made.mixture_stddev(*map(tf.constant, (weights, means, deviations))))
    middle = (weights * means).sum(1, keepdims=True)
    wanted = np.sqrt((weights * (deviations**2 + (means - middle) ** 2)).sum(1))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    batch, event = made.shapes_from_loc_and_scale(
        tf.ones([5, 2]), tf.linalg.LinearOperatorDiag([1.0, 2.0])
    )
    assert list(batch) == [5]
    assert list(event) == [2]


@pytest.mark.parametrize(("source", "target"), [(0, 1), (2, 0), (-1, 1), (0, -1), (1, 1)])
def test_moved_axes(source: int, target: int) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    unknown = tf.placeholder_with_default(x, None)
    wanted = np.moveaxis(x, source, target)
    assert made.move_dimension(tf.constant(x), source, target).shape == wanted.shape
    moved = computed([made.move_dimension(each, source, target) for each in (x, unknown)])
    for each in moved:
        np.testing.assert_array_equal(each, wanted)


def test_samples_beside_what_distributions_say() -> None:
    class OfIntegers(tf.test.TestCase, helpers.DiscreteScalarDistributionTestHelpers):
        pass

    class OfVectors(tf.test.TestCase, helpers.VectorDistributionTestHelpers):
        pass

    integers, vectors = OfIntegers("assertTrue"), OfVectors("assertTrue")
    counts = distributions.Poisson(rate=[5.0, 2.0])
    integers.run_test_sample_consistent_log_prob(computed, counts, 20000, rtol=0.1)
    integers.run_test_sample_consistent_mean_variance(computed, counts, 20000, rtol=0.05)
    with pytest.raises(AssertionError):
        integers.run_test_sample_consistent_log_prob(computed, counts, 20000, rtol=1e-9)
    found = computed(integers.histogram(tf.constant([1.0, 1.0, 4.0, 2.0])))
    assert found[0].tolist() == [2, 1, 0, 1]
    assert found[1].tolist() == [1, 2, 3, 4]
    normal = distributions.MultivariateNormalDiag([1.0, -1.0])
    vectors.run_test_sample_consistent_log_prob(
        computed, normal, 20000, center=[1.0, -1.0], radius=2.0, rtol=0.05
    )
    vectors.run_test_sample_consistent_mean_covariance(computed, normal, 20000, rtol=0.05)


def test_samples_of_flows_that_have_variables() -> None:
    class OfVectors(tf.test.TestCase, helpers.VectorDistributionTestHelpers):
        pass

    layer = tf.layers.BatchNormalization(epsilon=0.0)
    flow = distributions.TransformedDistribution(
        tf.distributions.Normal(0.0, 1.0),
        distributions.bijectors.BatchNormalization(layer, training=False),
        event_shape=[2],
    )
    with tf.Session() as session:
        OfVectors("assertTrue").run_test_sample_consistent_log_prob(
            session.run, flow, 20000, radius=2.0, rtol=0.05
        )

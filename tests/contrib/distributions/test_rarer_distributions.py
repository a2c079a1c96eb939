"""Bent, reshaped, autoregressive and compound distributions, of vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import digamma, multigammaln

import dataflow as tf
from dataflow.contrib import distributions as ds


@pytest.fixture(autouse=True)
def own_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def run(value: Any) -> Any:
    with tf.Session() as session:
        return session.run(value)


LOC = np.array([1.0, -1.0])
SCALE = np.array([0.5, 2.0])


@pytest.mark.parametrize(
    ("make", "one", "mode"),
    [
        (ds.VectorLaplaceDiag, stats.laplace, LOC),
        (ds.VectorExponentialDiag, stats.expon, LOC),
    ],
)
def test_vectors_of_independent_numbers(make: Any, one: Any, mode: np.ndarray) -> None:
    theirs = one(LOC, SCALE)
    made = make(LOC, SCALE - 0.25, np.float64(0.25))
    points = np.array([[1.5, 0.0], [2.0, 3.0]])
    values = {
        "logs": made.log_prob(points),
        "entropy": made.entropy(),
        "mean": made.mean(),
        "mode": made.mode(),
        "variance": made.variance(),
        "stddev": made.stddev(),
        "covariance": made.covariance(),
        "drawn": made.sample(4000, seed=1),
    }
    assert made.event_shape == [2] and made.batch_shape == []
    found = run(values)
    np.testing.assert_allclose(found["logs"], theirs.logpdf(points).sum(-1))
    np.testing.assert_allclose(found["entropy"], theirs.entropy().sum())
    np.testing.assert_allclose(found["mean"], theirs.mean())
    np.testing.assert_allclose(found["mode"], mode)
    np.testing.assert_allclose(found["variance"], theirs.var())
    np.testing.assert_allclose(found["stddev"], theirs.std())
    np.testing.assert_allclose(found["covariance"], np.diag(theirs.var()))
    np.testing.assert_allclose(found["drawn"].mean(0), theirs.mean(), atol=0.15)
    unit = make(np.zeros([3, 2]))
    assert unit.batch_shape == [3]
    np.testing.assert_allclose(run(unit.log_prob(points[0])), [one.logpdf(points[0]).sum()] * 3)


def test_bent_distributions() -> None:
    """Of no skewness the place is the middle, and 2 goes to twice the scale; densities are those
    of what is bent, by the slope."""
    skewness, tail = np.array([0.0, 0.4]), np.array([1.0, 1.3])
    made = ds.SinhArcsinh(LOC, SCALE, skewness, tail)
    vector = ds.VectorSinhArcsinhDiag(LOC, SCALE, None, skewness, tail)
    x = np.array([0.7, 1.9])
    width = SCALE * 2 / np.sinh(np.arcsinh(2) * tail)
    inner = np.sinh(np.arcsinh((x - LOC) / width) / tail - skewness)
    slope = np.cosh(np.arcsinh((x - LOC) / width) / tail - skewness) / tail
    slope /= width * np.sqrt(1 + ((x - LOC) / width) ** 2)
    logs = stats.norm.logpdf(inner) + np.log(slope)
    student = ds.StudentT(np.float64(3), np.float64(0), np.float64(1))
    plain = ds.SinhArcsinh(LOC, SCALE, distribution=student)
    found = run([made.log_prob(x), vector.log_prob(x), made.cdf(x), plain.log_prob(x)])
    np.testing.assert_allclose(found[0], logs)
    np.testing.assert_allclose(found[1], logs.sum())
    np.testing.assert_allclose(found[2], stats.norm.cdf(inner))
    np.testing.assert_allclose(found[3], stats.t.logpdf(x, 3, LOC, SCALE))
    assert made.batch_shape == [2] and vector.event_shape == [2]
    assert run(vector.sample([3, 4])).shape == (3, 4, 2)
    with pytest.raises(TypeError, match="dtype mismatch"):
        ds.SinhArcsinh(0.0, 1.0, distribution=student)
    with pytest.raises(ValueError, match="distribution must be scalar"):
        ds.SinhArcsinh(LOC, 1.0, distribution=ds.Normal(LOC, SCALE))
    with pytest.raises(ValueError, match="Base distribution should be reparameterized"):
        base = ds.Poisson(np.float64(1))
        ds.SinhArcsinh(LOC, 1.0, distribution=base, validate_args=True)


def test_kumaraswamy() -> None:
    a, b = np.array([2.0, 0.5]), np.array([3.0, 2.5])
    made = ds.Kumaraswamy(a, b)
    x = np.array([0.3, 0.8])
    found = run(
        [made.prob(x), made.cdf(x), made.mean(), made.variance(), made.entropy(), made.mode()]
    )

    def density(y: Any, at: int) -> Any:
        return a[at] * b[at] * y ** (a[at] - 1) * (1 - y ** a[at]) ** (b[at] - 1)

    def integral(function: Callable[[Any, int], Any]) -> np.ndarray:
        return np.array([integrate.quad(function, 0, 1, at)[0] for at in range(2)])

    mean = integral(lambda y, at: y * density(y, at))
    np.testing.assert_allclose(found[0], [density(x[0], 0), density(x[1], 1)])
    np.testing.assert_allclose(found[1], 1 - (1 - x**a) ** b)
    np.testing.assert_allclose(found[2], mean)
    np.testing.assert_allclose(found[3], integral(lambda y, at: y**2 * density(y, at)) - mean**2)
    harmonic = digamma(b + 1) - digamma(1)
    of_tensorflow = 1 - 1 / a + (1 - 1 / b) * harmonic + np.log(a) + np.log(b)
    np.testing.assert_allclose(found[4], of_tensorflow)
    np.testing.assert_allclose(found[5], [(1 / 5) ** 0.5, np.nan])
    drawn = run(made.sample(4000, seed=1))
    np.testing.assert_allclose(drawn.mean(0), mean, atol=0.02)
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        run(ds.Kumaraswamy(a, b, allow_nan_stats=False).mode())
    assert "Mode undefined for concentration1 <= 1." in raised.value.message


FACTOR = np.array([[1.0, 0.0], [0.5, 2.0]])
FULL = FACTOR @ FACTOR.T


@pytest.mark.parametrize("as_factors", [False, True])
def test_wishart(as_factors: bool) -> None:
    theirs = stats.wishart(4.0, FULL)
    made = ds.WishartCholesky(np.float64(4), FACTOR, as_factors)
    full = ds.WishartFull(np.float64(4), FULL, as_factors)
    x = np.array([[[2.0, 0.3], [0.3, 1.0]], [[5.0, -1], [-1, 4.0]]])
    given = np.linalg.cholesky(x) if as_factors else x
    drawn = made.sample(3000, seed=1)
    assert drawn.shape == [3000, 2, 2] and made.event_shape == [2, 2]
    found = run(
        [made.log_prob(given), full.log_prob(given), made.entropy(), made.mean(), made.scale()]
    )
    logs = [theirs.logpdf(each) for each in x]
    np.testing.assert_allclose(found[:2], [logs, logs])
    np.testing.assert_allclose(found[2], theirs.entropy())
    np.testing.assert_allclose(found[3], 2 * FACTOR if as_factors else 4 * FULL)
    np.testing.assert_allclose(found[4], FACTOR if as_factors else FULL)
    samples = run(drawn)
    squares = samples @ np.swapaxes(samples, 1, 2) if as_factors else samples
    np.testing.assert_allclose(squares.mean(0), 4 * FULL, rtol=0.08)
    rest = run([made.mode(), made.variance(), made.mean_log_det(), made.log_normalization()])
    np.testing.assert_allclose(rest[0], FACTOR if as_factors else FULL)
    spread = 4 * (FULL**2 + np.outer(np.diag(FULL), np.diag(FULL)))
    np.testing.assert_allclose(rest[1], np.linalg.cholesky(spread) if as_factors else spread)
    log_det = np.log(np.linalg.det(FULL))
    np.testing.assert_allclose(rest[2], digamma(2) + digamma(1.5) + 2 * np.log(2) + log_det)
    np.testing.assert_allclose(rest[3], 2 * log_det + 4 * np.log(2) + multigammaln(2, 2))


def test_batches_of_wishart() -> None:
    made = ds.WishartCholesky(np.array([4.0, 5.0]), np.stack([FACTOR, 2 * FACTOR]))
    x = np.array([[2.0, 0.3], [0.3, 1.0]])
    assert made.batch_shape == [2]
    logs, drawn, mean = run([made.log_prob(x), made.sample(3, seed=1), made.mean()])
    expected = stats.wishart(4, FULL).logpdf(x), stats.wishart(5, 4 * FULL).logpdf(x)
    np.testing.assert_allclose(logs, expected)
    np.testing.assert_allclose(mean, [4 * FULL, 20 * FULL])
    assert drawn.shape == (3, 2, 2, 2)
    with pytest.raises(ValueError, match="cannot be less than dimension of scale matrix"):
        ds.WishartFull(1.0, np.eye(2, dtype=np.float32))
    with pytest.raises(ValueError, match="does not make sense"):
        ds.WishartFull(3.0, np.eye(2, dtype=np.float32), True).stddev()
    for make, text in (
        (lambda: ds.WishartCholesky(4.0, [[-1.0, 0], [0, 1]], validate_args=True), "definite"),
        (lambda: ds.WishartFull(4.0, [[1.0, 0.5], [0, 1]], validate_args=True), "not symmetric"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            run(make().mean())
        assert text in raised.value.message


@pytest.mark.parametrize("known", [True, False])
def test_batches_in_another_shape(known: bool) -> None:
    loc = np.arange(6.0).reshape(6, 1) + np.zeros([6, 2])
    base = ds.MultivariateNormalDiag(loc, np.float64([1, 2]) + 0 * loc)
    wanted: Any = [2, -1] if known else tf.placeholder_with_default([2, -1], [2])
    made = ds.BatchReshape(base, wanted, validate_args=True)
    x = np.random.default_rng(1).normal(size=[4, 2, 3, 2])
    flat = x.reshape(4, 6, 2)
    pairs = [
        (made.log_prob(x), tf.reshape(base.log_prob(flat), [4, 2, 3])),
        (made.mean(), loc.reshape(2, 3, 2)),
        (made.covariance(), np.broadcast_to(np.diag([1.0, 4]), [2, 3, 2, 2])),
        (made.entropy(), tf.reshape(base.entropy(), [2, 3])),
        (made.sample(5, seed=1), tf.reshape(base.sample(5, seed=1), [5, 2, 3, 2])),
        (made.batch_shape_tensor(), [2, 3]),
        (made.event_shape_tensor(), [2]),
    ]
    for found, expected in zip(run([p[0] for p in pairs]), pairs, strict=True):
        value = run(expected[1]) if isinstance(expected[1], tf.Tensor) else expected[1]
        if found.shape != (5, 2, 3, 2):
            np.testing.assert_allclose(found, value)
    assert run(pairs[4][0]).shape == (5, 2, 3, 2)
    with pytest.raises(NotImplementedError, match="too few batch and event dims"):
        made.log_prob(x[0, 0, 0])
    for shape, text in (
        ([2, 2], r"`batch_shape` size \(4\) must match `distribution.batch_shape` size \(6\)"),
        ([[6]], r"must be a vector \(saw rank: 2\)"),
        ([-2, 3], "elements must be >=-1"),
    ):
        with pytest.raises(ValueError, match=text):
            ds.BatchReshape(base, shape)
    with pytest.raises(NotImplementedError, match="unexpected batch and event shape"):
        ds.BatchReshape(base, [2, 3]).log_prob(np.zeros([3, 2, 2]))


def test_autoregressive() -> None:
    """Each element's mean is the sum of those before it."""

    def by(event: Any = None) -> Any:
        before = tf.zeros([3]) if event is None else tf.cumsum(event, axis=-1, exclusive=True)
        return ds.Independent(ds.Normal(before, 0.1 * tf.ones([3])), 1)

    made = ds.Autoregressive(by)
    x = np.float32([0.5, 0.4, 1.0])
    expected = stats.norm.logpdf(x, [0, 0.5, 0.9], 0.1).sum()
    found, drawn = run([made.log_prob(x), made.sample(2000, seed=2)])
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose((drawn[:, 2] - drawn[:, 0] - drawn[:, 1]).std(), 0.1, rtol=0.1)
    assert made.num_steps == 3
    with pytest.raises(ValueError, match="must be at least 1"):
        ds.Autoregressive(by, num_steps=0)


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize(
    "scheme",
    [
        ds.quadrature_scheme_lognormal_gauss_hermite,
        ds.quadrature_scheme_lognormal_quantiles,
    ],
)
def test_poisson_lognormal(scheme: Any, batched: bool) -> None:
    """By its points and weights; those of Gauss and Hermite are those of the integral, too."""
    loc, scale = (np.array([0.5, -1.0]), np.array([0.3, 0.5])) if batched else (0.5, 0.3)
    loc, scale = np.float64(loc), np.float64(scale)
    made = ds.PoissonLogNormalQuadratureCompound(loc, scale, 20, scheme)
    grid, weights = scheme(tf.constant(loc), tf.constant(scale), 20)
    shape = [2] if batched else []
    assert made.batch_shape == shape and made.quadrature_size == 20
    x = np.float64([1.0, 3.0]) if batched else np.float64(3.0)
    drawn = made.sample(3000, seed=1)
    found = run([grid, weights, made.prob(x), made.mean(), made.variance(), made.stddev(), drawn])
    rates, share = np.exp(found[0]), found[1]
    np.testing.assert_allclose(share.sum(), 1)
    np.testing.assert_allclose(found[2], (stats.poisson.pmf(x[..., None], rates) * share).sum(-1))
    mean = (rates * share).sum(-1)
    variance = mean + ((rates - mean[..., None]) ** 2 * share).sum(-1)
    np.testing.assert_allclose(found[3], mean)
    np.testing.assert_allclose(found[4], variance)
    np.testing.assert_allclose(found[5], variance**0.5)
    assert drawn.shape == [3000, *shape]
    np.testing.assert_allclose(found[6].mean(0), mean, rtol=0.1)
    if scheme is ds.quadrature_scheme_lognormal_gauss_hermite:
        np.testing.assert_allclose(mean, np.exp(loc + scale**2 / 2))


@pytest.mark.parametrize("resource", [False, True])
def test_moving_statistics(resource: bool) -> None:
    values = [1.0, 4.0, -2.0]
    value = tf.placeholder(tf.float64, [])
    with tf.variable_scope("", use_resource=resource):
        moved = ds.moving_mean_variance(value, 0.9, name="moved")
        logs = tf.get_variable("logs", initializer=np.float64(0.5))
    log = ds.assign_log_moving_mean_exp(logs, value, 0.9)
    mean = variance = 0.0
    expected_log = 0.5
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for each in values:
            variance = 0.9 * (variance + 0.1 * (each - mean) ** 2)
            mean += 0.1 * (each - mean)
            expected_log = np.log(0.9 * np.exp(expected_log) + 0.1 * np.exp(each))
            found = session.run([*moved, log], {value: each})
            np.testing.assert_allclose(found, [mean, variance, expected_log])
    names = [each.op.name for each in tf.global_variables()[:2]]
    assert names == ["moved/moving_variance", "moved/moving_mean"]
    whole = tf.get_variable("whole", initializer=1, trainable=False)
    with pytest.raises(TypeError, match=r"mean_var.base_dtype\(int32\) does not have float"):
        ds.assign_moving_mean_variance(whole, whole, 1, 0.9)
    with pytest.raises(TypeError, match=r"mean_var.base_dtype\(float64\) != variance_var"):
        ds.assign_moving_mean_variance(logs, whole, 1.0, 0.9)


def test_seed_streams() -> None:
    """Deterministic numbers that hang on seed, salt and how many came before."""
    first, again = ds.SeedStream(4, salt="a"), ds.SeedStream(4, salt="a")
    seeds = [first() for _ in range(3)]
    assert seeds == [again() for _ in range(3)] and len(set(seeds)) == 3
    other = ds.SeedStream(first, salt="b")
    assert (other.original_seed, other.salt) == (4, "b") and other() not in seeds
    assert ds.SeedStream(None, "a")() is None

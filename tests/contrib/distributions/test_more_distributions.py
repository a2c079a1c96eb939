"""tf.contrib.distributions' further distributions, against scipy and formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
from scipy import stats

import dataflow as tf
from dataflow.contrib import distributions as ds

POSITIVE = np.array([0.3, 1.0, 2.5])
WHOLE = np.array([0.0, 1.0, 3.0])
REAL = np.array([-1.5, 0.2, 2.0])
A, B = np.array([1.5, 3.0, 4.0]), np.array([0.5, 1.0, 2.0])
P = np.array([0.2, 0.5, 0.7])


def soft(x: Any) -> Any:
    return np.log1p(np.exp(x))


SCALARS: list[tuple[str, Callable[[], Any], Any, np.ndarray, str]] = [
    ("binomial", lambda: ds.Binomial(np.float64(5), probs=P), stats.binom(5, P), WHOLE, "mv"),
    ("geometric", lambda: ds.Geometric(probs=P), stats.geom(P, loc=-1), WHOLE, "mves"),
    ("negative", lambda: ds.NegativeBinomial(A, probs=P), stats.nbinom(A, 1 - P), WHOLE, "mvs"),
    ("poisson", lambda: ds.Poisson(log_rate=np.log(A)), stats.poisson(A), WHOLE, "mvs"),
    ("logistic", lambda: ds.Logistic(A, B), stats.logistic(A, B), REAL, "mvesq"),
    ("gumbel", lambda: ds.Gumbel(A, B), stats.gumbel_r(A, B), REAL, "mvesq"),
    ("cauchy", lambda: ds.Cauchy(A, B), stats.cauchy(A, B), REAL, "eq"),
    ("half", lambda: ds.HalfNormal(B), stats.halfnorm(scale=B), POSITIVE, "mvesq"),
    ("inverse", lambda: ds.InverseGamma(2 + A, B), stats.invgamma(2 + A, scale=B), POSITIVE, "mve"),
    ("chi2", lambda: ds.Chi2(A), stats.chi2(A), POSITIVE, "mves"),
    ("chi2abs", lambda: ds.Chi2WithAbsDf(-A), stats.chi2(np.floor(A)), POSITIVE, "mv"),
    (
        "exp",
        lambda: ds.ExponentialWithSoftplusRate(A),
        stats.expon(scale=1 / soft(A)),
        REAL + 2,
        "mv",
    ),
    (
        "gamma",
        lambda: ds.GammaWithSoftplusConcentrationRate(A, B),
        stats.gamma(soft(A), scale=1 / soft(B)),
        POSITIVE,
        "mve",
    ),
    ("laplace", lambda: ds.LaplaceWithSoftplusScale(A, B), stats.laplace(A, soft(B)), REAL, "mv"),
    ("normal", lambda: ds.NormalWithSoftplusScale(A, B), stats.norm(A, soft(B)), REAL, "mv"),
    (
        "beta",
        lambda: ds.BetaWithSoftplusConcentration(A, B),
        stats.beta(soft(A), soft(B)),
        P,
        "mv",
    ),
    (
        "student",
        lambda: ds.StudentTWithAbsDfSoftplusScale(-A - 3, A, B),
        stats.t(np.floor(A + 3), A, soft(B)),
        REAL,
        "v",
    ),
    (
        "lognormal",
        lambda: ds.TransformedDistribution(ds.Normal(A, B), ds.bijectors.Exp()),
        stats.lognorm(B, scale=np.exp(A)),
        POSITIVE,
        "q",
    ),
]


@pytest.mark.parametrize(("make", "theirs", "points", "what"), [e[1:] for e in SCALARS])
def test_numbers_as_in_scipy(make: Any, theirs: Any, points: np.ndarray, what: str) -> None:
    """m: mean, v: variance, e: entropy, s: the mean of samples, q: quantiles."""
    discrete = not hasattr(theirs.dist, "pdf")
    with tf.Graph().as_default(), tf.Session() as session:
        made = make()
        found = {"p": made.log_prob(points), "c": made.cdf(points), "l": made.log_cdf(points)}
        for letter, name in (("m", "mean"), ("v", "variance"), ("e", "entropy")):
            if letter in what:
                found[letter] = getattr(made, name)()
        if "q" in what:
            found["q"] = made.quantile(P)
        if "s" in what:
            found["s"] = made.sample(20000, seed=3)
            assert found["s"].shape.as_list() == [20000, 3]
        got = session.run(found)
    density = theirs.logpmf if discrete else theirs.logpdf
    np.testing.assert_allclose(got["p"], density(points), rtol=1e-6)
    np.testing.assert_allclose(got["c"], theirs.cdf(points), rtol=1e-6)
    np.testing.assert_allclose(got["l"], theirs.logcdf(points), rtol=1e-6)
    for letter, name in (("m", "mean"), ("v", "var"), ("e", "entropy")):
        if letter in what:
            want = (
                np.array([stats.geom(p, loc=-1).entropy() for p in P])
                if (letter == "e" and discrete)
                else getattr(theirs, name)()
            )
            np.testing.assert_allclose(got[letter], want, rtol=1e-6)
    if "q" in what:
        np.testing.assert_allclose(got["q"], theirs.ppf(P), rtol=1e-6)
    if "s" in what:
        np.testing.assert_allclose(got["s"].mean(0), theirs.mean(), atol=0.08 * theirs.std().max())


def test_checked_values() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        one = tf.placeholder_with_default(1.0, [])
        broken = [
            ds.Poisson(2.0, validate_args=True).log_prob(one / 2),
            ds.Binomial(2.0, probs=0.5, validate_args=True).log_prob(3.0 * one),
            ds.Geometric(probs=0.5, validate_args=True).cdf(-one),
            ds.InverseGamma(2.0, 2.0, validate_args=True).log_prob(-one),
            ds.InverseGamma(one, 2.0, allow_nan_stats=False).mean(),
        ]
        for each in broken:
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(each)
        assert np.isnan(session.run(ds.InverseGamma(1.5, 2.0).variance()))
    with pytest.raises(ValueError, match="exactly one of `rate` and `log_rate`"):
        ds.Poisson()
    with pytest.raises(ValueError, match="`mean` is undefined"):
        ds.Cauchy(0.0, 1.0, allow_nan_stats=False).mean()


def test_deterministic() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        one = ds.Deterministic([1.0, 2.0], atol=0.1)
        vector = ds.VectorDeterministic([[1.0, 2.0]], rtol=0.1)
        got = session.run(
            [one.prob([1.05, 2.2]), one.cdf([0.0, 2.0]), one.sample(2), vector.prob([1.05, 2.15])]
        )
        assert vector.event_shape.as_list() == [2]
    np.testing.assert_array_equal(got[0], [1, 0])
    np.testing.assert_array_equal(got[1], [0, 1])
    np.testing.assert_array_equal(got[2], [[1, 2], [1, 2]])
    np.testing.assert_array_equal(got[3], [1])


def test_classes() -> None:
    logits = np.array([[0.1, 1.0, -1.0], [2.0, 0.0, 0.5]])
    probs = scipy.special.softmax(logits, -1)
    with tf.Graph().as_default(), tf.Session() as session:
        one = ds.OneHotCategorical(logits=logits)
        other = ds.OneHotCategorical(probs=np.array([0.2, 0.3, 0.5]))
        drawn = one.sample(20000, seed=1)
        assert drawn.shape.as_list() == [20000, 2, 3]
        got = session.run([one.log_prob([[0, 1, 0], [0, 0, 1]]), drawn, one.mode(), one.entropy()])
        kl, covariance = session.run([one.kl_divergence(other), one.covariance()])
        relaxed = ds.RelaxedOneHotCategorical(0.7, logits=logits)
        soft_drawn = relaxed.sample(5, seed=2)
        values, logs, again = session.run(
            [soft_drawn, relaxed.log_prob(soft_drawn), relaxed.log_prob([[0.2, 0.3, 0.5]])]
        )
        number = ds.RelaxedBernoulli(0.5, logits=1.2)
        logs_of_number = session.run(number.log_prob(np.array([0.2, 0.9], np.float32)))
        nearly = session.run(ds.RelaxedBernoulli(0.01, logits=np.float64(0.0)).log_prob(0.3))
    np.testing.assert_allclose(got[0], np.log(probs[[0, 1], [1, 2]]))
    np.testing.assert_allclose(got[1].mean(0), probs, atol=0.02)
    np.testing.assert_array_equal(got[2], [[0, 1, 0], [1, 0, 0]])
    np.testing.assert_allclose(got[3], -(probs * np.log(probs)).sum(-1))
    np.testing.assert_allclose(kl, (probs * np.log(probs / [0.2, 0.3, 0.5])).sum(-1))
    np.testing.assert_allclose(covariance[0], np.diag(probs[0]) - np.outer(probs[0], probs[0]))
    np.testing.assert_allclose(values.sum(-1), 1.0)

    def concrete(x: np.ndarray) -> Any:
        # Maddison and others, equation 10: (k - 1)! t^(k - 1) prod(p x^(-t - 1)) / sum(p x^-t)^k.
        t, k = 0.7, 3
        weights = (np.log(probs) - (t + 1) * np.log(x)).sum(-1)
        total = np.log((probs * x**-t).sum(-1))
        return np.log(2.0) + (k - 1) * np.log(t) + weights - k * total

    np.testing.assert_allclose(logs, concrete(values), rtol=1e-5)
    np.testing.assert_allclose(again, concrete(np.array([[0.2, 0.3, 0.5]])), rtol=1e-5)

    def binary(x: Any, t: float, alpha: float) -> Any:
        top = np.log(t) + np.log(alpha) + (-t - 1) * (np.log(x) + np.log1p(-x))
        return top - 2 * np.log(alpha * x**-t + (1 - x) ** -t)

    np.testing.assert_allclose(
        logs_of_number, binary(np.array([0.2, 0.9]), 0.5, np.exp(1.2)), rtol=1e-5
    )
    np.testing.assert_allclose(nearly, binary(0.3, 0.01, 1.0), rtol=1e-5)


def test_independent_and_mixtures() -> None:
    loc, scale, weights = np.array([-1.0, 2.0]), np.array([0.5, 1.5]), np.array([0.3, 0.7])
    x = np.array([-0.5, 0.0, 3.0])
    with tf.Graph().as_default(), tf.Session() as session:
        cat = ds.Categorical(probs=weights)
        parts: list[Any] = [ds.Normal(loc[i], scale[i]) for i in (0, 1)]
        mixed: Any
        for mixed in (ds.Mixture(cat, parts), ds.MixtureSameFamily(cat, ds.Normal(loc, scale))):
            got = session.run([mixed.log_prob(x), mixed.cdf(x), mixed.mean(), mixed.variance()])
            density = (weights * stats.norm(loc, scale).pdf(x[:, None])).sum(-1)
            below = (weights * stats.norm(loc, scale).cdf(x[:, None])).sum(-1)
            mean = weights @ loc
            np.testing.assert_allclose(got[0], np.log(density))
            np.testing.assert_allclose(got[1], below)
            above = session.run([mixed.survival_function(x), mixed.log_survival_function(x)])
            np.testing.assert_allclose(above, [1 - below, np.log1p(-below)], rtol=1e-6)
            np.testing.assert_allclose(got[2], mean)
            variance = weights @ (scale**2 + loc**2) - mean**2
            np.testing.assert_allclose(got[3], variance)
            drawn = session.run(mixed.sample(20000, seed=4))
            np.testing.assert_allclose([drawn.mean(), drawn.var()], [mean, variance], atol=0.1)
        vectors = ds.MixtureSameFamily(
            cat, ds.MultivariateNormalDiag(np.stack([loc, -loc]), np.stack([scale, scale]))
        )
        assert vectors.sample([5, 2]).shape.as_list() == [5, 2, 2]
        spread = session.run([vectors.covariance(), vectors.variance()])
        np.testing.assert_allclose(np.diag(spread[0]), spread[1])
        together = ds.Independent(ds.Normal(np.zeros((3, 2)), scale), 1)
        assert (together.batch_shape, together.event_shape) == ([3], [2])
        other = ds.Independent(ds.Normal(np.ones((3, 2)), scale), 1)
        logs, kl, entropy = session.run(
            [together.log_prob([1.0, 2.0]), together.kl_divergence(other), together.entropy()]
        )
        bound = session.run(ds.Mixture(cat, parts).entropy_lower_bound())
    np.testing.assert_allclose(logs, [stats.norm(0, scale).logpdf([1.0, 2.0]).sum()] * 3)
    np.testing.assert_allclose(kl, [(0.5 / scale**2).sum()] * 3)
    np.testing.assert_allclose(entropy, [stats.norm(0, scale).entropy().sum()] * 3)
    np.testing.assert_allclose(bound, weights @ stats.norm(0, scale).entropy())
    with pytest.raises(ValueError, match="cannot exceed"):
        ds.Independent(ds.Normal([0.0], 1.0), 2)
    with pytest.raises(ValueError, match=r"cat.num_classes != len\(components\): 2 vs. 1"):
        ds.Mixture(ds.Categorical(probs=weights), [ds.Normal(0.0, 1.0)])


def test_quantized() -> None:
    y = np.array([-3.0, -2.0, 0.0, 1.0, 2.0])
    with tf.Graph().as_default(), tf.Session() as session:
        made = ds.QuantizedDistribution(
            ds.Normal(np.float64(0.2), np.float64(1.5)), low=-2.0, high=2.0
        )
        got = session.run([made.prob(y), made.log_prob(y), made.cdf(y), made.sample(5000, seed=1)])
    normal = stats.norm(0.2, 1.5)
    want = normal.cdf(y) - normal.cdf(y - 1)
    want[[0, 1, 4]] = 0.0, normal.cdf(-2), normal.sf(1)
    np.testing.assert_allclose(got[0], want)
    np.testing.assert_allclose(got[1][1:], np.log(want[1:]))
    np.testing.assert_allclose(got[2], [0, normal.cdf(-2), normal.cdf(0), normal.cdf(1), 1])
    assert set(got[3]) == {-2.0, -1.0, 0.0, 1.0, 2.0}


def test_functions() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        lower = ds.fill_triangular(np.arange(1.0, 7.0))
        upper = ds.fill_triangular([[1.0, 2, 3, 4, 5, 6]], upper=True)
        np.testing.assert_array_equal(session.run(lower), [[4, 0, 0], [6, 5, 0], [3, 2, 1]])
        np.testing.assert_array_equal(session.run(upper)[0], [[1, 2, 3], [0, 5, 6], [0, 0, 4]])
        for each, is_upper in ((lower, False), (upper[0], True)):
            back = session.run(ds.fill_triangular_inverse(each, upper=is_upper))
            np.testing.assert_array_equal(back, np.arange(1, 7))
        x = np.array([1e-20, 1e-3, 1.0, 50.0, 1e4])
        np.testing.assert_allclose(
            session.run(ds.softplus_inverse(x)), x + np.log(-np.expm1(-x)), rtol=1e-12
        )
        logs, weights = np.array([[1.0, 800.0], [3.0, 801.0]]), np.array([[1.0, -2], [2, 1]])
        found, sign = session.run(
            ds.reduce_weighted_logsumexp(logs, weights, axis=0, return_sign=True)
        )
        want, want_sign = scipy.special.logsumexp(logs, 0, weights, return_sign=True)
        np.testing.assert_allclose(found, want)
        np.testing.assert_array_equal(sign, want_sign)
        three = session.run(ds.tridiag([1.0, 2.0], [4.0, 5, 6], [8.0, 9]))
        np.testing.assert_array_equal(three, [[4, 8, 0], [1, 5, 9], [0, 2, 6]])
        prior = ds.Normal(np.float64(1.0), np.float64(2.0))
        total = tf.constant(6.0, tf.float64)
        after = ds.normal_conjugates_known_scale_posterior(prior, np.float64(3.0), total, 4)
        ahead = ds.normal_conjugates_known_scale_predictive(prior, np.float64(3.0), total, 4)
        got = session.run([after.loc, after.scale, ahead.scale])
    variance = 1 / (1 / 4 + 4 / 9)
    np.testing.assert_allclose(
        got, [(1 / 4 + 6 / 9) * variance, variance**0.5, (variance + 9) ** 0.5]
    )
    with pytest.raises(ValueError, match="does not correspond to a triangular matrix"):
        ds.fill_triangular([1.0, 2.0])

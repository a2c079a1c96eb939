"""tf.distributions against TensorFlow's: statistics, densities, draws of a seed, divergences."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.oracle import open_session

F, S = np.float64, np.float32
STATISTICS = ("mean", "variance", "stddev", "entropy", "mode", "covariance")
DENSITIES = (
    "log_prob",
    "prob",
    "log_cdf",
    "cdf",
    "log_survival_function",
    "survival_function",
)
NUMBERS = [-2.5, -0.3, 0.0, 0.4, 0.9, 3.0]
POSITIVE = [0.01, 0.3, 0.7, 1.0, 2.0, 9.0]
SHARES = [0.05, 0.3, 0.5, 0.62, 0.9, 0.99]

Make = Callable[[Any], Any]
FAMILIES: dict[str, tuple[Make, Any]] = {
    "Normal": (lambda d: d.Normal(F([[0.5], [-1]]), F([1, 2, 3, 0.5, 0.1, 9])), NUMBERS),
    "Laplace": (lambda d: d.Laplace(F([[0.5], [-1]]), F([1, 2, 3, 0.5, 0.1, 9])), NUMBERS),
    "Uniform": (lambda d: d.Uniform(F([-1, 0, 0, 0, 0.95, 1]), F([1, 2, 3, 4, 5, 6])), NUMBERS),
    "StudentT": (lambda d: d.StudentT(S([0.5, 1, 1.5, 2, 3, 30]), S(0.1), S([[1], [2]])), NUMBERS),
    "Gamma": (lambda d: d.Gamma(F([0.3, 1, 1.5, 2, 5, 50]), F([[1], [3]])), POSITIVE),
    "Exponential": (lambda d: d.Exponential(F([[0.5], [3]])), POSITIVE),
    "Beta": (lambda d: d.Beta(F([0.3, 1, 1.5, 2, 5, 50]), F([1.5, 0.7, 3, 2, 9, 8])), SHARES),
    "Bernoulli": (lambda d: d.Bernoulli(probs=F([[0.2], [0.7]])), [0, 1]),
    "Bernoulli of logits": (lambda d: d.Bernoulli(logits=F([-3, 0.5])), [0, 1]),
    "Categorical": (lambda d: d.Categorical(probs=F([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])), [0, 2]),
    "Categorical of logits": (lambda d: d.Categorical(F([0.2, -1, 2])), [[0, 1, 2]]),
    "Dirichlet": (lambda d: d.Dirichlet(F([[1.5, 2, 3], [4, 1.1, 2]])), [[0.2, 0.3, 0.5]]),
    "Multinomial": (lambda d: d.Multinomial(S([4]), probs=S([0.2, 0.3, 0.5])), [[1, 1, 2.0]]),
    "DirichletMultinomial": (
        lambda d: d.DirichletMultinomial(F(4), F([[1, 2, 3], [4, 1, 2]])),
        [[1, 1, 2.0]],
    ),
}


def _values(library: Any, family: str) -> dict[str, Any]:
    make, points = FAMILIES[family]
    with library.Graph().as_default(), open_session(library) as session:
        made = make(library.distributions)
        value = np.array(points, library.as_dtype(made.dtype).as_numpy_dtype)
        found: dict[str, Any] = {}
        for name in STATISTICS + DENSITIES:
            args = (value,) if name in DENSITIES else ()
            try:
                found[name] = session.run(getattr(made, name)(*args))
            except (NotImplementedError, ValueError) as refusal:
                # Some shapes TensorFlow cannot take, ours can.
                found[name] = type(refusal)
        for shape in ((), 3, [2, 4]):
            found[f"sample {shape}"] = session.run(made.sample(shape, seed=7))
        found["static"] = [
            str(each)
            for each in (
                made.batch_shape,
                made.event_shape,
                made.sample([5]).shape,
                made.dtype.name,
                made.name,
                made.reparameterization_type,
                made.sample(name="draw").op.name.split("/")[0],
            )
        ]
        found["shapes"] = session.run([made.batch_shape_tensor(), made.event_shape_tensor()])
        found["scalar"] = session.run([made.is_scalar_batch(), made.is_scalar_event()])
        found["copy"] = session.run(made.copy().sample(seed=7))
        found["divergence"] = (
            session.run(made.kl_divergence(made)) if _has_divergence(family) else 0
        )
        return found


def _has_divergence(family: str) -> bool:
    pairs = ("Normal", "Gamma", "Beta", "Bernoulli", "Categorical", "Dirichlet")
    return family.split()[0] in pairs


@pytest.mark.parametrize("family", FAMILIES)
def test_as_in_tensorflow(family: str) -> None:
    theirs, ours = _values(oracle, family), _values(tf, family)
    for name, want in theirs.items():
        have = ours[name]
        if name == "static" or want is NotImplementedError:
            assert have == want, name
            continue
        if want is ValueError:
            continue
        for one, other in zip(
            *([each] if not isinstance(each, list) else each for each in (want, have)), strict=True
        ):
            np.testing.assert_allclose(
                np.float64(other), np.float64(one), rtol=1e-5, atol=1e-7, err_msg=name
            )
            assert np.shape(other) == np.shape(one), name


DIVERGENCES: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "Normal": lambda d: (d.Normal(F(0), F([1, 2])), d.Normal(F([0.5, -1]), F(2))),
    "Gamma": lambda d: (d.Gamma(F([0.5, 2]), F(1)), d.Gamma(F(3), F([1, 0.2]))),
    "Beta": lambda d: (d.Beta(F([0.5, 2]), F(1)), d.Beta(F(3), F([1, 0.2]))),
    "Bernoulli": lambda d: (d.Bernoulli(F([0.5, -2])), d.Bernoulli(probs=F([0.3, 0.9]))),
    "Categorical": lambda d: (d.Categorical(F([0.5, -2])), d.Categorical(probs=F([0.3, 0.7]))),
    "Dirichlet": lambda d: (d.Dirichlet(F([0.5, 2])), d.Dirichlet(F([3, 1]))),
    "a subclass": lambda d: (d.Exponential(F([0.5, 2])), d.Gamma(F(3), F(2))),
}


@pytest.mark.parametrize("family", DIVERGENCES)
def test_divergences(family: str) -> None:
    found = []
    for library in (oracle, tf):
        with library.Graph().as_default(), open_session(library) as session:
            a, b = DIVERGENCES[family](library.distributions)
            both = [library.distributions.kl_divergence(a, b)]
            if family != "a subclass":
                both.append(a.cross_entropy(b))
            found.append(session.run(both))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-8)


def test_slopes_through_samples() -> None:
    found = []
    for library in (oracle, tf):
        with library.Graph().as_default(), open_session(library) as session:
            d = library.distributions
            loc, scale = library.constant(F([0.5, 1])), library.constant(F([1, 2]))
            slopes = []
            for made in (d.Normal(loc, scale), d.Gamma(scale, loc), d.Laplace(loc, scale)):
                drawn = made.sample(5, seed=3)
                slopes += library.gradients([drawn * drawn, made.log_prob(drawn)], [loc, scale])
            found.append(session.run(slopes))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-3)


def test_what_is_checked() -> None:
    d = tf.distributions
    with tf.Graph().as_default(), tf.Session() as session:
        for made in (
            lambda: d.Normal(0.0, -1.0, validate_args=True).scale,
            lambda: d.Uniform(1.0, 0.0, validate_args=True).low,
            lambda: d.Categorical(probs=[0.5, 0.1], validate_args=True).probs,
            lambda: d.Gamma([0.5], [1.0], allow_nan_stats=False).mode(),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(made())
        with pytest.raises(ValueError, match="Must pass probs or logits, but not both"):
            d.Bernoulli()
        with pytest.raises(NotImplementedError, match="No KL"):
            d.kl_divergence(d.Normal(0.0, 1.0), d.Uniform())
        with pytest.raises(ValueError, match="has already been registered"):
            d.RegisterKL(d.Normal, d.Normal)(lambda a, b, name=None: None)
        with pytest.raises(TypeError, match="kl_fn must be callable"):
            d.RegisterKL(d.Normal, d.Beta)(3)
        with pytest.raises(NotImplementedError, match="quantile is not implemented: Beta"):
            d.Beta(1.0, 2.0).quantile(0.5)
        ends = session.run(d.Normal(1.0, 2.0).quantile([0.5, -3.0, 0.0, 1.0, 2.0]))
        assert ends.tolist() == [1.0, -np.inf, -np.inf, np.inf, np.inf]
        assert session.run(d.Normal(0.0, 1.0).copy(loc=3.0).mean()) == 3.0


REFUSED: dict[str, Callable[[Any], Any]] = {
    "share below": lambda d: d.Beta([1.0], [2.0], validate_args=True).prob([-1.0]),
    "share above": lambda d: d.Beta([1.0], [2.0], validate_args=True).prob([1.5]),
    "concentration": lambda d: d.Beta([0.0], [2.0], validate_args=True).sample(seed=1),
    "duration": lambda d: d.Gamma([1.0], [2.0], validate_args=True).cdf([-1.0]),
    "truth": lambda d: d.Bernoulli(probs=[0.5], validate_args=True).log_prob([2]),
    "class": lambda d: d.Categorical([0.5, 1.0], validate_args=True).cdf([0.5]),
    "sum": lambda d: d.Multinomial(4.0, [1.0, 2.0], validate_args=True).prob([1.0, 2.0]),
    "part": lambda d: d.Multinomial(4.0, [1.0, 2.0], validate_args=True).prob([1.5, 2.5]),
    "total": lambda d: d.DirichletMultinomial(2.0, [1.0, 2.0], True).prob([1.0, 2.0]),
    "one": lambda d: d.Dirichlet([2.0], validate_args=True).concentration,
    "mode of shares": lambda d: d.Beta([2.0], [1.0], allow_nan_stats=False).mode(),
    "mean": lambda d: d.StudentT([0.5], 0.0, 1.0, allow_nan_stats=False).mean(),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_as_tensorflow_says_it(case: str) -> None:
    said = []
    for library in (tf, oracle):
        with library.Graph().as_default(), open_session(library) as session:
            with pytest.raises(library.errors.InvalidArgumentError) as caught:
                session.run(REFUSED[case](library.distributions))
            message = caught.value.message
            asserted = re.search(r"assertion failed: \[(.*?)\.?\]", message)
            said.append(asserted[1] if asserted else message.partition("\n")[0])
    assert said[0] == said[1]

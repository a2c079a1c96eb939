"""tf.contrib.bayesflow.monte_carlo: expectations of functions, by what is drawn."""

from __future__ import annotations

from collections.abc import Callable as _Callable
from typing import Any as _Any

import dataflow.graph.convert as _convert
import dataflow.graph.scopes as _scopes
import dataflow.ops.basic.identity as _identity
import dataflow.ops.math.unary as _unary
import dataflow.ops.nn.activation as _activation
import dataflow.ops.reductions.reduce as _reduce

__all__ = [
    "expectation",
    "expectation_importance_sampler",
    "expectation_importance_sampler_logspace",
]


def expectation_importance_sampler(
    f: _Callable[[_Any], _Any],
    log_p: _Callable[[_Any], _Any],
    sampling_dist_q: _Any,
    z: _Any = None,
    n: _Any = None,
    seed: int | None = None,
    name: str = "expectation_importance_sampler",
) -> _Any:
    """The mean of `f(z) p(z) / q(z)` over z drawn of q, whose expectation is that of f under p.

    Args:
      f: The function, of batches.
      log_p: The logarithm of the density that the expectation is under, but for a constant.
      sampling_dist_q: The distribution that is drawn of.
      z: What was drawn, along the first axis.
      n: How many to draw, if nothing was.
      seed: The seed of the draws.
      name: The name scope.

    Raises:
      ValueError: Neither `z` nor `n` is given, or both.
    """
    with _scopes.name_scope(name, values=[z, n]):
        drawn = _drawn(sampling_dist_q, z, n, seed)
        weights = log_p(drawn) - sampling_dist_q.log_prob(drawn)
        values = f(drawn)
        # log needs what is positive: the two parts of f, of which 1 more is taken.
        above, below = (
            _unary.exp(_log_mean(_unary.log(_activation.relu(part) + 1.0) + weights))
            for part in (values, -1.0 * values)
        )
    return above - below


def expectation_importance_sampler_logspace(
    log_f: _Callable[[_Any], _Any],
    log_p: _Callable[[_Any], _Any],
    sampling_dist_q: _Any,
    z: _Any = None,
    n: _Any = None,
    seed: int | None = None,
    name: str = "expectation_importance_sampler_logspace",
) -> _Any:
    """The logarithm of the mean of `f(z) p(z) / q(z)` over z drawn of q, for a positive f.

    Args:
      log_f: The logarithm of the function, of batches.
      log_p: The logarithm of the density that the expectation is under, but for a constant.
      sampling_dist_q: The distribution that is drawn of.
      z: What was drawn, along the first axis.
      n: How many to draw, if nothing was.
      seed: The seed of the draws.
      name: The name scope.

    Raises:
      ValueError: Neither `z` nor `n` is given, or both.
    """
    with _scopes.name_scope(name, values=[z, n]):
        drawn = _drawn(sampling_dist_q, z, n, seed)
        return _log_mean(log_f(drawn) + log_p(drawn) - sampling_dist_q.log_prob(drawn))


def expectation(
    f: _Callable[[_Any], _Any],
    samples: _Any,
    log_prob: _Callable[[_Any], _Any] | None = None,
    use_reparametrization: bool = True,
    axis: _Any = 0,
    keep_dims: bool = False,
    name: str | None = None,
) -> _Any:
    """The mean of a function over what was drawn, with the gradient of its expectation.

    Args:
      f: The function.
      samples: What was drawn.
      log_prob: The logarithm of its density, if samples have no gradients.
      use_reparametrization: Whether they have; else the gradient is by the score function.
      axis: Along which they were drawn.
      keep_dims: Whether the axes stay, of length 1.
      name: The name scope.

    Raises:
      ValueError: A function is none.
    """
    with _scopes.name_scope(name, "expectation", [samples]):
        if not callable(f):
            raise ValueError("`f` must be a callable function.")
        if use_reparametrization:
            return _reduce.reduce_mean(f(samples), axis=axis, keepdims=keep_dims)
        if not callable(log_prob):
            raise ValueError("`log_prob` must be a callable function.")
        fixed = _identity.stop_gradient(samples)
        density = log_prob(fixed)
        values = f(fixed)
        score = density - _identity.stop_gradient(density)
        values += _identity.stop_gradient(values) * score
        return _reduce.reduce_mean(values, axis=axis, keepdims=keep_dims)


def _drawn(distribution: _Any, z: _Any, n: _Any, seed: int | None) -> _Any:
    with _scopes.name_scope("get_samples", values=[z, n]):
        if (n is None) == (z is None):
            raise ValueError(
                f'Must specify exactly one of arguments "n" and "z".  Found: n = {n}, z = {z}'
            )
        if n is None:
            return _convert.convert_to_tensor(z, name="z")
        return distribution.sample(n, seed=seed)


def _log_mean(logs: _Any) -> _Any:
    """The logarithm of the mean of numbers of which the logarithms are given."""
    largest = _identity.stop_gradient(_reduce.reduce_max(logs, axis=[0]))
    mean: _Any = _reduce.reduce_mean(_unary.exp(logs - largest), axis=[0])
    return _unary.log(mean) + largest

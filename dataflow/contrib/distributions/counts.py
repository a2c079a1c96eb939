"""Distributions of counts: binomial, negative binomial, geometric, and Poisson's."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.math.special as special
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions import checks
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_less, assert_less_equal, assert_non_negative
from dataflow.library.distributions.base import NOT_REPARAMETERIZED, new_seed
from dataflow.library.distributions.logits import logits_and_probs
from dataflow.library.distributions.shapes import Broadcast, positive
from dataflow.ops.array.fill import ones_like, zeros, zeros_like
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.compare import equal
from dataflow.ops.math.rounding import floor
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.activation import softplus
from dataflow.ops.random.gamma import random_gamma, random_poisson
from dataflow.ops.random.stateful import random_uniform


class _OfTrials(Broadcast):
    """Counts in trials, each of which succeeds with a probability."""

    _total_count: Any
    _logits: Any
    _probs: Any

    @property
    def total_count(self) -> Any:
        """The number of trials, or of failures."""
        return self._total_count

    @property
    def logits(self) -> Any:
        """The logits of success."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities of success."""
        return self._probs

    def _arguments(self) -> tuple[Any, ...]:
        return self._total_count, self._probs


class Binomial(_OfTrials):
    """How many of `total_count` trials succeed."""

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Binomial",
    ) -> None:
        """Takes the numbers of trials, and logits or probabilities, which broadcast."""
        parameters = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as scope:
            total: Any = convert_to_tensor(total_count, name="total_count")
            if validate_args:
                text = "total_count must be non-negative."
                total = with_dependencies([assert_non_negative(total, message=text)], total)
                text = "total_count cannot contain fractional components."
                total = checks.integer_form(total, True, text)
            self._total_count = total
            self._logits, self._probs = logits_and_probs(logits, probs, validate_args, scope)
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._logits, self._probs],
            name=scope,
        )

    def _checked(self, counts: Any) -> Any:
        counts = checks.counts(counts, self.validate_args)
        if not self.validate_args:
            return counts
        text = "counts are not less than or equal to n."
        return with_dependencies(
            [assert_less_equal(counts, self.total_count, message=text)], counts
        )

    def _log_prob(self, counts: Any) -> Any:
        counts = self._checked(counts)
        total = self.total_count
        found: Any = counts * math_unary.log(self.probs)
        found = found + (total - counts) * math_unary.log1p(-self.probs)
        ways: Any = special.lgamma(1.0 + total) - special.lgamma(1.0 + counts)
        return found + ways - special.lgamma(1.0 + total - counts)

    def _cdf(self, counts: Any) -> Any:
        # Abramowitz and Stegun, 26.5.24.
        counts = self._checked(counts)
        probs = self.probs + zeros_like(counts) + zeros_like(self.total_count)
        counts = counts + zeros_like(probs)
        left = self.total_count - counts
        ones = ones_like(left)
        is_all = equal(left, zeros_like(left))
        below = special.betainc(where_v2(is_all, ones, left), counts + 1.0, 1.0 - probs)
        return where_v2(is_all, ones, below)

    def _mean(self) -> Any:
        return self.total_count * self.probs

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self.probs)

    def _mode(self) -> Any:
        return floor((1.0 + self.total_count) * self.probs)


class NegativeBinomial(_OfTrials):
    """How many trials succeed before `total_count` fail."""

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NegativeBinomial",
    ) -> None:
        """Takes the numbers of failures, and logits or probabilities, which broadcast."""
        parameters = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, validate_args, scope)
            self._total_count = identity(positive(total_count, "total_count", validate_args))
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._probs, self._logits],
            name=scope,
        )

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        # Poisson's counts, whose rates are drawn from a gamma distribution.
        beta = math_unary.exp(-self.logits)
        rate = random_gamma([n], self.total_count, beta, dtype=self.dtype, seed=seed)
        return random_poisson(
            rate, shape=[], dtype=self.dtype, seed=new_seed(seed, "negative_binom")
        )

    def _cdf(self, x: Any) -> Any:
        x = checks.counts(x, self.validate_args)
        whole = zeros_like(x + self.total_count + self.logits)
        fails = sigmoid(-self.logits) + whole
        return special.betainc(self.total_count + whole, 1.0 + x + whole, fails)

    def _log_prob(self, x: Any) -> Any:
        x = checks.counts(x, self.validate_args)
        total = self.total_count
        ways: Any = special.lgamma(total + x) - special.lgamma(1.0 + x) - special.lgamma(total)
        failing: Any = -total * softplus(self.logits)
        return ways + failing - x * softplus(-self.logits)

    def _mean(self) -> Any:
        return self.total_count * math_unary.exp(self.logits)

    def _mode(self) -> Any:
        total = self.total_count
        less: Any = where_v2(total > 1.0, total - 1.0, zeros_like(total))
        return floor(less * math_unary.exp(self.logits))

    def _variance(self) -> Any:
        return self._mean() / sigmoid(-self.logits)


class Geometric(Broadcast):
    """How many trials fail before the first that succeeds."""

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Geometric",
    ) -> None:
        """Takes logits or probabilities of success."""
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs]) as scope:
            self._logits, found = logits_and_probs(logits, probs, validate_args, scope)
            self._probs = identity(positive(found, "probs", validate_args), name="probs")
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._probs, self._logits],
            name=scope,
        )

    @property
    def logits(self) -> Any:
        """The logits of success."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities of success."""
        return self._probs

    def _arguments(self) -> tuple[Any, ...]:
        return (self._probs,)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        tiny = np.finfo(self.dtype.as_numpy_dtype).tiny
        drawn: Any = random_uniform(
            self._draws(n), minval=tiny, maxval=1.0, seed=seed, dtype=self.dtype
        )
        return floor(math_unary.log(drawn) / math_unary.log1p(-self.probs))

    def _whole(self, x: Any) -> Any:
        found = checks.counts(x, True) if self.validate_args else floor(x)
        return found * ones_like(self.probs)

    def _cdf(self, x: Any) -> Any:
        x = self._whole(x)
        reached = -math_unary.expm1((1.0 + x) * math_unary.log1p(-self.probs))
        return where_v2(x < 0.0, zeros_like(x), reached)

    def _log_prob(self, x: Any) -> Any:
        x = self._whole(x)
        probs = self.probs * ones_like(x)
        # 0 failures of probability 0 weigh nothing.
        failing = where_v2(equal(x, zeros_like(x)), zeros_like(probs), probs)
        return x * math_unary.log1p(-failing) + math_unary.log(probs)

    def _entropy(self) -> Any:
        probs = self._probs
        if self.validate_args:
            text = "Entropy is undefined when logits = inf or probs = 1."
            check = assert_less(probs, ones_like(probs), message=text)
            probs = with_dependencies([check], probs)
        return softplus(self.logits) / probs - self.logits

    def _mean(self) -> Any:
        return math_unary.exp(-self.logits)

    def _variance(self) -> Any:
        return self._mean() / self.probs

    def _mode(self) -> Any:
        return zeros(self.batch_shape_tensor(), dtype=self.dtype)


class Poisson(Broadcast):
    """How often something happens that happens at a rate."""

    def __init__(
        self,
        rate: Any = None,
        log_rate: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        """Takes the rates, or their logarithms.

        Raises:
          ValueError: None or both are given.
          TypeError: They are of no floating type.
        """
        parameters = dict(locals())
        with name_scope(name, values=[rate]) as scope:
            if (rate is None) == (log_rate is None):
                raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
            what = "rate" if log_rate is None else "log_rate"
            given: Any = convert_to_tensor(rate if log_rate is None else log_rate, name=what)
            if not given.dtype.is_floating:
                raise TypeError(f"{what}.dtype ({given.dtype.name}) is a not a float-type.")
            if log_rate is None:
                self._rate: Any = identity(positive(given, "rate", validate_args), name="rate")
                self._log_rate: Any = math_unary.log(given, name="log_rate")
            else:
                self._rate = math_unary.exp(given, name="rate")
                self._log_rate = given
        super().__init__(
            dtype=self._rate.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._rate],
            name=scope,
        )

    @property
    def rate(self) -> Any:
        """The rates."""
        return self._rate

    @property
    def log_rate(self) -> Any:
        """The logarithms of the rates."""
        return self._log_rate

    def _arguments(self) -> tuple[Any, ...]:
        return (self._rate,)

    def _log_prob(self, x: Any) -> Any:
        x = checks.counts(x, self.validate_args)
        return x * self.log_rate - special.lgamma(1.0 + x) - self.rate

    def _cdf(self, x: Any) -> Any:
        return special.igammac(1.0 + checks.counts(x, self.validate_args), self.rate)

    def _mean(self) -> Any:
        return identity(self.rate)

    _variance = _mean

    def _mode(self) -> Any:
        return floor(self.rate)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return random_poisson(self.rate, [n], dtype=self.dtype, seed=seed)

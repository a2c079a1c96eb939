"""Distributions of vectors: Dirichlet, multinomial, and the two together."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.special as special
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_types import assert_rank_at_least
from dataflow.library.check_values import (
    assert_equal,
    assert_less,
    assert_near,
    assert_positive,
)
from dataflow.library.distributions.base import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    new_seed,
)
from dataflow.library.distributions.checks import embed_check_nonnegative_integer_form
from dataflow.library.distributions.kullback_leibler import RegisterKL
from dataflow.library.distributions.logits import logits_and_probs
from dataflow.library.distributions.undefined import nan_or_checked
from dataflow.library.map_fn import map_fn
from dataflow.ops.array.fill import ones_like
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.linalg.diag import matrix_set_diag
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.power import xlogy
from dataflow.ops.nn.softmax import log_softmax
from dataflow.ops.random.gamma import random_gamma
from dataflow.ops.random.stateful import multinomial
from dataflow.ops.reductions.reduce import reduce_all, reduce_sum
from dataflow.values import dtypes


def _log_beta(concentration: Any) -> Any:
    """The logarithm of the multivariate beta function."""
    parts: Any = reduce_sum(special.lgamma(concentration), -1)
    return parts - special.lgamma(reduce_sum(concentration, -1))


def _log_combinations(total: Any, counts: Any) -> Any:
    """The logarithm of in how many ways counts come about."""
    whole: Any = special.lgamma(total + 1.0)
    return whole - reduce_sum(special.lgamma(counts + 1.0), -1)


class _OfVectors(Distribution):
    """Events are vectors as long as the last axis of a parameter."""

    def _parameter(self) -> Any:
        raise NotImplementedError

    def _batch_shape(self) -> Any:
        return self._parameter().shape[:-1]

    def _batch_shape_tensor(self) -> Any:
        sizes: Any = array_shape.shape(self._parameter())
        return sizes[:-1]

    def _event_shape(self) -> Any:
        return self._parameter().shape.with_rank_at_least(1)[-1:]

    def _event_shape_tensor(self) -> Any:
        sizes: Any = array_shape.shape(self._parameter())
        return sizes[-1:]


def _concentration(value: Any, validate_args: bool) -> Any:
    tensor: Any = convert_to_tensor(value, name="concentration")
    tensor.shape.with_rank_at_least(1)
    if validate_args:
        checks = [
            assert_positive(tensor, message="Concentration parameter must be positive."),
            assert_rank_at_least(
                tensor, 1, message="Concentration parameter must have >=1 dimensions."
            ),
            assert_less(
                1,
                array_shape.shape(tensor)[-1],
                message="Concentration parameter must have event_size >= 2.",
            ),
        ]
        tensor = with_dependencies(checks, tensor)
    return tensor


class Dirichlet(_OfVectors):
    """The Dirichlet distribution of probabilities."""

    def __init__(
        self,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        """Takes the concentrations, `[..., classes]`; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[concentration]) as scope:
            self._concentration = _concentration(concentration, validate_args)
            self._total: Any = reduce_sum(self._concentration, -1)
        super().__init__(
            dtype=self._concentration.dtype,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            reparameterization_type=FULLY_REPARAMETERIZED,
            parameters=parameters,
            graph_parents=[self._concentration, self._total],
            name=scope,
        )

    @property
    def concentration(self) -> Any:
        """The concentrations."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """Their sum."""
        return self._total

    def _parameter(self) -> Any:
        return self._concentration

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn: Any = random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        return drawn / reduce_sum(drawn, -1, keepdims=True)

    def _checked(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        one = convert_to_tensor(1.0, dtype=self.dtype)
        text = "sample last-dimension must sum to `1`"
        checks = [
            assert_positive(x, message="samples must be positive"),
            assert_near(one, reduce_sum(x, -1), message=text),
        ]
        return with_dependencies(checks, x)

    def _log_prob(self, x: Any) -> Any:
        x = self._checked(x)
        weight: Any = reduce_sum(xlogy(self.concentration - 1.0, x), -1)
        return weight - _log_beta(self.concentration)

    def _entropy(self) -> Any:
        size: Any = cast(self.event_shape_tensor()[0], self.dtype)
        found: Any = _log_beta(self.concentration)
        found = found + (self._total - size) * special.digamma(self._total)
        return found - reduce_sum(
            (self.concentration - 1.0) * special.digamma(self.concentration), -1
        )

    def _mean(self) -> Any:
        return self.concentration / self._total[..., None]

    def _covariance(self) -> Any:
        scaled: Any = self._scaled_mean()
        outer: Any = matmul(scaled[..., None], scaled[..., None, :])
        return matrix_set_diag(-outer, self._variance())

    def _scaled_mean(self) -> Any:
        return self._mean() / math_unary.sqrt(1.0 + self._total[..., None])

    def _variance(self) -> Any:
        scaled: Any = self._scaled_mean()
        mean: Any = self._mean()
        return mean / (1.0 + self._total[..., None]) - math_unary.square(scaled)

    def _mode(self) -> Any:
        size: Any = cast(self.event_shape_tensor()[0], self.dtype)
        mode = (self.concentration - 1.0) / (self._total[..., None] - size)
        defined = reduce_all(self.concentration > 1.0, -1, keepdims=True)
        text = "Mode undefined when any concentration <= 1"
        return nan_or_checked(self, mode, defined, (1.0, self.concentration, text))


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(d1: Any, d2: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_dirichlet_dirichlet", [d1.concentration, d2.concentration]):
        digammas: Any = special.digamma(d1.concentration)
        digammas = digammas - special.digamma(d1.total_concentration)[..., None]
        difference = d1.concentration - d2.concentration
        found: Any = reduce_sum(difference * digammas, -1)
        return found - _log_beta(d1.concentration) + _log_beta(d2.concentration)


def _counts(self: Any, counts: Any, message: str) -> Any:
    if not self.validate_args:
        return counts
    counts = embed_check_nonnegative_integer_form(counts)
    check = assert_equal(self.total_count, reduce_sum(counts, -1), message=message)
    return with_dependencies([check], counts)


class Multinomial(_OfVectors):
    """How often each class is drawn in `total_count` draws."""

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        """Takes the number of draws, and logits or probabilities, `[..., classes]`."""
        parameters = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as scope:
            self._total_count: Any = convert_to_tensor(total_count, name="total_count")
            if validate_args:
                self._total_count = embed_check_nonnegative_integer_form(self._total_count)
            self._logits, self._probs = logits_and_probs(
                logits, probs, validate_args, scope, multidimensional=True
            )
            self._mean_val = self._total_count[..., None] * self._probs
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._logits, self._probs],
            name=scope,
        )

    @property
    def total_count(self) -> Any:
        """How many draws."""
        return self._total_count

    @property
    def logits(self) -> Any:
        """The logits of the classes."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities of the classes."""
        return self._probs

    def _parameter(self) -> Any:
        return self._mean_val

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        counts: Any = cast(self.total_count, dtypes.int32)
        size: Any = self.event_shape_tensor()[0]
        logits: Any = ones_like(counts[..., None], dtype=self.logits.dtype) * self.logits
        counts = ones_like(logits[..., 0], dtype=counts.dtype) * counts
        rows = array_shape.reshape(logits, [-1, size])
        each = array_shape.reshape(counts * n, [-1])

        def one(args: Any) -> Any:
            row, count = args
            drawn = multinomial(row[None, ...], count, seed=seed)
            grouped = array_shape.reshape(drawn, [n, -1])
            return reduce_sum(one_hot(grouped, depth=size, dtype=self.dtype), -2)

        drawn = map_fn(one, [rows, each], dtype=self.dtype)
        shape = array_concat.concat([[n], self.batch_shape_tensor(), [size]], 0)
        return array_shape.reshape(transpose(drawn, [1, 0, 2]), shape)

    def _log_prob(self, counts: Any) -> Any:
        counts = _counts(self, counts, "counts must sum to `self.total_count`")
        logs: Any = log_softmax(self.logits)
        return reduce_sum(counts * logs, -1) + _log_combinations(self.total_count, counts)

    def _mean(self) -> Any:
        return 1.0 * self._mean_val

    def _covariance(self) -> Any:
        probs: Any = self.probs * ones_like(self.total_count)[..., None]
        outer: Any = matmul(self._mean_val[..., None], probs[..., None, :])
        return matrix_set_diag(-outer, self._variance())

    def _variance(self) -> Any:
        probs: Any = self.probs * ones_like(self.total_count)[..., None]
        return self._mean_val - self._mean_val * probs


class DirichletMultinomial(_OfVectors):
    """The multinomial distribution whose probabilities are those of a Dirichlet distribution."""

    def __init__(
        self,
        total_count: Any,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        """Takes the number of draws, and the concentrations, `[..., classes]`."""
        parameters = dict(locals())
        with name_scope(name, values=[total_count, concentration]) as scope:
            self._total_count: Any = convert_to_tensor(total_count, name="total_count")
            if validate_args:
                self._total_count = embed_check_nonnegative_integer_form(self._total_count)
            self._concentration = _concentration(concentration, validate_args)
            self._total: Any = reduce_sum(self._concentration, -1)
        super().__init__(
            dtype=self._concentration.dtype,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            reparameterization_type=NOT_REPARAMETERIZED,
            parameters=parameters,
            graph_parents=[self._total_count, self._concentration],
            name=scope,
        )

    @property
    def total_count(self) -> Any:
        """How many draws."""
        return self._total_count

    @property
    def concentration(self) -> Any:
        """The concentrations."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """Their sum."""
        return self._total

    def _parameter(self) -> Any:
        return self._concentration

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        count = cast(self.total_count, dtypes.int32)
        size: Any = self.event_shape_tensor()[0]
        gammas = random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        logits = array_shape.reshape(math_unary.log(gammas), [-1, size])
        drawn = multinomial(logits, count, seed=new_seed(seed, "dirichlet_multinomial"))
        counted = reduce_sum(one_hot(drawn, depth=size), -2)
        shape = array_concat.concat([[n], self.batch_shape_tensor(), [size]], 0)
        return cast(array_shape.reshape(counted, shape), self.dtype)

    def _log_prob(self, counts: Any) -> Any:
        text = "counts last-dimension must sum to `self.total_count`"
        counts = _counts(self, counts, text)
        ordered: Any = _log_beta(self.concentration + counts)
        ordered = ordered - _log_beta(self.concentration)
        return ordered + _log_combinations(self.total_count, counts)

    def _mean(self) -> Any:
        return self.total_count[..., None] * (self.concentration / self._total[..., None])

    def _scale(self) -> Any:
        total: Any = self._total[..., None]
        return math_unary.sqrt((1.0 + total / self.total_count[..., None]) / (1.0 + total))

    def _covariance(self) -> Any:
        scaled: Any = self._scale() * self._mean()
        outer: Any = matmul(scaled[..., None], scaled[..., None, :])
        return matrix_set_diag(-outer, self._variance())

    def _variance(self) -> Any:
        scale: Any = self._scale()
        scaled: Any = scale * self._mean()
        return self.total_count[..., None] * scale * scaled - scaled * scaled

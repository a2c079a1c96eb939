"""Distributions of one-hot vectors, and of the logarithms of vectors that are nearly so."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.special as special
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_less_equal, assert_near
from dataflow.library.distributions.base import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
)
from dataflow.library.distributions.kullback_leibler import RegisterKL
from dataflow.library.distributions.logits import logits_and_probs
from dataflow.library.distributions.shapes import positive
from dataflow.ops.array.fill import ones_like, zeros, zeros_like
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.linalg.diag import matrix_set_diag
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.nn.softmax import log_softmax
from dataflow.ops.random.stateful import multinomial, random_uniform
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.values import dtypes


class _OfClasses(Distribution):
    """Events are vectors of one number for each class."""

    _logits: Any
    _probs: Any

    @property
    def event_size(self) -> Any:
        """The number of classes."""
        sizes: Any = array_shape.shape(self._logits)
        return sizes[-1]

    @property
    def logits(self) -> Any:
        """The logits of the classes."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities of the classes."""
        return self._probs

    def _batch_shape_tensor(self) -> Any:
        sizes: Any = array_shape.shape(self._logits)
        return sizes[:-1]

    def _batch_shape(self) -> Any:
        return self._logits.shape[:-1]

    def _event_shape_tensor(self) -> Any:
        sizes: Any = array_shape.shape(self._logits)
        return sizes[-1:]

    def _event_shape(self) -> Any:
        return self._logits.shape.with_rank_at_least(1)[-1:]


class OneHotCategorical(_OfClasses):
    """The categorical distribution, whose events are one-hot vectors."""

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "OneHotCategorical",
    ) -> None:
        """Takes logits or probabilities, `[..., classes]`, and the type of events."""
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs]) as scope:
            self._logits, self._probs = logits_and_probs(
                logits, probs, validate_args, scope, multidimensional=True
            )
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs],
            name=scope,
        )

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        rows = array_shape.reshape(self._logits, [-1, self.event_size])
        drawn = transpose(multinomial(rows, n, seed=seed))
        vectors = one_hot(drawn, self.event_size, dtype=self.dtype)
        shape = array_concat.concat([[n], array_shape.shape(self._logits)], 0)
        return array_shape.reshape(vectors, shape)

    def _log_prob(self, x: Any) -> Any:
        logs: Any = log_softmax(self._logits)
        return reduce_sum(cast(x, self._logits.dtype) * logs, -1)

    def _entropy(self) -> Any:
        logs: Any = log_softmax(self._logits)
        return -reduce_sum(logs * self._probs, -1)

    def _mean(self) -> Any:
        return identity(self._probs)

    def _mode(self) -> Any:
        found = one_hot(argmax(self._logits, -1), self.event_size, dtype=self.dtype)
        found.set_shape(self._logits.shape)
        return found

    def _covariance(self) -> Any:
        probs = self._probs
        outer: Any = matmul(probs[..., None], probs[..., None, :])
        return matrix_set_diag(-outer, self._variance())

    def _variance(self) -> Any:
        return self._probs * (1.0 - self._probs)


@RegisterKL(OneHotCategorical, OneHotCategorical)
def _kl_one_hot(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_categorical_categorical", values=[a.logits, b.logits]):
        logs: Any = log_softmax(a.logits)
        return reduce_sum(math_unary.exp(logs) * (logs - log_softmax(b.logits)), -1)


class ExpRelaxedOneHotCategorical(_OfClasses):
    """The logarithms of what `RelaxedOneHotCategorical` draws.

    See Maddison, Mnih and Teh, "The Concrete Distribution", 2016, appendix C.3.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExpRelaxedOneHotCategorical",
    ) -> None:
        """Takes the temperature, of which small ones are nearly one-hot, and logits or
        probabilities, `[..., classes]`."""
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs, temperature]) as scope:
            self._logits, self._probs = logits_and_probs(
                logits, probs, validate_args, scope, multidimensional=True
            )
            kind = self._logits.dtype if dtype is None else dtype
            given: Any = convert_to_tensor(
                temperature, preferred_dtype=kind if dtype is None else None, name="temperature"
            )
            if dtype is None and not validate_args:
                given = cast(given, kind)
            self._temperature: Any = identity(
                positive(given, "temperature", validate_args), name="temperature"
            )
        super().__init__(
            dtype=kind,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs, self._temperature],
            name=scope,
        )

    @property
    def temperature(self) -> Any:
        """The temperature."""
        return self._temperature

    def _of_rows(self) -> Any:
        """The temperature, beside classes: one, or one for each row of logits."""
        found = self._temperature
        return found if found.shape.rank == 0 else found[..., None]

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = array_concat.concat([[n], array_shape.shape(self._logits)], 0)
        tiny = np.finfo(self.dtype.as_numpy_dtype).tiny
        drawn = random_uniform(shape, minval=tiny, maxval=1.0, dtype=self.dtype, seed=seed)
        noise: Any = -math_unary.log(-math_unary.log(drawn))
        return log_softmax((noise + self._logits) / self._of_rows())

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            zero = zeros([], dtype=self.dtype)
            checks = [
                assert_less_equal(x, zeros_like(x)),
                assert_near(zero, reduce_logsumexp(x, axis=[-1])),
            ]
            x = with_dependencies(checks, x)
        classes: Any = cast(self.event_size, x.dtype)
        constant: Any = special.lgamma(classes)
        constant = constant + (classes - 1.0) * math_unary.log(self._temperature)
        wide: Any = self._logits * ones_like(x) - x * self._of_rows()
        return constant + reduce_sum(log_softmax(wide), -1)

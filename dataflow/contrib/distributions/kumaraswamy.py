"""Kumaraswamy's distribution, of numbers between 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.from_intervals import Kumaraswamy as ToKumaraswamy
from dataflow.contrib.distributions.checks import given
from dataflow.contrib.distributions.transformed import TransformedDistribution
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_less
from dataflow.library.distributions.laplace import Uniform
from dataflow.ops.array.broadcast import broadcast_dynamic_shape
from dataflow.ops.array.fill import fill, ones, ones_like, zeros
from dataflow.ops.array.select import where_v2
from dataflow.ops.array.shape import shape as shape_of
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.math.special import digamma, lbeta


class Kumaraswamy(TransformedDistribution):
    """The density is `a b x^(a - 1) (1 - x^a)^(b - 1)`."""

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Kumaraswamy",
    ) -> None:
        """Takes a and b, which are positive; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as scope:
            one: Any = convert_to_tensor(concentration1, name="concentration1")
            zero: Any = convert_to_tensor(concentration0, name="concentration0")
            base = Uniform(
                zeros([], one.dtype), ones([], one.dtype), allow_nan_stats=allow_nan_stats
            )
            shape = broadcast_dynamic_shape(shape_of(one), shape_of(zero))
            known = constant_value(shape)
            super().__init__(
                distribution=base,
                bijector=ToKumaraswamy(one, zero, validate_args=validate_args),
                batch_shape=shape if known is None else known,
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = given(parameters)

    @property
    def concentration1(self) -> Any:
        """a."""
        return self._bijector.concentration1

    @property
    def concentration0(self) -> Any:
        """b."""
        return self._bijector.concentration0

    def _entropy(self) -> Any:
        # TensorFlow's formula, which is not that of the distribution's entropy.
        a, b = self.concentration1, self.concentration0
        one = ones([], dtype=b.dtype)
        harmonic: Any = digamma(b + one)
        harmonic = harmonic - digamma(one)
        of_b: Any = (1.0 - 1.0 / b) * harmonic + math_unary.log(b)
        return 1.0 - 1.0 / a + of_b + math_unary.log(a)

    def _moment(self, power: float) -> Any:
        wide: Any = ones_like(self.concentration1 + self.concentration0)
        a, b = wide * self.concentration1, wide * self.concentration0
        logs: Any = math_unary.log(b)
        return math_unary.exp(logs + lbeta(array_concat.stack([1.0 + power / a, b], -1)))

    def _mean(self) -> Any:
        return self._moment(1.0)

    def _variance(self) -> Any:
        return self._moment(2.0) - math_unary.square(self._moment(1.0))

    def _mode(self) -> Any:
        a, b = self.concentration1, self.concentration0
        mode = ((a - 1.0) / (a * b - 1.0)) ** (1.0 / a)
        if self.allow_nan_stats:
            nan = fill(self.batch_shape_tensor(), np.array(np.nan, self.dtype.as_numpy_dtype))
            return where_v2((a > 1.0) & (b > 1.0), mode, nan)
        one = ones([], dtype=a.dtype)
        checks = [
            assert_less(one, a, message="Mode undefined for concentration1 <= 1."),
            assert_less(one, b, message="Mode undefined for concentration0 <= 1."),
        ]
        return with_dependencies(checks, mode)

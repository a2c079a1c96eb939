"""Student's t distribution, and the beta distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import dataflow.ops.math.special as special
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_less, assert_positive
from dataflow.library.distributions.base import FULLY_REPARAMETERIZED, new_seed
from dataflow.library.distributions.kullback_leibler import RegisterKL
from dataflow.library.distributions.shapes import Broadcast, check_same_type, positive
from dataflow.library.distributions.undefined import nan_or_checked
from dataflow.ops.array.fill import ones, ones_like
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.compare import logical_and
from dataflow.ops.math.power import xlog1py, xlogy
from dataflow.ops.random.gamma import random_gamma
from dataflow.ops.random.stateful import random_normal
from dataflow.values import dtypes


class StudentT(Broadcast):
    """Student's t distribution: `df` degrees of freedom, moved by `loc`, stretched by `scale`."""

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        """Takes the parameters, which broadcast; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[df, loc, scale]) as scope:
            self._df = identity(positive(df, "df", validate_args), name="df")
            self._loc = identity(convert_to_tensor(loc, name="loc"), name="loc")
            self._scale = identity(convert_to_tensor(scale, name="scale"), name="scale")
            check_same_type(self._df, self._loc, self._scale)
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._df, self._loc, self._scale],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        shape = convert_to_tensor(sample_shape, dtype=dtypes.int32)
        return {"df": shape, "loc": shape, "scale": shape}

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self._df

    @property
    def loc(self) -> Any:
        """The middle."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The scale."""
        return self._scale

    def _arguments(self) -> tuple[Any, ...]:
        return self._df, self._loc, self._scale

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        normal: Any = random_normal(self._draws(n), dtype=self.dtype, seed=seed)
        df: Any = self.df * ones(self.batch_shape_tensor(), dtype=self.dtype)
        chi: Any = random_gamma(
            [n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=new_seed(seed, "student_t")
        )
        return normal * math_unary.rsqrt(chi / df) * self.scale + self.loc

    def _normalization(self) -> Any:
        return (
            math_unary.log(math_unary.abs(self.scale))
            + 0.5 * math_unary.log(self.df)
            + 0.5 * math.log(math.pi)
            + special.lgamma(0.5 * self.df)
            - special.lgamma(0.5 * (self.df + 1.0))
        )

    def _log_prob(self, x: Any) -> Any:
        y: Any = (x - self.loc) / self.scale
        weight = -0.5 * (self.df + 1.0) * math_unary.log1p(math_unary.square(y) / self.df)
        return weight - self._normalization()

    def _cdf(self, x: Any) -> Any:
        y: Any = (x - self.loc) / math_unary.abs(self.scale)
        part: Any = self.df / (math_unary.square(y) + self.df)
        half = np.array(0.5, self.dtype.as_numpy_dtype)
        negative: Any = 0.5 * special.betainc(
            0.5 * self.df * ones_like(part), half * ones_like(part), part
        )
        return where_v2(y < 0.0, negative, 1.0 - negative)

    def _entropy(self) -> Any:
        unit: Any = ones(self.batch_shape_tensor(), dtype=self.dtype)
        v: Any = unit * self.df
        beta = special.lgamma(v / 2.0) + math.lgamma(0.5) - special.lgamma(v / 2.0 + 0.5)
        return (
            math_unary.log(math_unary.abs(self.scale))
            + 0.5 * math_unary.log(v)
            + beta
            + 0.5 * (v + 1.0) * (special.digamma(0.5 * (v + 1.0)) - special.digamma(0.5 * v))
        )

    def _mean(self) -> Any:
        unit: Any = ones(self.batch_shape_tensor(), dtype=self.dtype)
        return nan_or_checked(
            self,
            self.loc * unit,
            self.df > 1.0 * unit,
            (1.0, self.df, "mean not defined for components of df <= 1"),
        )

    def _variance(self) -> Any:
        unit: Any = ones(self.batch_shape_tensor(), dtype=self.dtype)
        safe: Any = where_v2(self.df > 2.0, self.df - 2.0, ones_like(self.df))
        found: Any = unit * math_unary.square(self.scale) * self.df / safe
        infinite = np.array(np.inf, self.dtype.as_numpy_dtype)
        found = where_v2(self.df > 2.0 * unit, found, infinite)
        return nan_or_checked(
            self,
            found,
            self.df > 1.0 * unit,
            (1.0, self.df, "variance not defined for components of df <= 1"),
        )

    def _mode(self) -> Any:
        return identity(self.loc)


class Beta(Broadcast):
    """The beta distribution, with densities x^(concentration1 - 1) (1 - x)^(concentration0 - 1)."""

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        """Takes the parameters, which broadcast; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as scope:
            text = "Concentration parameter must be positive."
            self._concentration1 = positive(
                concentration1, "concentration1", validate_args, message=text
            )
            self._concentration0 = positive(
                concentration0, "concentration0", validate_args, message=text
            )
            check_same_type(self._concentration1, self._concentration0)
            self._total: Any = self._concentration1 + self._concentration0
        super().__init__(
            dtype=self._total.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._concentration1, self._concentration0, self._total],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        shape = convert_to_tensor(sample_shape, dtype=dtypes.int32)
        return {"concentration1": shape, "concentration0": shape}

    @property
    def concentration1(self) -> Any:
        """The parameter of 1."""
        return self._concentration1

    @property
    def concentration0(self) -> Any:
        """The parameter of 0."""
        return self._concentration0

    @property
    def total_concentration(self) -> Any:
        """The sum of both."""
        return self._total

    def _arguments(self) -> tuple[Any, ...]:
        return (self._total,)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        unit: Any = ones_like(self._total)
        first: Any = random_gamma([n], unit * self.concentration1, dtype=self.dtype, seed=seed)
        second: Any = random_gamma(
            [n], unit * self.concentration0, dtype=self.dtype, seed=new_seed(seed, "beta")
        )
        return first / (first + second)

    def _normalization(self) -> Any:
        return (
            special.lgamma(self.concentration1)
            + special.lgamma(self.concentration0)
            - special.lgamma(self._total)
        )

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            checks = [
                assert_positive(x, message="sample must be positive"),
                assert_less(x, ones([], self.dtype), message="sample must be less than `1`."),
            ]
            x = with_dependencies(checks, x)
        weight: Any = xlogy(self.concentration1 - 1.0, x)
        return weight + xlog1py(self.concentration0 - 1.0, -x) - self._normalization()

    def _cdf(self, x: Any) -> Any:
        unit: Any = ones_like(x * self._total)
        return special.betainc(self.concentration1 * unit, self.concentration0 * unit, x * unit)

    def _entropy(self) -> Any:
        a, b, total = self.concentration1, self.concentration0, self._total
        return (
            self._normalization()
            - (a - 1.0) * special.digamma(a)
            - (b - 1.0) * special.digamma(b)
            + (total - 2.0) * special.digamma(total)
        )

    def _mean(self) -> Any:
        return self.concentration1 / self._total

    def _variance(self) -> Any:
        mean: Any = self._mean()
        return mean * (1.0 - mean) / (1.0 + self._total)

    def _mode(self) -> Any:
        return nan_or_checked(
            self,
            (self.concentration1 - 1.0) / (self._total - 2.0),
            logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0),
            (1.0, self.concentration1, "Mode undefined for concentration1 <= 1."),
            (1.0, self.concentration0, "Mode undefined for concentration0 <= 1."),
        )


@RegisterKL(Beta, Beta)
def _kl_beta_beta(d1: Any, d2: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_beta_beta", [d1.total_concentration, d2.total_concentration]):
        found: Any = d2._normalization() - d1._normalization()
        for part, sign in (
            ("concentration1", -1.0),
            ("concentration0", -1.0),
            ("total_concentration", 1.0),
        ):
            a, b = getattr(d1, part), getattr(d2, part)
            found = found + sign * special.digamma(a) * (b - a)
        return found

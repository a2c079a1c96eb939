"""Distributions whose parameters are made positive first: softplus of what is given, mostly."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.checks import given
from dataflow.contrib.distributions.inverse_gamma import InverseGamma
from dataflow.contrib.distributions.vectors.multivariate_normal import MultivariateNormalDiag
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.distributions.exponential import Exponential, Gamma
from dataflow.library.distributions.laplace import Laplace
from dataflow.library.distributions.normal import Normal
from dataflow.library.distributions.shapes import positive
from dataflow.library.distributions.student_t import Beta, StudentT
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.rounding import floor
from dataflow.ops.nn.activation import softplus
from dataflow.values import dtypes


def _whole_size(df: Any) -> Any:
    """The greatest whole number that is not above the absolute value."""
    return floor(math_unary.abs(df, name="abs_df"), name="floor_abs_df")


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers."""

    def __init__(
        self,
        df: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2",
    ) -> None:
        """Takes the degrees of freedom; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[df]) as scope:
            self._df: Any = identity(positive(df, "df", validate_args), name="df")
            super().__init__(
                concentration=0.5 * self._df,
                rate=constant(0.5, dtype=self._df.dtype),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given(parameters)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"df": convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self._df


class Chi2WithAbsDf(Chi2):
    """`Chi2` of the whole part of the absolute value of `df`."""

    def __init__(
        self,
        df: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2WithAbsDf",
    ) -> None:
        """Takes the parameters; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[df]) as scope:
            super().__init__(
                df=_whole_size(df),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given(parameters)


class BetaWithSoftplusConcentration(Beta):
    """`Beta` of the softplus of the concentrations."""

    def __init__(
        self,
        concentration1: Any,
        concentration0: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "BetaWithSoftplusConcentration",
    ) -> None:
        """Takes the parameters; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as scope:
            super().__init__(
                concentration1=softplus(concentration1, name="softplus_concentration1"),
                concentration0=softplus(concentration0, name="softplus_concentration0"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given(parameters)


class ExponentialWithSoftplusRate(Exponential):
    """`Exponential` of the softplus of the rate."""

    def __init__(
        self,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExponentialWithSoftplusRate",
    ) -> None:
        """Takes the parameters; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[rate]) as scope:
            super().__init__(
                rate=softplus(rate, name="softplus_rate"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given(parameters)


class GammaWithSoftplusConcentrationRate(Gamma):
    """`Gamma` of the softplus of both parameters."""

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "GammaWithSoftplusConcentrationRate",
    ) -> None:
        """Takes the parameters; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[concentration, rate]) as scope:
            super().__init__(
                concentration=softplus(concentration, name="softplus_concentration"),
                rate=softplus(rate, name="softplus_rate"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given(parameters)


class InverseGammaWithSoftplusConcentrationRate(InverseGamma):
    """`InverseGamma` of the softplus of both parameters."""

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGammaWithSoftplusConcentrationRate",
    ) -> None:
        """Takes the parameters; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[concentration, rate]) as scope:
            super().__init__(
                concentration=softplus(concentration, name="softplus_concentration"),
                rate=softplus(rate, name="softplus_rate"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given(parameters)


class LaplaceWithSoftplusScale(Laplace):
    """`Laplace` of the softplus of the scale."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "LaplaceWithSoftplusScale",
    ) -> None:
        """Takes the parameters; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as scope:
            super().__init__(
                loc=loc,
                scale=softplus(scale, name="softplus_scale"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given(parameters)


class NormalWithSoftplusScale(Normal):
    """`Normal` of the softplus of the scale."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NormalWithSoftplusScale",
    ) -> None:
        """Takes the parameters; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as scope:
            super().__init__(
                loc=loc,
                scale=softplus(scale, name="softplus_scale"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given(parameters)


class StudentTWithAbsDfSoftplusScale(StudentT):
    """`StudentT` of a whole positive `df` and of the softplus of the scale."""

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentTWithAbsDfSoftplusScale",
    ) -> None:
        """Takes the parameters; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[df, loc, scale]) as scope:
            super().__init__(
                df=_whole_size(df),
                loc=loc,
                scale=softplus(scale, name="softplus_scale"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given(parameters)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """`MultivariateNormalDiag` of the softplus of the deviations."""

    def __init__(
        self,
        loc: Any,
        scale_diag: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        """Takes the parameters; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale_diag]) as scope:
            super().__init__(
                loc=loc,
                scale_diag=softplus(scale_diag),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given(parameters)

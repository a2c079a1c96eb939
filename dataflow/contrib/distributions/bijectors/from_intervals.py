"""Bijectors of numbers to and from the interval of 0 and 1, and one that bends their scale."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.base import Bijector
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_less_equal, assert_non_negative
from dataflow.library.distributions.shapes import check_same_type, positive
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.math.trig import asinh, cosh, sinh


def _in_unit_interval(y: Any, validate_args: bool, low: str, high: str) -> Any:
    """The value, which the step finds to lie from 0 to 1 if that is asked for."""
    if not validate_args:
        return y
    one = constant(1.0, dtype=y.dtype)
    checks = [assert_non_negative(y, message=low), assert_less_equal(y, one, message=high)]
    return with_dependencies(checks, y)


class _ToUnitInterval(Bijector):
    """Of all real numbers, or of those above 0, to the numbers between 0 and 1."""

    def _checked_y(self, y: Any) -> Any:
        return _in_unit_interval(
            y,
            self.validate_args,
            "Inverse transformation input must be greater than 0.",
            "Inverse transformation input must be less than or equal to 1.",
        )


class Gumbel(_ToUnitInterval):
    """`exp(-exp(-(x - loc) / scale))`, the distribution function of Gumbel's distribution."""

    def __init__(
        self, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool = False, name: str = "gumbel"
    ) -> None:
        """Takes both, of one type; the scale is positive.

        Raises:
          ValueError: They are of two types.
        """
        with name_scope(name), name_scope("init", values=[loc, scale]):
            self._loc: Any = convert_to_tensor(loc, name="loc")
            self._scale: Any = positive(
                scale, "scale", validate_args, message="Argument scale was not positive"
            )
            check_same_type(self._loc, self._scale)
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def loc(self) -> Any:
        """Where it is exp(-1)."""
        return self._loc

    @property
    def scale(self) -> Any:
        """How wide it is."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        inner: Any = math_unary.exp(-(x - self._loc) / self._scale)
        return math_unary.exp(-inner)

    def _inverse(self, y: Any) -> Any:
        inner: Any = math_unary.log(self._checked_y(y))
        return self._loc - self._scale * math_unary.log(-inner)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        y = self._checked_y(y)
        logs: Any = math_unary.log(y)
        return math_unary.log(self._scale / (-logs * y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        z = (x - self._loc) / self._scale
        return -z - math_unary.exp(-z) - math_unary.log(self._scale)


class Weibull(_ToUnitInterval):
    """`1 - exp(-(x / scale)^concentration)`, the distribution function of Weibull's."""

    def __init__(
        self,
        scale: Any = 1.0,
        concentration: Any = 1.0,
        validate_args: bool = False,
        name: str = "weibull",
    ) -> None:
        """Takes both, positive and of one type.

        Raises:
          ValueError: They are of two types.
        """
        with name_scope(name), name_scope("init", values=[scale, concentration]):
            self._scale: Any = positive(
                scale, "scale", validate_args, message="Argument scale was not positive"
            )
            self._concentration: Any = positive(
                concentration,
                "concentration",
                validate_args,
                message="Argument concentration was not positive",
            )
            check_same_type(self._scale, self._concentration)
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def scale(self) -> Any:
        """How wide it is."""
        return self._scale

    @property
    def concentration(self) -> Any:
        """The power."""
        return self._concentration

    def _checked_x(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        text = "Forward transformation input must be at least 0."
        return with_dependencies([assert_non_negative(x, message=text)], x)

    def _forward(self, x: Any) -> Any:
        return -math_unary.expm1(-((self._checked_x(x) / self._scale) ** self._concentration))

    def _inverse(self, y: Any) -> Any:
        inner: Any = -math_unary.log1p(-self._checked_y(y))
        return self._scale * inner ** (1.0 / self._concentration)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        inner: Any = -math_unary.log1p(-self._checked_y(y))
        power = 1.0 / self._concentration - 1.0
        return (
            inner
            + power * math_unary.log(inner)
            + math_unary.log(self._scale / self._concentration)
        )

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        x = self._checked_x(x)
        shape, scale = self._concentration, self._scale
        logs: Any = math_unary.log(x)
        return (
            -((x / scale) ** shape)
            + (shape - 1.0) * logs
            + math_unary.log(shape)
            - shape * math_unary.log(scale)
        )


class Kumaraswamy(Bijector):
    """`(1 - (1 - x)^(1 / concentration0))^(1 / concentration1)` of numbers between 0 and 1."""

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        name: str = "kumaraswamy",
    ) -> None:
        """Takes both, which are positive."""
        text = "Concentration parameter must be positive."
        with name_scope(name), name_scope("init", values=[concentration1, concentration0]):
            self._one: Any = positive(concentration1, "concentration1", validate_args, None, text)
            self._zero: Any = positive(concentration0, "concentration0", validate_args, None, text)
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def concentration1(self) -> Any:
        """The power near 0 of the density of uniform numbers that it is given."""
        return self._one

    @property
    def concentration0(self) -> Any:
        """The power near 1."""
        return self._zero

    def _checked(self, value: Any) -> Any:
        return _in_unit_interval(
            value,
            self.validate_args,
            "sample must be non-negative",
            "sample must be no larger than `1`.",
        )

    def _forward(self, x: Any) -> Any:
        left: Any = math_unary.log1p(-self._checked(x))
        taken: Any = math_unary.exp(left / self._zero)
        kept: Any = math_unary.log1p(-taken)
        return math_unary.exp(kept / self._one)

    def _inverse(self, y: Any) -> Any:
        taken = (1.0 - self._checked(y) ** self._one) ** self._zero
        return math_unary.exp(math_unary.log1p(-taken))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        y = self._checked(y)
        logs: Any = math_unary.log(self._one)
        return (
            logs
            + math_unary.log(self._zero)
            + (self._one - 1.0) * math_unary.log(y)
            + (self._zero - 1.0) * math_unary.log1p(-(y**self._one))
        )


class SinhArcsinh(Bijector):
    """`sinh((asinh(x) + skewness) tailweight)` (Jones and Pewsey, 2009)."""

    def __init__(
        self,
        skewness: Any = None,
        tailweight: Any = None,
        validate_args: bool = False,
        name: str = "SinhArcsinh",
    ) -> None:
        """Takes both, of which None is 0 and 1; the tail weight is positive."""
        with name_scope(name), name_scope("init", values=[skewness, tailweight]):
            self._skewness: Any = convert_to_tensor(
                0.0 if skewness is None else skewness, name="skewness"
            )
            self._tailweight: Any = positive(
                1.0 if tailweight is None else tailweight,
                "tailweight",
                validate_args,
                self._skewness.dtype,
                "Argument tailweight was not positive",
            )
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def skewness(self) -> Any:
        """Leans to the right if it is positive."""
        return self._skewness

    @property
    def tailweight(self) -> Any:
        """Makes tails heavier if it is above 1."""
        return self._tailweight

    def _forward(self, x: Any) -> Any:
        return sinh((asinh(x) + self._skewness) * self._tailweight)

    def _inverse(self, y: Any) -> Any:
        return sinh(asinh(y) / self._tailweight - self._skewness)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        slope: Any = cosh(asinh(y) / self._tailweight - self._skewness)
        logs: Any = math_unary.log(slope / _root_of_square_and_1(y))
        return logs - math_unary.log(self._tailweight)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        slope: Any = cosh((asinh(x) + self._skewness) * self._tailweight)
        logs: Any = math_unary.log(slope / _root_of_square_and_1(x))
        return logs + math_unary.log(self._tailweight)


def _root_of_square_and_1(x: Any) -> Any:
    """`sqrt(x^2 + 1)`, where the square of what is large is not taken."""
    size: Any = math_unary.abs(x)
    small = size * np.sqrt(np.finfo(x.dtype.as_numpy_dtype).eps) <= 1.0
    return where_v2(small, math_unary.sqrt(x**2.0 + 1.0), size)

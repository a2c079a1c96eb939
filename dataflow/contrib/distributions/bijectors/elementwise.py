"""Bijectors of single numbers."""

from __future__ import annotations

import math
from typing import Any

import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.base import Bijector
from dataflow.contrib.distributions.triangular import softplus_inverse
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import (
    assert_greater,
    assert_less,
    assert_non_negative,
    assert_none_equal,
    assert_positive,
)
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.activation import softplus


class AbsoluteValue(Bijector):
    """The absolute value, whose inverse is two numbers."""

    def __init__(self, validate_args: bool = False, name: str = "absolute_value") -> None:
        """Takes no parameters."""
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    @property
    def _is_injective(self) -> bool:
        return False

    def _checked(self, y: Any, value: Any) -> Any:
        if not self.validate_args:
            return value
        return with_dependencies([assert_non_negative(y, message="Argument y was negative")], value)

    def _forward(self, x: Any) -> Any:
        return math_unary.abs(x)

    def _inverse(self, y: Any) -> Any:
        y = self._checked(y, y)
        return -y, y

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        zero = self._checked(y, constant(0.0, dtype=y.dtype))
        return zero, zero


class AffineScalar(Bijector):
    """`shift + scale x`."""

    def __init__(
        self,
        shift: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        name: str = "affine_scalar",
    ) -> None:
        """Takes both, of which None is 0 and 1."""
        with name_scope(name), name_scope("init", values=[scale, shift]):
            self._shift: Any = None if shift is None else convert_to_tensor(shift, name="shift")
            self._scale: Any = None if scale is None else convert_to_tensor(scale, name="scale")
            if validate_args and scale is not None:
                check = assert_none_equal(self._scale, zeros_like(self._scale))
                self._scale = with_dependencies([check], self._scale)
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    @property
    def shift(self) -> Any:
        """What is added, or None."""
        return self._shift

    @property
    def scale(self) -> Any:
        """What is multiplied by, or None."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        scaled = x if self._scale is None else x * self._scale
        return scaled if self._shift is None else scaled + self._shift

    def _inverse(self, y: Any) -> Any:
        moved = y if self._shift is None else y - self._shift
        return moved if self._scale is None else moved / self._scale

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._scale is None:
            return constant(0.0, dtype=x.dtype)
        return math_unary.log(math_unary.abs(self._scale))


class PowerTransform(Bijector):
    """`(1 + power x)^(1 / power)`, and exp for a power of 0."""

    def __init__(
        self, power: Any = 0.0, validate_args: bool = False, name: str = "power_transform"
    ) -> None:
        """Takes the power, a constant.

        Raises:
          ValueError: It is negative, or no constant.
        """
        with name_scope(name), name_scope("init", values=[power]):
            known = constant_value(convert_to_tensor(power, name="power"))
        if known is None or known < 0:
            raise ValueError("`power` must be a non-negative TF constant.")
        self._power: Any = known
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def power(self) -> Any:
        """The power."""
        return self._power

    def _checked_x(self, x: Any) -> Any:
        if not self.validate_args or self._power == 0.0:
            return x
        text = f"Forward transformation input must be at least {-1.0 / self._power}."
        return with_dependencies([assert_non_negative(1.0 + self._power * x, message=text)], x)

    def _checked_y(self, y: Any) -> Any:
        if not self.validate_args:
            return y
        text = "Inverse transformation input must be greater than 0."
        return with_dependencies([assert_positive(y, message=text)], y)

    def _forward(self, x: Any) -> Any:
        x = self._checked_x(x)
        if self._power == 0.0:
            return math_unary.exp(x)
        grown: Any = math_unary.log1p(x * self._power)
        return math_unary.exp(grown / self._power)

    def _inverse(self, y: Any) -> Any:
        logs: Any = math_unary.log(self._checked_y(y))
        if self._power == 0.0:
            return logs
        grown: Any = math_unary.expm1(logs * self._power)
        return grown / self._power

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return (self._power - 1.0) * math_unary.log(self._checked_y(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        x = self._checked_x(x)
        if self._power == 0.0:
            return x
        return (1.0 / self._power - 1.0) * math_unary.log1p(x * self._power)


class Exp(PowerTransform):
    """exp."""

    def __init__(self, validate_args: bool = False, name: str = "exp") -> None:
        """Takes no parameters."""
        super().__init__(validate_args=validate_args, name=name)


class Sigmoid(Bijector):
    """`1 / (1 + exp(-x))`."""

    def __init__(self, validate_args: bool = False, name: str = "sigmoid") -> None:
        """Takes no parameters."""
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        logs: Any = math_unary.log(y)
        return logs - math_unary.log1p(-y)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        logs: Any = -math_unary.log(y)
        return logs - math_unary.log1p(-y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -softplus(-x) - softplus(x)


class Softplus(Bijector):
    """`log(1 + exp(x))`, or that of `x / hinge_softness`, multiplied by the softness."""

    def __init__(
        self,
        hinge_softness: Any = None,
        validate_args: bool = False,
        name: str = "softplus",
    ) -> None:
        """Takes the softness, which is not 0, or None: 1."""
        self._softness: Any = None
        if hinge_softness is not None:
            with name_scope(name, values=[hinge_softness]):
                softness: Any = convert_to_tensor(hinge_softness, name="hinge_softness")
                if validate_args:
                    text = "hinge_softness must be non-zero"
                    check = assert_none_equal(zeros_like(softness), softness, message=text)
                    softness = with_dependencies([check], softness)
                self._softness = softness
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def hinge_softness(self) -> Any:
        """The softness, or None."""
        return self._softness

    def _scale(self, value: Any) -> Any:
        return 1.0 if self._softness is None else cast(self._softness, value.dtype)

    def _forward(self, x: Any) -> Any:
        scale = self._scale(x)
        return scale * softplus(x / scale)

    def _inverse(self, y: Any) -> Any:
        scale = self._scale(y)
        return scale * softplus_inverse(y / scale)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -math_unary.log(-math_unary.expm1(-y / self._scale(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -softplus(-x / self._scale(x))


class Softsign(Bijector):
    """`x / (1 + |x|)`."""

    def __init__(self, validate_args: bool = False, name: str = "softsign") -> None:
        """Takes no parameters."""
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _checked(self, y: Any) -> Any:
        if not self.validate_args:
            return y
        low = "Inverse transformation input must be greater than -1."
        high = "Inverse transformation input must be less than 1."
        one = constant(1.0, dtype=y.dtype)
        checks = [assert_greater(y, -one, message=low), assert_less(y, one, message=high)]
        return with_dependencies(checks, y)

    def _forward(self, x: Any) -> Any:
        return x / (1.0 + math_unary.abs(x))

    def _inverse(self, y: Any) -> Any:
        y = self._checked(y)
        return y / (1.0 - math_unary.abs(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -2.0 * math_unary.log1p(math_unary.abs(x))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -2.0 * math_unary.log1p(-math_unary.abs(self._checked(y)))


class Square(Bijector):
    """The square of numbers that are not negative."""

    def __init__(self, validate_args: bool = False, name: str = "square") -> None:
        """Takes no parameters."""
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _checked(self, value: Any) -> Any:
        if not self.validate_args:
            return value
        text = "All elements must be non-negative."
        return with_dependencies([assert_non_negative(value, message=text)], value)

    def _forward(self, x: Any) -> Any:
        return math_unary.square(self._checked(x))

    def _inverse(self, y: Any) -> Any:
        return math_unary.sqrt(self._checked(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return math.log(2.0) + math_unary.log(self._checked(x))

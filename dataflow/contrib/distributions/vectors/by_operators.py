"""Vectors of independent numbers that a linear operator mixes, and a place that is added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.linear_operators import AffineLinearOperator
from dataflow.contrib.distributions.checks import given
from dataflow.contrib.distributions.transformed import TransformedDistribution
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_none_equal, assert_positive
from dataflow.library.distributions.base import Distribution
from dataflow.library.distributions.exponential import Exponential
from dataflow.library.distributions.laplace import Laplace
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.diagonal import DiagonalOperator, LinearOperatorDiag
from dataflow.library.linear_operators.identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from dataflow.ops.array.broadcast import broadcast_dynamic_shape
from dataflow.ops.array.fill import ones, zeros
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.linalg.diag import matrix_diag, matrix_diag_part
from dataflow.values.shapes import dimension_value


def diag_scale(
    loc: Any,
    scale_diag: Any,
    scale_identity_multiplier: Any,
    validate_args: bool = False,
    is_positive: bool = False,
) -> LinearOperator:
    """The operator of a diagonal, and of a number that is added to it.

    Args:
      loc: Tells the size, if there is no diagonal.
      scale_diag: The diagonal, `[..., n]`, or None.
      scale_identity_multiplier: The number, `[...]`, or None.
      validate_args: Whether the step finds the diagonal to have no zeros.
      is_positive: Whether it has to be positive.

    Raises:
      ValueError: Nothing tells the size.
    """

    def checked(x: Any) -> Any:
        if not validate_args:
            return x
        if is_positive:
            check = assert_positive(x, message="diagonal part must be positive")
        else:
            zero = zeros([], x.dtype)
            check = assert_none_equal(x, zero, message="diagonal part must be non-zero")
        return with_dependencies([check], x)

    values = [loc, scale_diag, scale_identity_multiplier]
    with name_scope(None, "make_diag_scale", values=values):
        place: Any = None
        diagonal: Any = None
        number: Any = None
        kind: Any = None
        if loc is not None:
            place = convert_to_tensor(loc, name="loc")
            kind = place.dtype
        if scale_diag is not None:
            diagonal = convert_to_tensor(scale_diag, name="scale_diag", preferred_dtype=kind)
            kind = diagonal.dtype
        if scale_identity_multiplier is not None:
            number = convert_to_tensor(
                scale_identity_multiplier, name="scale_identity_multiplier", preferred_dtype=kind
            )
        hints: dict[str, Any] = {"is_non_singular": True, "is_self_adjoint": True}
        if diagonal is not None:
            if number is not None:
                diagonal = diagonal + number[..., None]
            return LinearOperatorDiag(
                checked(diagonal), is_positive_definite=is_positive or None, **hints
            )
        if place is None:
            raise ValueError(
                "Cannot infer `event_shape` unless `loc` or `shape_hint` is specified."
            )
        sizes: Any = array_shape.shape(place)
        known = dimension_value(place.shape[-1])
        rows = sizes[-1] if known is None else known
        if number is None:
            return LinearOperatorIdentity(
                rows,
                dtype=place.dtype.base_dtype,
                is_self_adjoint=True,
                is_positive_definite=True,
                assert_proper_shapes=validate_args,
            )
        return LinearOperatorScaledIdentity(
            rows,
            checked(number),
            is_positive_definite=is_positive or None,
            assert_proper_shapes=validate_args,
            **hints,
        )


def shapes_of(loc: Any, scale: LinearOperator) -> tuple[Any, Any]:
    """The batch shape and the event shape of what an operator mixes and a place is added to.

    Raises:
      ValueError: The place is of another size than the operator.
    """
    size = dimension_value(scale.range_dimension)
    own = None if loc is None else dimension_value(loc.shape[-1])
    if None not in (size, own) and own not in (1, size):
        raise ValueError(
            f"Event size of 'scale' ({size}) could not be broadcast up to that of 'loc' ({own})."
        )
    event = [scale.range_dimension_tensor() if size is None else size]
    batch: Any = scale.batch_shape_tensor()
    if loc is not None:
        sizes: Any = array_shape.shape(loc)
        batch = broadcast_dynamic_shape(batch, sizes[:-1])
    known = constant_value(batch)
    return batch if known is None else known, event


class ByLinearOperator(TransformedDistribution):
    """`loc + scale z`, where `z` holds independent numbers of one distribution."""

    _spread: ClassVar[float] = 1.0
    """The variance of the numbers."""

    def _begin(
        self,
        base: Distribution,
        loc: Any,
        scale: Any,
        validate_args: bool,
        parameters: Mapping[str, Any],
        name: str,
    ) -> None:
        if not scale.dtype.is_floating:
            raise TypeError("`scale` parameter must have floating-point dtype.")
        loc = None if loc is None else convert_to_tensor(loc, name="loc")
        batch_shape, event_shape = shapes_of(loc, scale)
        TransformedDistribution.__init__(
            self,
            distribution=base,
            bijector=AffineLinearOperator(loc, scale, validate_args=validate_args),
            batch_shape=batch_shape,
            event_shape=event_shape,
            validate_args=validate_args,
            name=name,
        )
        self._parameters = given(parameters)

    @property
    def loc(self) -> Any:
        """What is added, or None."""
        return self._bijector.shift

    @property
    def scale(self) -> Any:
        """The linear operator."""
        return self._bijector.scale

    def _of_all(self, value: Any) -> Any:
        """The value, or None for 0, for each of the batch."""
        shape: Any = self.batch_shape.concatenate(self.event_shape)
        if not shape.is_fully_defined():
            shape = array_concat.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        wide = zeros(shape, self.dtype)
        return wide if value is None else value + wide

    def _mean(self) -> Any:
        return self._of_all(self.loc)

    def _mode(self) -> Any:
        return self._of_all(self.loc)

    def _squared_diagonal(self) -> Any:
        return math_unary.square(self.scale.diag_part())

    def _covariance(self) -> Any:
        if isinstance(self.scale, DiagonalOperator):
            return self._spread * matrix_diag(self._squared_diagonal())
        return self._spread * self.scale.matmul(self.scale.to_dense(), adjoint_arg=True)

    def _variance(self) -> Any:
        if isinstance(self.scale, DiagonalOperator):
            return self._spread * self._squared_diagonal()
        return matrix_diag_part(self._covariance())

    def _stddev(self) -> Any:
        return math_unary.sqrt(self._variance())


class VectorLaplaceLinearOperator(ByLinearOperator):
    """Vectors of numbers of Laplace's distribution that a linear operator mixes."""

    _spread = 2.0

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceLinearOperator",
    ) -> None:
        """Takes the place, 0 if None, and the scale, a linear operator.

        Raises:
          ValueError: There is no scale, or they are of two sizes.
          TypeError: It is not of floats.
        """
        parameters = dict(locals())
        if scale is None:
            raise ValueError("Missing required `scale` parameter.")
        with name_scope(name, values=[loc, *scale.graph_parents]) as scope:
            base = Laplace(zeros([], scale.dtype), ones([], scale.dtype))
            self._begin(base, loc, scale, validate_args, parameters, scope)


class VectorLaplaceDiag(VectorLaplaceLinearOperator):
    """Vectors of independent numbers of Laplace's distribution."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceDiag",
    ) -> None:
        """Takes the place, 0 if None, and the scales: those of elements, `[..., n]`, and one that
        is added to all. Without either they are 1.

        Raises:
          ValueError: Neither a place nor scales are given, or they are of two sizes.
        """
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as scope:
            scale = diag_scale(loc, scale_diag, scale_identity_multiplier)
            base = Laplace(zeros([], scale.dtype), ones([], scale.dtype))
            self._begin(base, loc, scale, validate_args, parameters, scope)


class VectorExponentialLinearOperator(ByLinearOperator):
    """Vectors of exponentially distributed numbers that a linear operator mixes."""

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialLinearOperator",
    ) -> None:
        """Takes where the densities begin, 0 if None, and the scale, a linear operator.

        Raises:
          ValueError: There is no scale, or they are of two sizes.
          TypeError: It is not of floats.
        """
        parameters = dict(locals())
        if scale is None:
            raise ValueError("Missing required `scale` parameter.")
        with name_scope(name, values=[loc, *scale.graph_parents]) as scope:
            base = Exponential(ones([], scale.dtype), allow_nan_stats=allow_nan_stats)
            self._begin(base, loc, scale, validate_args, parameters, scope)

    def _mean(self) -> Any:
        return self._of_all(self.loc) + self.scale.matvec(self._of_all(None) + 1.0)


class VectorExponentialDiag(VectorExponentialLinearOperator):
    """Vectors of independent numbers of exponential distributions."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialDiag",
    ) -> None:
        """Takes where the densities begin, 0 if None, and the scales: those of elements,
        `[..., n]`, and one that is added to all. Without either they are 1.

        Raises:
          ValueError: Neither a place nor scales are given, or they are of two sizes.
        """
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as scope:
            scale = diag_scale(loc, scale_diag, scale_identity_multiplier)
            base = Exponential(ones([], scale.dtype), allow_nan_stats=allow_nan_stats)
            self._begin(base, loc, scale, validate_args, parameters, scope)

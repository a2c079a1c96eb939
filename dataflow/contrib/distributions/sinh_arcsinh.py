"""Distributions that are bent: with more skewness or heavier tails than a given one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.distributions.bijectors.affine import Affine
from dataflow.contrib.distributions.bijectors.composed import Chain
from dataflow.contrib.distributions.bijectors.elementwise import AffineScalar
from dataflow.contrib.distributions.bijectors.from_intervals import SinhArcsinh as Bend
from dataflow.contrib.distributions.checks import given
from dataflow.contrib.distributions.transformed import TransformedDistribution
from dataflow.contrib.distributions.vectors.by_operators import diag_scale, shapes_of
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_equal
from dataflow.library.distributions.base import FULLY_REPARAMETERIZED, Distribution
from dataflow.library.distributions.normal import Normal
from dataflow.ops.array.broadcast import broadcast_dynamic_shape
from dataflow.ops.array.fill import ones, zeros
from dataflow.ops.basic.grouping import with_dependencies


class _Bent(TransformedDistribution):
    """`loc + scale 2 f(z) / f_0(2)`, where f bends and f_0 leaves the skewness out."""

    _loc: Any
    _scale: Any

    def _bends(self, skewness: Any, tailweight: Any, dtype: Any) -> tuple[Bend, Any]:
        """The bijector, and what it makes of 2 without the skewness."""
        self._tailweight: Any = convert_to_tensor(
            1.0 if tailweight is None else tailweight, dtype=dtype, name="tailweight"
        )
        self._skewness: Any = convert_to_tensor(
            0.0 if skewness is None else skewness, dtype=dtype, name="skewness"
        )
        bend = Bend(self._skewness, self._tailweight)
        straight = bend
        if skewness is not None:
            straight = Bend(convert_to_tensor(0.0, dtype=dtype), self._tailweight)
        return bend, straight.forward(convert_to_tensor(2.0, dtype=dtype))

    @property
    def loc(self) -> Any:
        """What is added."""
        return self._loc

    @property
    def scale(self) -> Any:
        """What is multiplied by: numbers, or a linear operator of vectors."""
        return self._scale

    @property
    def tailweight(self) -> Any:
        """Makes tails heavier if it is above 1."""
        return self._tailweight

    @property
    def skewness(self) -> Any:
        """Leans to the right if it is positive."""
        return self._skewness


class SinhArcsinh(_Bent):
    """Numbers whose distribution is bent (Jones and Pewsey, 2009)."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        skewness: Any = None,
        tailweight: Any = None,
        distribution: Distribution | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "SinhArcsinh",
    ) -> None:
        """Makes one.

        Args:
          loc: What is added.
          scale: What is multiplied by.
          skewness: Leans to the right if it is positive; 0 if None.
          tailweight: Makes tails heavier if it is above 1, which it is if None.
          distribution: What is bent, of single numbers; the standard normal one if None.
          validate_args: Whether parameters are checked in the step.
          allow_nan_stats: See `Distribution`.
          name: Name of the scope of the operations.

        Raises:
          TypeError: The distribution is of another type than `loc`.
          ValueError: It is not of single numbers.
        """
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale, skewness, tailweight]) as scope:
            place: Any = convert_to_tensor(loc, name="loc")
            width: Any = convert_to_tensor(scale, dtype=place.dtype, name="scale")
            base = distribution or _standard(place.dtype, allow_nan_stats)
            place = _with_checks(place, base, place.dtype, validate_args)
            bend, of_two = self._bends(skewness, tailweight, place.dtype)
            moved = AffineScalar(place, 2.0 * width / of_two, validate_args=validate_args)
            shape: Any = array_shape.shape(place)
            for each in (width, self._tailweight, self._skewness):
                shape = broadcast_dynamic_shape(shape, array_shape.shape(each))
            known = constant_value(shape)
            super().__init__(
                distribution=base,
                bijector=Chain([moved, bend]),
                batch_shape=shape if known is None else known,
                validate_args=validate_args,
                name=scope,
            )
        self._loc, self._scale = place, width
        self._parameters = given(parameters)


class VectorSinhArcsinhDiag(_Bent):
    """Vectors of independent numbers whose distributions are bent."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        skewness: Any = None,
        tailweight: Any = None,
        distribution: Distribution | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        """Makes one.

        Args:
          loc: What is added, `[..., n]`; 0 if None.
          scale_diag: What is multiplied by, `[..., n]`.
          scale_identity_multiplier: What is added to it, `[...]`.
          skewness: See `SinhArcsinh`, as for all that follow.
          tailweight: See there.
          distribution: See there.
          validate_args: See there.
          allow_nan_stats: See there.
          name: See there.

        Raises:
          TypeError: The distribution is of another type than `loc`.
          ValueError: It is not of single numbers, or there is neither a place nor a scale.
        """
        parameters = dict(locals())
        values = [loc, scale_diag, scale_identity_multiplier, skewness, tailweight]
        with name_scope(name, values=values) as scope:
            place: Any = None if loc is None else convert_to_tensor(loc, name="loc")
            width: Any = diag_scale(place, scale_diag, scale_identity_multiplier)
            batch_shape, event_shape = shapes_of(place, width)
            diagonal: Any = width.diag_part()
            base = distribution or _standard(diagonal.dtype, allow_nan_stats)
            diagonal = _with_checks(diagonal, base, diagonal.dtype, validate_args)
            bend, of_two = self._bends(skewness, tailweight, diagonal.dtype)
            moved = Affine(place, scale_diag=2.0 * diagonal / of_two, validate_args=validate_args)
            super().__init__(
                distribution=base,
                bijector=Chain([moved, bend]),
                batch_shape=batch_shape,
                event_shape=event_shape,
                validate_args=validate_args,
                name=scope,
            )
        self._loc, self._scale = place, width
        self._parameters = given(parameters)


def _standard(dtype: Any, allow_nan_stats: bool) -> Distribution:
    return Normal(zeros([], dtype), ones([], dtype), allow_nan_stats=allow_nan_stats)


def _with_checks(value: Any, base: Distribution, dtype: Any, validate_args: bool) -> Any:
    """The value, which the step finds to go with a distribution of single numbers.

    Raises:
      TypeError: The distribution is of another type.
      ValueError: It is not of single numbers, or its samples have no gradients.
    """
    if base.dtype != dtype:
        raise TypeError(
            f'dtype mismatch; distribution.dtype="{base.dtype.name}" is not "{dtype.name}"'
        )
    if validate_args and base.reparameterization_type != FULLY_REPARAMETERIZED:
        raise ValueError(
            "Base distribution should be reparameterized or be a function of non-trainable "
            "variables; distribution.reparameterization_type = "
            f'"{base.reparameterization_type}" != "FULLY_REPARAMETERIZED".'
        )
    checks: list[Any] = []
    told: Sequence[tuple[Any, str]] = (
        (base.is_scalar_event(), "is_scalar_event"),
        (base.is_scalar_batch(), "is_scalar_batch"),
    )
    for is_scalar, what in told:
        known = constant_value(is_scalar)
        text = f"distribution must be scalar; distribution.{what}=False is not True"
        if known is not None and not known:
            raise ValueError(text)
        if known is None and validate_args:
            checks.append(assert_equal(is_scalar, True, message=text))
    return with_dependencies(checks, value) if checks else value

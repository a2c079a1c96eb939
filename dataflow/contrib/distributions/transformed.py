"""TransformedDistribution: what a bijector makes of what another distribution draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.base import Identity
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.distributions.base import Distribution
from dataflow.ops.array.broadcast import broadcast_to
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_
from dataflow.ops.reductions.reduce import reduce_prod, reduce_sum
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

Given = Mapping[str, Any] | None
"""Conditions for a bijector or a distribution, by name."""


def _override(shape: Any, base: TensorShape, name: str) -> Any:
    """The shape that stands in for the base distribution's, or None.

    Raises:
      ValueError: It is no vector of positive sizes, or the base distribution has one already.
    """
    if shape is None:
        return None
    sizes: Any = convert_to_tensor(shape, dtype=dtypes.int32, name=name)
    if sizes.shape.rank != 1 or sizes.shape[0].value is None:
        raise ValueError("shape override must be a vector")
    if sizes.shape[0].value == 0:
        return None
    known = constant_value(sizes)
    if known is not None and (known <= 0).any():
        raise ValueError("shape override must have positive elements")
    if base.rank != 0:
        raise ValueError("base distribution not scalar")
    return sizes


class TransformedDistribution(Distribution):
    """What a bijector makes of what another distribution draws."""

    def __init__(
        self,
        distribution: Distribution,
        bijector: Any = None,
        batch_shape: Any = None,
        event_shape: Any = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        """Takes the other distribution and the bijector, or None: the identity.

        Args:
          distribution: The base distribution.
          bijector: What its events are given to.
          batch_shape: A batch shape, if the base distribution's is [].
          event_shape: An event shape, if the base distribution's is []: so many are drawn.
          validate_args: Whether values are checked in the step.
          name: Name of the scope of the operations.

        Raises:
          ValueError: A shape is given, and the base distribution has one.
        """
        parameters = dict(locals())
        self._distribution = distribution
        self._bijector: Any = Identity(validate_args) if bijector is None else bijector
        default = ("" if bijector is None else bijector.name) + distribution.name
        with name_scope(name or default, values=[event_shape, batch_shape]) as scope:
            self._batch_override = _override(batch_shape, distribution.batch_shape, "batch_shape")
            self._event_override = _override(event_shape, distribution.event_shape, "event_shape")
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            graph_parents=[*distribution._graph_parents, *self._bijector.graph_parents],
            name=scope,
        )

    @property
    def distribution(self) -> Distribution:
        """The base distribution."""
        return self._distribution

    @property
    def bijector(self) -> Any:
        """The bijector."""
        return self._bijector

    def _event_shape_tensor(self) -> Any:
        own = self._event_override
        base = self._distribution.event_shape_tensor() if own is None else own
        return self._bijector.forward_event_shape_tensor(base)

    def _event_shape(self) -> Any:
        own = self._event_override
        base = self._distribution.event_shape if own is None else _static(own)
        return self._bijector.forward_event_shape(base)

    def _batch_shape_tensor(self) -> Any:
        own = self._batch_override
        return self._distribution.batch_shape_tensor() if own is None else own

    def _batch_shape(self) -> Any:
        own = self._batch_override
        return self._distribution.batch_shape if own is None else _static(own)

    @property
    def _axes_of_override(self) -> int:
        return 0 if self._event_override is None else int(self._event_override.shape[0].value)

    @property
    def _rotates(self) -> bool:
        """Whether the axes of events are drawn before those of the base distribution's batch."""
        return (
            self._event_override is not None
            and self._batch_override is None
            and self._distribution.batch_shape.rank != 0
        )

    def _rotated(self, x: Any, by: int) -> Any:
        """The first axes put behind the others; with a negative number, the last before them."""
        rank: Any = array_shape.rank(x)
        cut: Any = by % rank
        return transpose(x, array_concat.concat([range_(cut, rank), range_(0, cut)], 0))

    def _sample_n(
        self,
        n: Any,
        seed: int | None = None,
        bijector_kwargs: Given = None,
        distribution_kwargs: Given = None,
    ) -> Any:
        x = self._base_sample(n, seed, distribution_kwargs)
        return self._bijector.forward(x, **(bijector_kwargs or {}))

    def _base_sample(self, n: Any, seed: int | None, distribution_kwargs: Given) -> Any:
        count = array_shape.reshape(convert_to_tensor(n, dtype=dtypes.int32), [1])
        parts = [each for each in (self._batch_override, self._event_override) if each is not None]
        order = [*parts, count] if self._rotates else [count, *parts]
        given = distribution_kwargs or {}
        x: Any = self._distribution.sample(array_concat.concat(order, 0), seed=seed, **given)
        return self._rotated(x, self._axes_of_override) if self._rotates else x

    def _call_sample_n(  # type: ignore[override]
        self,
        sample_shape: Any,
        seed: int | None,
        name: str,
        bijector_kwargs: Given = None,
        distribution_kwargs: Given = None,
    ) -> Any:
        # The bijector comes last: it knows what its result was made of.
        with self._name_scope(name, [sample_shape]):
            sizes: Any = convert_to_tensor(sample_shape, dtype=dtypes.int32, name="sample_shape")
            if sizes.shape.rank == 0:
                sizes = array_shape.reshape(sizes, [1])
            x: Any = self._base_sample(reduce_prod(sizes), seed, distribution_kwargs)
            whole: Any = array_shape.shape(x)
            x = array_shape.reshape(x, array_concat.concat([sizes, whole[1:]], 0))
            y: Any = self._bijector.forward(x, **(bijector_kwargs or {}))
            known = constant_value(sizes)
            outer = TensorShape(None) if known is None else TensorShape(known.tolist())
            y.set_shape(outer.concatenate(self.batch_shape).concatenate(self.event_shape))
            return y

    def _event_axes(self) -> Any:
        known = self.event_shape.rank
        return array_shape.size(self.event_shape_tensor()) if known is None else known

    def _fiber(self, x: Any, what: str, reduce: Any, given: Given) -> Any:
        """What the base distribution tells of one of the values that are mapped to the same."""
        axes = self._axes_of_override
        if self._rotates:
            found = getattr(self._distribution, what)(self._rotated(x, -axes), **(given or {}))
            return reduce(found, list(range(axes)))
        found = getattr(self._distribution, what)(x, **(given or {}))
        return reduce(found, list(range(-axes, 0))) if axes else found

    def _fibers(self, y: Any, bijector_kwargs: Given) -> list[tuple[Any, Any]]:
        given = bijector_kwargs or {}
        x = self._bijector.inverse(y, **given)
        jacobian = self._bijector.inverse_log_det_jacobian(
            y, event_ndims=self._event_axes(), **given
        )
        if self._bijector._is_injective:
            return [(x, jacobian)]
        return list(zip(x, jacobian, strict=True))

    def _log_prob(
        self, y: Any, bijector_kwargs: Given = None, distribution_kwargs: Given = None
    ) -> Any:
        logs = [
            self._fiber(x, "log_prob", reduce_sum, distribution_kwargs) + cast(jacobian, self.dtype)
            for x, jacobian in self._fibers(y, bijector_kwargs)
        ]
        return logs[0] if len(logs) == 1 else reduce_logsumexp(array_concat.stack(logs), axis=0)

    def _prob(
        self, y: Any, bijector_kwargs: Given = None, distribution_kwargs: Given = None
    ) -> Any:
        each = [
            self._fiber(x, "prob", reduce_prod, distribution_kwargs)
            * math_unary.exp(cast(jacobian, self.dtype))
            for x, jacobian in self._fibers(y, bijector_kwargs)
        ]
        return sum(each[1:], each[0])

    def _needs_plain(self, what: str) -> None:
        if self._event_override is not None:
            raise NotImplementedError(f"{what} is not implemented when overriding event_shape")
        if not self._bijector._is_injective:
            raise NotImplementedError(f"{what} is not implemented when bijector is not injective.")

    def _at_inverse(self, what: str, y: Any, of_bijector: Given, of_base: Given) -> Any:
        self._needs_plain(what)
        x = self._bijector.inverse(y, **(of_bijector or {}))
        return getattr(self._distribution, what)(x, **(of_base or {}))

    def _log_cdf(
        self, y: Any, bijector_kwargs: Given = None, distribution_kwargs: Given = None
    ) -> Any:
        return self._at_inverse("log_cdf", y, bijector_kwargs, distribution_kwargs)

    def _cdf(self, y: Any, bijector_kwargs: Given = None, distribution_kwargs: Given = None) -> Any:
        return self._at_inverse("cdf", y, bijector_kwargs, distribution_kwargs)

    def _log_survival_function(
        self, y: Any, bijector_kwargs: Given = None, distribution_kwargs: Given = None
    ) -> Any:
        return self._at_inverse("log_survival_function", y, bijector_kwargs, distribution_kwargs)

    def _survival_function(
        self, y: Any, bijector_kwargs: Given = None, distribution_kwargs: Given = None
    ) -> Any:
        return self._at_inverse("survival_function", y, bijector_kwargs, distribution_kwargs)

    def _quantile(self, p: Any) -> Any:
        self._needs_plain("quantile")
        return self._bijector.forward(self._distribution.quantile(p))

    def _entropy(self) -> Any:
        if not self._bijector.is_constant_jacobian:
            raise NotImplementedError("entropy is not implemented")
        if not self._bijector._is_injective:
            raise NotImplementedError("entropy is not implemented when bijector is not injective.")
        entropy: Any = self._distribution.entropy()
        if self._event_override is not None:
            entropy = entropy * cast(reduce_prod(self._event_override), entropy.dtype)
        if self._batch_override is not None:
            entropy = broadcast_to(entropy, self._batch_override)
        shape = array_concat.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        anywhere = zeros(shape, dtype=self.dtype)
        jacobian: Any = self._bijector.inverse_log_det_jacobian(
            anywhere, event_ndims=self._event_axes()
        )
        return entropy - cast(jacobian, entropy.dtype)


def _static(sizes: Any) -> TensorShape:
    known = constant_value(sizes)
    return TensorShape([None] * sizes.shape[0].value if known is None else known.tolist())

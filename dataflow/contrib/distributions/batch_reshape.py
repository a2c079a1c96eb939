"""BatchReshape: a batch of distributions in another shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.graph import scopes
from dataflow.graph.constant_value import constant_value, constant_value_as_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_types import assert_rank
from dataflow.library.check_values import (
    assert_equal,
    assert_greater_equal,
    assert_less_equal,
    assert_positive,
)
from dataflow.library.distributions.base import Distribution
from dataflow.ops.array.fill import fill
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import equal
from dataflow.ops.reductions.reduce import reduce_prod, reduce_sum
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


class BatchReshape(Distribution):
    """The distributions of another one's batch, arranged in another shape."""

    def __init__(
        self,
        distribution: Distribution,
        batch_shape: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        """Makes one.

        Args:
          distribution: The other one.
          batch_shape: The shape, a vector of integers; -1, at most once, is what is left.
          validate_args: Whether shapes that are not known are checked in the step.
          allow_nan_stats: See `Distribution`.
          name: Name of the scope of the operations.

        Raises:
          ValueError: The shape is no vector, or of another size than the batch.
        """
        parameters = dict(locals())
        with name_scope(name or f"BatchReshape{distribution.name}", values=[batch_shape]) as scope:
            wanted: Any = convert_to_tensor(batch_shape, dtype=dtypes.int32, name="batch_shape")
            self._static: Any = _static_shape(wanted, distribution.batch_shape)
            self._wanted = wanted
            self._distribution = distribution
            self._whole, self._checks = _filled_in(
                distribution.batch_shape_tensor(), wanted, self._static, validate_args
            )
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[wanted, *distribution._graph_parents],
            name=scope,
        )

    @property
    def distribution(self) -> Distribution:
        """The other one."""
        return self._distribution

    def _batch_shape_tensor(self) -> Any:
        with scopes.control_dependencies(self._checks):
            return identity(self._whole)

    def _batch_shape(self) -> Any:
        return self._static

    def _event_shape_tensor(self) -> Any:
        with scopes.control_dependencies(self._checks):
            return identity(self._distribution.event_shape_tensor())

    def _event_shape(self) -> Any:
        return self._distribution.event_shape

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        with scopes.control_dependencies(self._checks):
            x = self._distribution.sample(n, seed=seed)
            shape = array_concat.concat([[n], self._wanted, self.event_shape_tensor()], 0)
            return array_shape.reshape(x, shape)

    def _log_prob(self, x: Any) -> Any:
        return self._of_values(self._distribution.log_prob, x)

    def _prob(self, x: Any) -> Any:
        return self._of_values(self._distribution.prob, x)

    def _log_cdf(self, x: Any) -> Any:
        return self._of_values(self._distribution.log_cdf, x)

    def _cdf(self, x: Any) -> Any:
        return self._of_values(self._distribution.cdf, x)

    def _log_survival_function(self, x: Any) -> Any:
        return self._of_values(self._distribution.log_survival_function, x)

    def _survival_function(self, x: Any) -> Any:
        return self._of_values(self._distribution.survival_function, x)

    def _entropy(self) -> Any:
        return self._of_batch(self._distribution.entropy, 0)

    def _mean(self) -> Any:
        return self._of_batch(self._distribution.mean, 1)

    def _mode(self) -> Any:
        return self._of_batch(self._distribution.mode, 1)

    def _stddev(self) -> Any:
        return self._of_batch(self._distribution.stddev, 1)

    def _variance(self) -> Any:
        return self._of_batch(self._distribution.variance, 1)

    def _covariance(self) -> Any:
        return self._of_batch(self._distribution.covariance, 2)

    def _of_batch(self, statistic: Callable[[], Any], events: int) -> Any:
        """A statistic of each distribution, which has the axes of so many events."""
        with scopes.control_dependencies(self._checks):
            shape = array_concat.concat([self._wanted, *[self.event_shape_tensor()] * events], 0)
            found: Any = array_shape.reshape(statistic(), shape)
            static = self._static
            for _ in range(events):
                static = static.concatenate(self.event_shape)
            found.set_shape(static)
            return found

    def _axes(self) -> Any:
        """How many axes batches and events have."""
        events, batches = self.event_shape.rank, self._static.rank
        return (array_shape.size(self.event_shape_tensor()) if events is None else events) + (
            array_shape.size(self._wanted) if batches is None else batches
        )

    def _of_values(self, function: Callable[[Any], Any], x: Any) -> Any:
        with scopes.control_dependencies([*self._checks, *self._checks_of(x)]):
            rank: Any = array_shape.rank(x) if x.shape.rank is None else x.shape.rank
            drawn = rank - self._axes()
            sizes: Any = array_shape.shape(x)
            outer = sizes[:drawn]
            parts = [outer, self._distribution.batch_shape_tensor(), self.event_shape_tensor()]
            found: Any = function(array_shape.reshape(x, array_concat.concat(parts, 0)))
            shape = array_concat.concat([outer, self._wanted], 0)
            found = array_shape.reshape(found, shape)
            if isinstance(drawn, int):
                found.set_shape(x.shape[:drawn].concatenate(self._static))
            return found

    def _checks_of(self, x: Any) -> list[Any]:
        """What the step finds out about the shape of values.

        Raises:
          NotImplementedError: They are not of the shape of the batch and of events.
        """
        text = "Broadcasting is not supported; too few batch and event dims"
        shape_text = "Broadcasting is not supported; unexpected batch and event shape"
        rank: Any = array_shape.rank(x) if x.shape.rank is None else x.shape.rank
        least = self._axes()
        checks: list[Any] = []
        if isinstance(rank, int) and isinstance(least, int):
            if rank < least:
                raise NotImplementedError(f"{text} (expected at least {least}, saw {rank}).")
        elif self.validate_args:
            checks.append(assert_greater_equal(rank, least, message=f"{text}."))
        wanted = self._static.concatenate(self.event_shape)
        if isinstance(rank, int) and isinstance(least, int):
            own = x.shape[rank - least :]
            if wanted.is_fully_defined() and own.is_fully_defined():
                if own.as_list() != wanted.as_list():
                    raise NotImplementedError(
                        f"{shape_text} (expected {wanted.as_list()}, saw {own.as_list()})."
                    )
                return checks
        if self.validate_args:
            sizes: Any = array_shape.shape(x)
            parts = [self.batch_shape_tensor(), self.event_shape_tensor()]
            with scopes.control_dependencies(checks):
                last = sizes[maximum(rank - least, 0) :]
                expected = array_concat.concat(parts, 0)
                return [assert_equal(expected, last, message=f"{shape_text}.")]
        return checks


def _static_shape(wanted: Any, batch: TensorShape) -> TensorShape:
    """The wanted shape as far as it is known.

    Raises:
      ValueError: It is no vector, has sizes below 0, or another size than the batch.
    """
    if wanted.shape.rank not in (None, 1):
        raise ValueError(f"`batch_shape` must be a vector (saw rank: {wanted.shape.rank}).")
    known = constant_value(wanted)
    if known is not None and ((known < -1) | (known == 0)).any():
        raise ValueError("`batch_shape` elements must be >=-1.")
    static = constant_value_as_shape(wanted)
    size, own = static.num_elements(), batch.num_elements()
    if size is not None and own is not None and size != own:
        raise ValueError(
            f"`batch_shape` size ({size}) must match `distribution.batch_shape` size ({own})."
        )
    return static


def _filled_in(
    batch: Any, wanted: Any, static: TensorShape, validate_args: bool
) -> tuple[Any, list[Any]]:
    """The wanted shape with what is left in the place of -1, and what the step finds out."""
    if static.is_fully_defined():
        return np.array(static.as_list(), np.int32), []
    size: Any = reduce_prod(batch)
    is_left = equal(wanted, -1)
    product: Any = reduce_prod(wanted)
    left = size // maximum(1, -product)
    whole = where_v2(is_left, fill(array_shape.shape(wanted), left), wanted)
    if not validate_args:
        return whole, []
    count = reduce_sum(cast(is_left, dtypes.int32))
    return whole, [
        assert_rank(batch, 1, message="Original shape must be a vector."),
        assert_rank(wanted, 1, message="New shape must be a vector."),
        assert_less_equal(count, 1, message="At most one dimension can be unknown."),
        assert_positive(whole, message="Shape elements must be >=-1."),
        assert_equal(reduce_prod(whole), size, message="Shape sizes do not match."),
    ]

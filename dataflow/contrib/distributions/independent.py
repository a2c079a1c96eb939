"""Independent: a batch's last axes taken for axes of events."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.distributions.base import Distribution
from dataflow.library.distributions.kullback_leibler import RegisterKL, kl_divergence
from dataflow.ops.basic.range import range as range_
from dataflow.ops.math.binary import maximum
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


class Independent(Distribution):
    """Events are made of those of several distributions of a batch, drawn apart."""

    def __init__(
        self,
        distribution: Distribution,
        reinterpreted_batch_ndims: Any = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        """Takes the batch, and how many of its last axes are of events; None: all but the first.

        Raises:
          ValueError: The batch has fewer axes.
        """
        parameters = dict(locals())
        self._distribution = distribution
        rank = distribution.batch_shape.rank
        with name_scope(name or f"Independent{distribution.name}") as scope:
            count: Any = reinterpreted_batch_ndims
            if count is None:
                whole: Any = array_shape.size(distribution.batch_shape_tensor())
                count = maximum(0, whole - 1) if rank is None else max(0, rank - 1)
            axes: Any = convert_to_tensor(
                count, dtype=dtypes.int32, name="reinterpreted_batch_ndims"
            )
            known = constant_value(axes)
            self._known: int | None = None if known is None else int(known)
            self._axes: Any = axes if known is None else self._known
        if self._known is not None and rank is not None and self._known > rank:
            raise ValueError(
                f"reinterpreted_batch_ndims({self._known}) cannot exceed "
                f"distribution.batch_ndims({rank})"
            )
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            graph_parents=distribution._graph_parents,
            name=scope,
        )

    @property
    def distribution(self) -> Distribution:
        """The batch."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> Any:
        """How many axes of the batch are of events."""
        return self._axes

    def _parts(self) -> tuple[Any, Any]:
        """The batch's shape, before and in events."""
        shape: Any = self._distribution.batch_shape_tensor()
        cut: Any = array_shape.size(shape) - self._axes
        return shape[:cut], shape[cut:]

    def _static_parts(self) -> tuple[TensorShape, TensorShape]:
        shape = self._distribution.batch_shape
        if self._known is None or shape.rank is None:
            return TensorShape(None), TensorShape(None)
        cut = shape.rank - self._known
        return shape[:cut], shape[cut:]

    def _batch_shape_tensor(self) -> Any:
        return self._parts()[0]

    def _batch_shape(self) -> Any:
        return self._static_parts()[0]

    def _event_shape_tensor(self) -> Any:
        inner = self._distribution.event_shape_tensor()
        return array_concat.concat([self._parts()[1], inner], 0)

    def _event_shape(self) -> Any:
        return self._static_parts()[1].concatenate(self._distribution.event_shape)

    def _summed(self, found: Any) -> Any:
        axes = range_(-self._axes, 0) if self._known is None else list(range(-self._known, 0))
        return reduce_sum(found, axes) if self._known != 0 else found

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return self._distribution.sample(n, seed=seed)

    def _log_prob(self, x: Any) -> Any:
        return self._summed(self._distribution.log_prob(x))

    def _entropy(self) -> Any:
        return self._summed(self._distribution.entropy())

    def _mean(self) -> Any:
        return self._distribution.mean()

    def _variance(self) -> Any:
        return self._distribution.variance()

    def _stddev(self) -> Any:
        return self._distribution.stddev()

    def _mode(self) -> Any:
        return self._distribution.mode()


@RegisterKL(Independent, Independent)
def _kl_independent(a: Any, b: Any, name: str | None = "kl_independent") -> Any:
    p, q = a.distribution, b.distribution
    if not a.event_shape.is_compatible_with(b.event_shape):
        raise ValueError("Event shapes do not match.")
    if not p.event_shape.is_compatible_with(q.event_shape):
        raise NotImplementedError(
            "KL between Independents with different event shapes not supported."
        )
    return a._summed(kl_divergence(p, q, name=name))

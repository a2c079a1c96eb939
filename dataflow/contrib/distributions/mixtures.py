"""Mixtures: one of several distributions is drawn, and then of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.graph.constant_value import constant_value
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_equal
from dataflow.library.distributions.base import NOT_REPARAMETERIZED, Distribution, new_seed
from dataflow.library.distributions.discrete import Categorical
from dataflow.ops.array.fill import ones
from dataflow.ops.array.select import one_hot
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.nn.softmax import log_softmax, softmax
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.values import dtypes


def _beside_events(weights: Any, axes: int) -> Any:
    """Weights of components, which broadcast over axes of events behind them."""
    shape = array_concat.concat([array_shape.shape(weights), ones([axes], dtype=dtypes.int32)], 0)
    return array_shape.reshape(weights, shape)


class _Mixed(Distribution):
    """What both mixtures make of their components' statistics, which are stacked along the axis
    before events."""

    def _weights(self) -> Any:
        """The logits of the components."""
        raise NotImplementedError

    def _stacked(self, what: str) -> Any:
        raise NotImplementedError

    def _axes(self) -> int:
        rank = self.event_shape.rank
        if rank is None:
            raise ValueError("The rank of the events of the components must be known.")
        return rank

    def _averaged(self, values: Any) -> Any:
        axes = self._axes()
        weights: Any = _beside_events(softmax(self._weights()), axes)
        return reduce_sum(weights * values, -1 - axes)

    def _mean(self) -> Any:
        return self._averaged(self._stacked("mean"))

    def _variance(self) -> Any:
        # The law of total variance.
        means: Any = self._stacked("mean")
        mean: Any = array_shape.expand_dims(self._averaged(means), -1 - self._axes())
        return self._averaged(self._stacked("variance") + math_unary.square(means - mean))

    def _chosen(self, drawn: Any, which: Any) -> Any:
        """Of what is drawn of all components, that of one."""
        axes = self._axes()
        mask: Any = one_hot(which, array_shape.shape(self._weights())[-1], dtype=drawn.dtype)
        return reduce_sum(_beside_events(mask, axes) * drawn, -1 - axes)


class Mixture(_Mixed):
    """A mixture of distributions of any families."""

    def __init__(
        self,
        cat: Any,
        components: Sequence[Distribution],
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        use_static_graph: bool = False,
        name: str = "Mixture",
    ) -> None:
        """Takes which component is drawn how often, and the components.

        Args:
          cat: A categorical distribution, of as many classes as there are components.
          components: Distributions of the same type and of the same shapes.
          validate_args: Whether the step compares the batch shapes.
          allow_nan_stats: Whether statistics that are not defined are NaN.
          use_static_graph: Makes no difference: all components are drawn, and one is taken.
          name: Name of the scope of the operations.

        Raises:
          TypeError: An argument is no distribution, or they are of several types.
          ValueError: There are none, not as many as classes, or of different shapes.
        """
        parameters = dict(locals())
        if not isinstance(cat, Categorical):
            raise TypeError(f"cat must be a Categorical distribution, but saw: {cat}")
        if not components:
            raise ValueError("components must be a non-empty list or tuple")
        if not isinstance(components, list | tuple):
            raise TypeError(f"components must be a list or tuple, but saw: {components}")
        if not all(isinstance(each, Distribution) for each in components):
            raise TypeError(
                f"all entries in components must be Distribution instances but saw: {components}"
            )
        dtype = components[0].dtype
        if not all(each.dtype == dtype for each in components):
            kinds = [(each.name, each.dtype) for each in components]
            raise TypeError(f"All components must have the same dtype, but saw dtypes: {kinds}")
        self._static_event, self._static_batch = components[0].event_shape, cat.batch_shape
        for each in components:
            self._static_event = self._static_event.merge_with(each.event_shape)
            self._static_batch = self._static_batch.merge_with(each.batch_shape)
        if self._static_event.rank is None:
            raise ValueError(
                "Expected to know rank(event_shape) from components, but none of the components "
                "provide a static number of ndims"
            )
        with name_scope(name, values=[cat.logits]) as scope:
            classes = cat.logits.shape[-1].value if cat.logits.shape.rank else None
            if classes is None:
                raise ValueError(
                    "Could not infer number of classes from cat and unable to compare this value "
                    "to the number of components passed in."
                )
            if classes != len(components):
                raise ValueError(
                    f"cat.num_classes != len(components): {classes} vs. {len(components)}"
                )
            self._logits: Any = cat.logits
            if validate_args:
                checks = [
                    assert_equal(
                        cat.batch_shape_tensor(),
                        each.batch_shape_tensor(),
                        message=f"components[{index}] batch shape must match cat batch shape",
                    )
                    for index, each in enumerate(components)
                ]
                self._logits = with_dependencies(checks, self._logits)
        self._cat = cat
        self._components = list(components)
        parents = [parent for each in (cat, *components) for parent in each._graph_parents]
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=parents,
            name=scope,
        )

    @property
    def cat(self) -> Any:
        """Which component is drawn how often."""
        return self._cat

    @property
    def components(self) -> list[Distribution]:
        """The components."""
        return self._components

    @property
    def num_components(self) -> int:
        """How many they are."""
        return len(self._components)

    def _weights(self) -> Any:
        return self._logits

    def _stacked(self, what: str) -> Any:
        found = [getattr(each, what)() for each in self._components]
        return array_concat.stack(found, -1 - self._axes())

    def _batch_shape_tensor(self) -> Any:
        return self._cat.batch_shape_tensor()

    def _batch_shape(self) -> Any:
        return self._static_batch

    def _event_shape_tensor(self) -> Any:
        return self._components[0].event_shape_tensor()

    def _event_shape(self) -> Any:
        return self._static_event

    def _mixed(self, what: str, x: Any) -> Any:
        found = [getattr(each, what)(x) for each in self._components]
        logs: Any = log_softmax(self._logits)
        return reduce_logsumexp(array_concat.stack(found, -1) + logs, axis=-1)

    def _log_prob(self, x: Any) -> Any:
        return self._mixed("log_prob", x)

    def _log_cdf(self, x: Any) -> Any:
        return self._mixed("log_cdf", x)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        which = self._cat.sample(n, seed=seed)
        drawn = []
        for each in self._components:
            seed = new_seed(seed, "mixture")
            drawn.append(each.sample(n, seed=seed))
        return self._chosen(array_concat.stack(drawn, -1 - self._axes()), which)

    def entropy_lower_bound(self, name: str = "entropy_lower_bound") -> Any:
        """The mean of the components' entropies, which that of the mixture is not below."""
        with self._name_scope(name, [self._cat.logits]):
            entropies = array_concat.stack([each.entropy() for each in self._components], -1)
            weights: Any = softmax(self._logits)
            return reduce_sum(weights * entropies, -1)


class MixtureSameFamily(_Mixed):
    """A mixture of the distributions of one batch: its last axis is of components."""

    def __init__(
        self,
        mixture_distribution: Any,
        components_distribution: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MixtureSameFamily",
    ) -> None:
        """Takes which component is drawn how often, and the batch of components.

        Raises:
          ValueError: The first is not over integers, or the two do not fit.
        """
        parameters = dict(locals())
        if not mixture_distribution.dtype.is_integer:
            raise ValueError(
                f"`mixture_distribution.dtype` ({mixture_distribution.dtype.name}) is not over "
                "integers"
            )
        if mixture_distribution.event_shape.rank not in (None, 0):
            raise ValueError("`mixture_distribution` must have scalar `event_dim`s")
        own = mixture_distribution.batch_shape
        whole = components_distribution.batch_shape.with_rank_at_least(1)
        outer = whole[:-1]
        if own.is_fully_defined() and outer.is_fully_defined() and own.rank and own != outer:
            raise ValueError(
                f"`mixture_distribution.batch_shape` (`{own.as_list()}`) is not compatible with "
                f"`components_distribution.batch_shape` (`{outer.as_list()}`)"
            )
        logits = mixture_distribution.logits.shape.with_rank_at_least(1)
        classes, count = logits[-1].value, whole[-1].value
        if classes is not None and count is not None and classes != count:
            raise ValueError(
                f"`mixture_distribution components` ({classes}) does not equal "
                f"`components_distribution.batch_shape[-1]` ({count})"
            )
        self._mixture_distribution = mixture_distribution
        self._components_distribution = components_distribution
        with name_scope(name) as scope:
            pass
        super().__init__(
            dtype=components_distribution.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[
                *mixture_distribution._graph_parents,
                *components_distribution._graph_parents,
            ],
            name=scope,
        )

    @property
    def mixture_distribution(self) -> Any:
        """Which component is drawn how often."""
        return self._mixture_distribution

    @property
    def components_distribution(self) -> Any:
        """The batch of components."""
        return self._components_distribution

    def _weights(self) -> Any:
        return self._mixture_distribution.logits

    def _stacked(self, what: str) -> Any:
        return getattr(self._components_distribution, what)()

    def _batch_shape_tensor(self) -> Any:
        return self._components_distribution.batch_shape_tensor()[:-1]

    def _batch_shape(self) -> Any:
        return self._components_distribution.batch_shape.with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self) -> Any:
        return self._components_distribution.event_shape_tensor()

    def _event_shape(self) -> Any:
        return self._components_distribution.event_shape

    def _mixed(self, what: str, x: Any) -> Any:
        wide = array_shape.expand_dims(x, -1 - self._axes())
        logs: Any = log_softmax(self._weights())
        each: Any = getattr(self._components_distribution, what)(wide)
        return reduce_logsumexp(each + logs, axis=-1)

    def _log_prob(self, x: Any) -> Any:
        return self._mixed("log_prob", x)

    def _log_cdf(self, x: Any) -> Any:
        return self._mixed("log_cdf", x)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = self._components_distribution.sample(n, seed=seed)
        again = new_seed(seed, "mixture_same_family")
        shape: Any = [n]
        if constant_value(self._mixture_distribution.is_scalar_batch()):
            # One choice for each element of the components' batch.
            shape = array_concat.concat([[n], self.batch_shape_tensor()], 0)
        which = self._mixture_distribution.sample(shape, seed=again)
        return self._chosen(drawn, which)

    def _covariance(self) -> Any:
        if self.event_shape.rank != 1:
            raise NotImplementedError("covariance is not implemented")
        means: Any = self._stacked("mean")
        gap: Any = means - array_shape.expand_dims(self._averaged(means), -2)
        each = self._stacked("covariance") + gap[..., None, :] * gap[..., None]
        weights: Any = _beside_events(softmax(self._weights()), 2)
        return reduce_sum(weights * each, -3)

"""Autoregressive: distributions whose parameters hang on what was drawn before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.graph.scopes import name_scope
from dataflow.library.distributions.base import Distribution, new_seed


class Autoregressive(Distribution):
    """Draws an event as often as it has elements, each time by the last one."""

    def __init__(
        self,
        distribution_fn: Callable[..., Distribution],
        sample0: Any = None,
        num_steps: int | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Autoregressive",
    ) -> None:
        """Makes one.

        Args:
          distribution_fn: Makes the distribution of an event by an event: each element by those
            that come before it. Called with nothing for the first one, if there is no `sample0`.
          sample0: The event that the first one is drawn by.
          num_steps: How often; as often as an event has elements if None.
          validate_args: See `Distribution`.
          allow_nan_stats: See there.
          name: Name of the scope of the operations.

        Raises:
          ValueError: The number of elements is not known, or the number of steps below 1.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._distribution_fn = distribution_fn
            self._sample0 = sample0
            first = distribution_fn() if sample0 is None else distribution_fn(sample0)
            self._distribution0 = first
            steps = first.event_shape.num_elements() if num_steps is None else num_steps
            if steps is None:
                raise ValueError(
                    "distribution_fn must generate a distribution with fully known `event_shape`."
                )
            if steps < 1:
                raise ValueError(f"num_steps ({steps}) must be at least 1.")
            self._num_steps = steps
        super().__init__(
            dtype=first.dtype,
            reparameterization_type=first.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=first._graph_parents,
            name=scope,
        )

    @property
    def distribution_fn(self) -> Callable[..., Distribution]:
        """Makes the distribution of an event by an event."""
        return self._distribution_fn

    @property
    def sample0(self) -> Any:
        """The event that the first one is drawn by, or None."""
        return self._sample0

    @property
    def num_steps(self) -> int:
        """How often an event is drawn."""
        return self._num_steps

    @property
    def distribution0(self) -> Distribution:
        """The distribution of the first one."""
        return self._distribution0

    def _batch_shape(self) -> Any:
        return self._distribution0.batch_shape

    def _batch_shape_tensor(self) -> Any:
        return self._distribution0.batch_shape_tensor()

    def _event_shape(self) -> Any:
        return self._distribution0.event_shape

    def _event_shape_tensor(self) -> Any:
        return self._distribution0.event_shape_tensor()

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        if seed is None:
            # The same numbers in each step: what an element was drawn by does not change it.
            seed = new_seed(int(np.random.randint(2**31 - 1)), "autoregressive")
        drawn: Any = self._distribution0.sample(n, seed=seed)
        for _ in range(self._num_steps):
            drawn = self._distribution_fn(drawn).sample(seed=seed)
        return drawn

    def _log_prob(self, value: Any) -> Any:
        return self._distribution_fn(value).log_prob(value)

    def _prob(self, value: Any) -> Any:
        return self._distribution_fn(value).prob(value)

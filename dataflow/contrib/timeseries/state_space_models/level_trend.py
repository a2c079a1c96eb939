"""A value that moves by a trend, which moves as well."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
from dataflow.contrib.timeseries.state_space_models.base import StateSpaceModel
from dataflow.contrib.timeseries.state_space_models.configuration import (
    StateSpaceModelConfiguration,
)
from dataflow.ops.array.fill import ones_like, zeros_like
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable, variable_scope


def _square(rows: list[list[Any]]) -> Any:
    """Matrices of two rows and columns, of numbers or tensors of one shape."""
    return array_concat.stack([array_concat.stack(row, axis=-1) for row in rows], axis=-2)


class AdderStateSpaceModel(StateSpaceModel):
    """A level, to which a trend is added at each time."""

    def __init__(
        self,
        use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008
    ) -> None:
        """Takes whether the level has noise of its own, not only the trend."""
        self.use_level_noise = use_level_noise
        super().__init__(configuration=configuration)

    def get_prior_mean(self) -> Any:
        """See `StateSpaceModel`: what the series begins with, if that is known."""
        if self._input_statistics is None:
            return super().get_prior_mean()
        with variable_scope(self._variable_scope):
            level = reduce_mean(self._scale_data(self._input_statistics.series_start_moments.mean))
            start: Any = array_concat.stack([level, zeros_like(level)])
            return start + get_variable(
                "prior_state_mean",
                shape=start.shape,
                initializer=Zeros(),
                dtype=self.dtype,
                trainable=self._configuration.trainable_start_state,
            )

    def transition_to_powers(self, powers: Any) -> Any:
        """See `StateSpaceModel`."""
        steps = cast(powers, self.dtype)
        one, none = ones_like(steps), zeros_like(steps)
        return _square([[one, steps], [none, one]])

    def transition_power_noise_accumulator(self, num_steps: Any) -> Any:
        """See `StateSpaceModel`."""
        steps: Any = cast(num_steps, self.dtype)
        transform = self._matrix(self.get_noise_transform())
        spread = matmul(transform, self.state_transition_noise_covariance)
        added: Any = matmul(spread, transform, adjoint_b=True)
        # Noise of i times ago has moved the level by i times its trend.
        first = (steps - 1) * steps / 2
        second = first * (2 * steps - 1) / 3
        a, b, c, d = (added[row, column] for row in (0, 1) for column in (0, 1))
        return _square(
            [
                [steps * a + first * (b + c) + second * d, steps * b + first * d],
                [steps * c + first * d, steps * d],
            ]
        )

    def get_state_transition(self) -> Any:
        """See `StateSpaceModel`."""
        return [[1.0, 1.0], [0.0, 1.0]]

    def get_noise_transform(self) -> Any:
        """See `StateSpaceModel`."""
        return [[1.0, 0.0], [0.0, 1.0]] if self.use_level_noise else [[0.0], [1.0]]

    def get_observation_model(self, times: Any) -> Any:
        """See `StateSpaceModel`."""
        return constant([1.0, 0.0], dtype=self.dtype)

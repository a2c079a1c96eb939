"""Vector autoregressive models with moving averages."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.timeseries.state_space_models import matrices
from dataflow.contrib.timeseries.state_space_models.base import StateSpaceModel
from dataflow.contrib.timeseries.state_space_models.configuration import (
    StateSpaceModelConfiguration,
)
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat
from dataflow.ops.array.pad import pad
from dataflow.ops.linalg.diag import eye
from dataflow.ops.math.binary import maximum
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable, variable_scope


class VARMA(StateSpaceModel):
    """Values that follow from those before, and from the noise of times before."""

    def __init__(
        self,
        autoregressive_order: int,
        moving_average_order: int,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008
    ) -> None:
        """Takes how far both reach.

        Args:
          autoregressive_order: Of how many times before the values count.
          moving_average_order: Of how many times before the noise counts.
          configuration: See `StateSpaceModel`.
        """
        self.ar_order = autoregressive_order
        self.ma_order = moving_average_order
        self.state_num_blocks = max(autoregressive_order, moving_average_order + 1)
        super().__init__(configuration=configuration)
        self.state_dimension = self.state_num_blocks * self.num_features
        self.ar_coefs: Any = None
        self.ma_coefs: Any = None

    def _unit(self) -> Any:
        return eye(self.num_features, dtype=self.dtype)

    def _define_parameters(self, observation_transition_tradeoff_log: Any = None) -> None:
        count = self.num_features
        with variable_scope(self._variable_scope):
            self.ar_coefs = get_variable(
                "ar_coefs",
                shape=[count, count, self.ar_order],
                dtype=self.dtype,
                initializer=Zeros(),
            )
            self.ma_coefs = get_variable(
                "ma_coefs",
                initializer=tile(self._unit()[None], [self.ma_order, 1, 1]),
                dtype=self.dtype,
            )
        super()._define_parameters(
            observation_transition_tradeoff_log=observation_transition_tradeoff_log
        )

    def get_state_transition(self) -> Any:
        """See `StateSpaceModel`: blocks move on, and the first follows from all."""
        count, blocks = self.num_features, self.state_num_blocks
        missing = blocks - self.ar_order
        padded = pad(self.ar_coefs, [[0, 0], [0, 0], [0, missing]])
        first = array_shape.reshape(padded, [count, self.state_dimension])
        moved = pad(eye((blocks - 1) * count, dtype=self.dtype), [[0, 0], [0, count]])
        return concat([first, moved], axis=0)

    def get_noise_transform(self) -> Any:
        """See `StateSpaceModel`."""
        count, others = self.num_features, self.state_num_blocks - 1
        padded = pad(self.ma_coefs, [[others - self.ma_order, 0], [0, 0], [0, 0]])
        above = array_shape.reshape(padded, [others * count, count], name="noise_transform")
        return concat([above, self._unit()], axis=0)

    def get_observation_model(self, times: Any) -> Any:
        """See `StateSpaceModel`: the first block is seen, and the last if noise comes into it."""
        count, blocks = self.num_features, self.state_num_blocks
        name = "observation_model"
        if self.ar_order > self.ma_order or blocks < 2:
            return pad(self._unit(), [[0, 0], [0, count * (blocks - 1)]], name=name)
        first = pad(self._unit(), [[0, 0], [0, count * (blocks - 2)]])
        return concat([first, self._unit()], axis=1, name=name)

    def get_state_transition_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """See `StateSpaceModel`: as large at first as the values' variance."""
        variance = self._start_variance()
        scale: Any = 0.0
        if variance is not None:
            scale = math_unary.log(maximum(reduce_mean(variance), minimum_initial_variance))
        return matrices.variable_covariance_matrix(
            self._matrix(self.get_noise_transform()).shape[1].value,
            "state_transition_noise",
            dtype=self.dtype,
            initial_overall_scale_log=scale,
        )

"""Values that return after a period."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.timeseries.state_space_models.base import StateSpaceModel
from dataflow.contrib.timeseries.state_space_models.configuration import (
    StateSpaceModelConfiguration,
)
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.ops.array.fill import ones, zeros, zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.pad import pad
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.compare import equal, greater_equal, less, logical_and, logical_or
from dataflow.ops.math.rounding import round as rounded
from dataflow.ops.math.trig import cos, sin
from dataflow.ops.reductions.reduce import reduce_max
from dataflow.ops.reductions.scan import cumsum
from dataflow.values import dtypes


class CycleStateSpaceModel(StateSpaceModel):
    """A value for each time of a period, whose sum is zero; they take turns.

    The state has all of them but one, which follows from the others.
    """

    def __init__(
        self,
        periodicity: int,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008
    ) -> None:
        """Takes how many times the period has."""
        self._periodicity = periodicity
        super().__init__(configuration=configuration)

    def get_state_transition(self) -> Any:
        """See `StateSpaceModel`."""
        return self.transition_to_powers(ones([], dtype=dtypes.int32))

    def get_noise_transform(self) -> Any:
        """See `StateSpaceModel`: noise comes into the first value."""
        return pad(ones([1], dtype=self.dtype), [(0, self._periodicity - 2)])[..., None]

    def transition_to_powers(self, powers: Any) -> Any:
        """See `StateSpaceModel`."""
        turn: Any = (convert_to_tensor(powers) % self._periodicity)[..., None, None]
        places = np.arange(self._periodicity - 1)
        before = (places[:, None] - places) % self._periodicity
        taken = cast(equal(turn, self._of_type(before, turn)), self.dtype)
        # The value that is missing is the opposite of the sum of the others.
        missing = cast(equal(turn, self._of_type(places[:, None] + 1, turn)), self.dtype)
        return taken - missing

    @staticmethod
    def _of_type(numbers: np.ndarray, like: Any) -> Any:
        return convert_to_tensor(numbers.astype(like.dtype.as_numpy_dtype))

    def transition_power_noise_accumulator(
        self, num_steps: Any, noise_addition_coefficient: Any = 1
    ) -> Any:
        """See `StateSpaceModel`.

        Args:
          num_steps: Over how many times.
          noise_addition_coefficient: What the noise is multiplied by.
        """
        size = self._periodicity
        steps: Any = convert_to_tensor(num_steps)[..., None]
        rest = (self._of_type(np.arange(size), steps) - (steps - 1)) % size
        times = cast((steps + rest) // size, self.dtype)
        noise = array_shape.squeeze(self.state_transition_noise_covariance, axis=[-1, -2])
        coefficient = self._matrix(noise_addition_coefficient)[..., None]
        added: Any = coefficient * noise * times
        # Noise that comes into a value goes out of the one before.
        gaps = np.eye(size - 1, size)
        gaps[np.arange(size - 1), np.arange(size - 1) - 1] -= 1
        return matmul(self._matrix(gaps) * added[..., None, :], self._matrix(gaps.T))

    def get_observation_model(self, times: Any) -> Any:
        """See `StateSpaceModel`: the first value is seen."""
        first, others = ones([1], dtype=self.dtype), zeros([self._periodicity - 2], self.dtype)
        return array_concat.concat([first, others], axis=0)


class ResolutionCycleModel(CycleStateSpaceModel):
    """A cycle with fewer or more values than times, and of a period that need be no integer.

    Between the values it goes by the trigonometric polynomial through them.
    """

    def __init__(
        self,
        num_latent_values: int,
        periodicity: Any,
        near_integer_threshold: float = 1e-8,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008
    ) -> None:
        """Takes how many values there are, and how long the period is.

        Args:
          num_latent_values: How many values, an odd number.
          periodicity: How many times the period has.
          near_integer_threshold: How close to an integer counts as one.
          configuration: See `StateSpaceModel`.

        Raises:
          ValueError: The number is even.
        """
        if num_latent_values % 2 != 1:
            raise ValueError("Only odd numbers of latent values are supported.")
        self._num_latent_values = num_latent_values
        self._true_periodicity = periodicity
        self._near_integer_threshold = near_integer_threshold
        super().__init__(periodicity=num_latent_values, configuration=configuration)

    def _close_to_integer(self, value: Any) -> Any:
        value = cast(value, self.dtype)
        return less(math_unary.abs(value - rounded(value)), self._near_integer_threshold)

    def _turns(self, steps: Any) -> Any:
        """Over how many values times go."""
        each = self._matrix(float(self._num_latent_values)) / cast(
            self._true_periodicity, self.dtype
        )
        return cast(steps, self.dtype) * each

    def _cosecant(self, turns: Any) -> Any:
        return 1.0 / sin(turns * (np.pi / self._num_latent_values))

    def transition_to_powers(self, powers: Any) -> Any:
        """See `StateSpaceModel`."""
        turns: Any = self._turns(powers)
        places = np.arange(self._num_latent_values - 1)
        signs = (-1.0) ** places
        wide = turns[..., None, None]
        of_rows = self._cosecant(wide - self._matrix(places[:, None] + 1.0))
        of_both = self._cosecant(wide + self._matrix(1.0 * places - places[:, None]))
        scale: Any = sin(wide * np.pi) / self._num_latent_values
        between = scale * self._matrix(signs[:, None]) * (of_rows + self._matrix(signs) * of_both)
        whole = super().transition_to_powers(cast(rounded(turns), dtypes.int64))
        return where(self._close_to_integer(turns), whole, between)

    def transition_power_noise_accumulator(
        self, num_steps: Any, noise_addition_coefficient: Any = 1
    ) -> Any:
        """See `StateSpaceModel`."""
        steps: Any = convert_to_tensor(num_steps)
        size = self._num_latent_values

        def folded() -> tuple[Any, Any]:
            # What a whole period adds is known.
            period: Any = cast(self._true_periodicity, self.dtype)
            once = super(ResolutionCycleModel, self).transition_power_noise_accumulator(
                num_steps=convert_to_tensor(size, dtype=steps.dtype),
                noise_addition_coefficient=period / float(size),
            )
            length = cast(self._true_periodicity, steps.dtype)
            return steps % length, cast(steps // length, self.dtype)[..., None, None] * once

        def as_they_are() -> tuple[Any, Any]:
            shape = array_concat.concat([array_shape.shape(steps), [size - 1, size - 1]], axis=0)
            return steps, zeros(shape, dtype=self.dtype)

        rest, before = cond(self._whole_period_folding(), folded, as_they_are)
        noise = array_shape.squeeze(self.state_transition_noise_covariance, axis=[-1, -2])
        return before + noise * gather(self._power_sum_array(reduce_max(rest)), indices=rest)

    def _whole_period_folding(self) -> Any:
        """Whether the period is an integer, and not below the number of values."""
        return logical_and(
            self._close_to_integer(self._true_periodicity),
            greater_equal(cast(self._true_periodicity, self.dtype), float(self._num_latent_values)),
        )

    def _power_sum_array(self, max_remaining_steps: Any) -> Any:
        """What noise adds over each number of times up to the largest, beginning with 0."""
        size = self._num_latent_values
        turns: Any = self._turns(range_of(max_remaining_steps))
        places = np.arange(size - 1)
        gaps = turns[..., None] - self._matrix(1.0 * places)
        mesh: Any = self._cosecant(gaps) + self._cosecant(gaps - 1.0)
        products = mesh[..., None, :] * mesh[..., None]

        def at_value(turns: Any) -> tuple[Any, Any]:
            return self._close_to_integer(turns / size), cos(turns / size * np.pi)

        own, sign = at_value(gaps)
        next_one, next_sign = at_value(gaps - 1.0)
        at_places = logical_or(own, next_one)
        signs: Any = where(own, sign, next_sign)
        both = logical_and(at_places[..., None], at_places[..., None, :])
        products = where(self._close_to_integer(turns), zeros_like(products), products)
        scale: Any = sin(np.pi * turns) / size
        products = where(
            both,
            signs[..., None] * signs[..., None, :],
            products * math_unary.square(scale[..., None, None]),
        )
        alternating = (-1.0) ** (places[:, None] + places)
        sums = cumsum(self._matrix(alternating) * products)
        return pad(sums, [(1, 0), (0, 0), (0, 0)])

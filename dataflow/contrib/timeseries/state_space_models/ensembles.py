"""Several state space models as one, whose state is that of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.contrib.timeseries.state_space_models import matrices
from dataflow.contrib.timeseries.state_space_models.base import StateSpaceModel
from dataflow.contrib.timeseries.state_space_models.configuration import (
    StateSpaceModelConfiguration,
)
from dataflow.contrib.timeseries.statistics import InputStatistics
from dataflow.ops.array.concat import concat
from dataflow.variables.scope import variable_scope


class StateSpaceEnsemble(StateSpaceModel):
    """Models of the same values, whose observations are added up."""

    def __init__(
        self, ensemble_members: Sequence[Any], configuration: StateSpaceModelConfiguration
    ) -> None:
        """Takes the models, and what all have in common."""
        self._ensemble_members = ensemble_members
        super().__init__(configuration=configuration)

    def _set_input_statistics(self, input_statistics: InputStatistics | None = None) -> None:
        super()._set_input_statistics(input_statistics)
        for each in self._ensemble_members:
            each._set_input_statistics(input_statistics)

    def _loss_additions(self, times: Any, values: Any, mode: str) -> Any:
        total = super()._loss_additions(times, values, mode)
        for each in self._ensemble_members:
            total += each._loss_additions(times, values, mode)
        return total

    def _compute_blocked(self, member_fn: Callable[[Any], Any], name: str) -> Any:
        with variable_scope(self._variable_scope):
            blocks = [member_fn(each) for each in self._ensemble_members]
            return matrices.block_diagonal(blocks, dtype=self.dtype, name=name)

    def transition_to_powers(self, powers: Any) -> Any:
        """See `StateSpaceModel`."""
        return self._compute_blocked(
            lambda each: each.transition_to_powers(powers), "ensemble_transition_to_powers"
        )

    def _define_parameters(self, observation_transition_tradeoff_log: Any = None) -> None:
        with variable_scope(self._variable_scope):
            tradeoff = observation_transition_tradeoff_log
            if tradeoff is None:
                tradeoff = self._variable_observation_transition_tradeoff_log()
            for each in self._ensemble_members:
                each._define_parameters(observation_transition_tradeoff_log=tradeoff)
            super()._define_parameters(observation_transition_tradeoff_log=tradeoff)

    def random_model_parameters(self, seed: int | None = None) -> dict[Any, Any]:
        """See `StateSpaceModel`."""
        found: dict[Any, Any] = {}
        for index, each in enumerate(self._ensemble_members):
            found |= each.random_model_parameters(seed=seed + index if seed else None)
        return found | super().random_model_parameters(seed=seed)

    def get_prior_mean(self) -> Any:
        """See `StateSpaceModel`."""
        means = [each.get_prior_mean() for each in self._ensemble_members]
        return concat(means, axis=0, name="ensemble_prior_state_mean")

    def get_state_transition(self) -> Any:
        """See `StateSpaceModel`."""
        return self._compute_blocked(
            lambda each: each.get_state_transition(), "ensemble_state_transition"
        )

    def get_noise_transform(self) -> Any:
        """See `StateSpaceModel`."""
        return self._compute_blocked(
            lambda each: each.get_noise_transform(), "ensemble_noise_transform"
        )

    def get_observation_model(self, times: Any) -> Any:
        """Is not there: see `get_broadcasted_observation_model`."""
        raise NotImplementedError("No un-broadcasted observation model defined for ensembles.")

    def get_broadcasted_observation_model(self, times: Any) -> Any:
        """See `StateSpaceModel`."""
        models = [
            self._matrix(each.get_broadcasted_observation_model(times))
            for each in self._ensemble_members
        ]
        return concat(models, axis=2)


class StateSpaceIndependentEnsemble(StateSpaceEnsemble):
    """An ensemble whose models have noises that do not depend on each other."""

    def transition_power_noise_accumulator(self, num_steps: Any) -> Any:
        """See `StateSpaceModel`."""
        return self._compute_blocked(
            lambda each: each.transition_power_noise_accumulator(num_steps),
            "ensemble_power_noise_accumulator",
        )

    def get_prior_covariance(self) -> Any:
        """See `StateSpaceModel`."""
        return self._compute_blocked(
            lambda each: each.get_prior_covariance(), "ensemble_prior_state_covariance"
        )

    def get_state_transition_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """See `StateSpaceModel`: those of the models."""
        return self._compute_blocked(
            lambda each: each.state_transition_noise_covariance, "ensemble_state_transition_noise"
        )


class StateSpaceCorrelatedFeaturesEnsemble(StateSpaceEnsemble):
    """A model for each value of a time, with noises that depend on each other."""

    def __init__(
        self, ensemble_members: Sequence[Any], configuration: StateSpaceModelConfiguration
    ) -> None:
        """Takes the models, and what all have in common.

        Raises:
          ValueError: They are not as many as values, or one is of several.
        """
        if len(ensemble_members) != configuration.num_features:
            raise ValueError(
                "The number of members in a StateSpaceCorrelatedFeaturesEnsemble must equal the "
                "number of features in the time series."
            )
        if any(each.num_features != 1 for each in ensemble_members):
            raise ValueError("StateSpaceCorrelatedFeaturesEnsemble components must be univariate.")
        super().__init__(ensemble_members=ensemble_members, configuration=configuration)

    def transition_power_noise_accumulator(self, num_steps: Any) -> Any:
        """See `StateSpaceModel`."""
        if len(self._ensemble_members) == 1:
            (only,) = self._ensemble_members
            return only.transition_power_noise_accumulator(num_steps=num_steps)
        return super().transition_power_noise_accumulator(num_steps=num_steps)

    def get_broadcasted_observation_model(self, times: Any) -> Any:
        """See `StateSpaceModel`."""
        return self._compute_blocked(
            lambda each: self._matrix(each.get_broadcasted_observation_model(times)),
            "feature_ensemble_observation_model",
        )

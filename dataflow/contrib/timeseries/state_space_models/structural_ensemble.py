"""Sums of a level with its trend, of cycles, and of what follows from values before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.timeseries.state_space_models.base import StateSpaceModel
from dataflow.contrib.timeseries.state_space_models.configuration import (
    StateSpaceModelConfiguration,
)
from dataflow.contrib.timeseries.state_space_models.ensembles import (
    StateSpaceCorrelatedFeaturesEnsemble,
    StateSpaceIndependentEnsemble,
)
from dataflow.contrib.timeseries.state_space_models.level_trend import AdderStateSpaceModel
from dataflow.contrib.timeseries.state_space_models.periodic import (
    CycleStateSpaceModel,
    ResolutionCycleModel,
)
from dataflow.contrib.timeseries.state_space_models.varma import VARMA
from dataflow.values import nest
from dataflow.variables.scope import variable_scope

_MakeModel = Callable[[StateSpaceModelConfiguration], StateSpaceModel]


def _of_each_feature(scope: str, configuration: StateSpaceModelConfiguration, make: Any) -> Any:
    """A model of each value of a time, as one."""
    single = configuration._replace(num_features=1)
    with variable_scope(scope):
        members = []
        for number in range(configuration.num_features):
            with variable_scope(f"feature{number}"):
                members.append(make(single))
        return StateSpaceCorrelatedFeaturesEnsemble(members, configuration)


def _parts(
    cycles: list[_MakeModel],
    moving_average_order: int,
    autoregressive_order: int,
    configuration: StateSpaceModelConfiguration,
) -> list[StateSpaceModel]:
    part = configuration._replace(use_observation_noise=False)
    level = _of_each_feature(
        "adder", part, lambda single: AdderStateSpaceModel(configuration=single)
    )
    with variable_scope("varma"):
        varma = VARMA(autoregressive_order, moving_average_order, configuration=part)
    turning = [_of_each_feature(f"cycle{number}", part, make) for number, make in enumerate(cycles)]
    return [level, varma, *turning]


class StructuralEnsemble(StateSpaceIndependentEnsemble):
    """A level with its trend, cycles with a value for each time, and a VARMA model."""

    def __init__(
        self,
        periodicities: Any,
        moving_average_order: int,
        autoregressive_order: int,
        use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008
    ) -> None:
        """Takes the parts.

        Args:
          periodicities: How many times a period has, or a list of such numbers.
          moving_average_order: See `VARMA`.
          autoregressive_order: See there.
          use_level_noise: Is looked at by nothing.
          configuration: See `StateSpaceModel`.
        """
        cycles: list[_MakeModel] = [
            lambda single, period=period: CycleStateSpaceModel(period, configuration=single)  # type: ignore[misc]
            for period in nest.flatten(periodicities)
        ]
        super().__init__(
            _parts(cycles, moving_average_order, autoregressive_order, configuration),
            configuration,
        )


class MultiResolutionStructuralEnsemble(StateSpaceIndependentEnsemble):
    """A level with its trend, cycles with fewer values than times, and a VARMA model."""

    def __init__(
        self,
        cycle_num_latent_values: Any,
        moving_average_order: int,
        autoregressive_order: int,
        periodicities: Any,
        use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008
    ) -> None:
        """Takes the parts.

        Args:
          cycle_num_latent_values: How many values a cycle has, or a list of such numbers.
          moving_average_order: See `VARMA`.
          autoregressive_order: See there.
          periodicities: How many times a period has, or a list of such numbers, or None.
          use_level_noise: Is looked at by nothing.
          configuration: See `StateSpaceModel`.

        Raises:
          ValueError: The lists are of two lengths.
        """
        periods = nest.flatten([] if periodicities is None else periodicities)
        counts = nest.flatten(cycle_num_latent_values)
        if len(counts) != len(periods):
            if len(counts) != 1:
                raise ValueError(
                    "`cycle_num_latent_values` must either be a list with the same size as "
                    f"`periodicity` or a scalar. Received length {len(counts)} "
                    "`cycle_num_latent_values`, while `periodicities` has length "
                    f"{len(periods)}."
                )
            counts = counts * len(periods)
        cycles: list[_MakeModel] = [
            lambda single, count=count, period=period: ResolutionCycleModel(  # type: ignore[misc]
                num_latent_values=count, periodicity=period, configuration=single
            )
            for count, period in zip(counts, periods, strict=True)
        ]
        super().__init__(
            _parts(cycles, moving_average_order, autoregressive_order, configuration),
            configuration,
        )

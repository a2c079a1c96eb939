"""What looks at each step of a filter: whether what was seen is an anomaly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.timeseries.state_space_models.matrices import (
    cauchy_log_prob,
    entropy_matched_cauchy_scale,
)
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies
from dataflow.library.check_values import assert_equal
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import nest


class FilteringStepPostprocessor(ABC):
    """Changes what a step of a filter gives."""

    @abstractmethod
    def process_filtering_step(
        self,
        current_times: Any,
        current_values: Any,
        predicted_state: Any,
        filtered_state: Any,
        outputs: dict[str, Any],
    ) -> tuple[Any, dict[str, Any]]:
        """The state after a step, and what the step gives.

        Args:
          current_times: The times.
          current_values: What was seen.
          predicted_state: The state before.
          filtered_state: The state after it was seen.
          outputs: What the step gives, with "loss" and "log_likelihood".
        """

    @property
    @abstractmethod
    def output_names(self) -> list[str]:
        """What it adds to what a step gives."""


def cauchy_alternative_to_gaussian(
    current_times: Any, current_values: Any, outputs: dict[str, Any]
) -> Any:
    """The logarithm of a density with the entropy of a normal one, which falls slowly.

    Args:
      current_times: Are not looked at.
      current_values: What was seen.
      outputs: "mean" and "covariance" of what was expected.
    """
    scale = entropy_matched_cauchy_scale(outputs["covariance"])
    each = cauchy_log_prob(loc=outputs["mean"], scale=scale, x=current_values)
    return reduce_sum(each, axis=1)


def _between(first: Any, second: Any, share: Any) -> Any:
    """A state between two, of which the first has a share; what is no float is the same in both."""
    found = []
    for one, other in zip(nest.flatten(first), nest.flatten(second), strict=True):
        if one.dtype.is_floating:
            wide = array_shape.reshape(share, [-1] + [1] * (one.shape.rank - 1))
            mixed = wide * one + (1.0 - wide) * other
            mixed.set_shape(one.shape)
            found.append(mixed)
        else:
            with control_dependencies([assert_equal(one, other)]):
                found.append(identity(one))
    return nest.pack_sequence_as(first, found)


class StateInterpolatingAnomalyDetector(FilteringStepPostprocessor):
    """Lets the state follow what was seen only as far as that is no anomaly."""

    output_names = ["anomaly_score"]  # noqa: RUF012

    def __init__(
        self,
        anomaly_log_likelihood: Callable[..., Any] = cauchy_alternative_to_gaussian,
        anomaly_prior_probability: float = 0.01,
        responsibility_scaling: float = 1.0,
    ) -> None:
        """Takes what an anomaly is.

        Args:
          anomaly_log_likelihood: The logarithm of the density of anomalies, of `current_times`,
            `current_values` and `outputs`.
          anomaly_prior_probability: How often there is one.
          responsibility_scaling: The larger, the sooner the state follows wholly or not at all.
        """
        self._anomaly_log_likelihood = anomaly_log_likelihood
        self._responsibility_scaling = responsibility_scaling
        self._anomaly_prior_probability = anomaly_prior_probability

    def process_filtering_step(
        self,
        current_times: Any,
        current_values: Any,
        predicted_state: Any,
        filtered_state: Any,
        outputs: dict[str, Any],
    ) -> tuple[Any, dict[str, Any]]:
        """See `FilteringStepPostprocessor`."""
        density = self._anomaly_log_likelihood(
            current_times=current_times, current_values=current_values, outputs=outputs
        )
        chance: Any = convert_to_tensor(self._anomaly_prior_probability, current_values.dtype)
        as_anomaly = density + math_unary.log(chance)
        as_usual = outputs["log_likelihood"] + math_unary.log(1.0 - chance)
        odds = as_anomaly - as_usual
        usual: Any = sigmoid(-self._responsibility_scaling * odds)
        outputs["loss"] = -(usual * as_usual + (1.0 - usual) * as_anomaly)
        outputs["anomaly_score"] = odds
        return _between(filtered_state, predicted_state, usual), outputs

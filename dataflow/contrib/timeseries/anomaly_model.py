"""AnomalyMixtureARModel: an ARModel for series some of whose values are anomalies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.ar_model import ARModel, normal_log_prob
from dataflow.contrib.timeseries.prediction_models import FlatPredictionModel
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.unary import exp, log, log1p, sqrt, square
from dataflow.ops.reductions.reduce import reduce_prod, reduce_sum
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable


class AnomalyMixtureARModel(ARModel):
    """Values are the model's, or with some probability those of another, wider distribution."""

    GAUSSIAN_ANOMALY: ClassVar[str] = "gaussian"
    CAUCHY_ANOMALY: ClassVar[str] = "cauchy"

    def __init__(
        self,
        periodicities: Any,
        anomaly_prior_probability: float,
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        prediction_model_factory: Callable[..., Any] = FlatPredictionModel,
        anomaly_distribution: str = GAUSSIAN_ANOMALY,
        num_time_buckets: int = 10,
        exogenous_feature_columns: Sequence[Any] | None = None,
    ) -> None:
        """Takes what an `ARModel` does, and of anomalies:

        Args:
          periodicities: See there.
          anomaly_prior_probability: How probable they are.
          input_window_size: See there.
          output_window_size: See there.
          num_features: See there.
          prediction_model_factory: See there.
          anomaly_distribution: `GAUSSIAN_ANOMALY` or `CAUCHY_ANOMALY`.
          num_time_buckets: See there.
          exogenous_feature_columns: See there.

        Raises:
          AssertionError: The probability is not between 0 and 1, or the distribution another.
        """
        if not 0.0 < anomaly_prior_probability < 1.0:
            raise AssertionError(
                "anomaly_prior_probability must lie between 0 and 1, and is "
                f"{anomaly_prior_probability}."
            )
        if anomaly_distribution not in (self.GAUSSIAN_ANOMALY, self.CAUCHY_ANOMALY):
            raise AssertionError(
                f"anomaly_distribution must be '{self.GAUSSIAN_ANOMALY}' or "
                f"'{self.CAUCHY_ANOMALY}', not {anomaly_distribution!r}."
            )
        self._anomaly_prior_probability = anomaly_prior_probability
        self._anomaly_distribution = anomaly_distribution
        super().__init__(
            periodicities=periodicities,
            num_features=num_features,
            num_time_buckets=num_time_buckets,
            input_window_size=input_window_size,
            output_window_size=output_window_size,
            loss=ARModel.NORMAL_LIKELIHOOD_LOSS,
            prediction_model_factory=prediction_model_factory,
            exogenous_feature_columns=exogenous_feature_columns,
        )

    def prediction_ops(self, times: Any, values: Any, exogenous_regressors: Any) -> dict[str, Any]:
        """See `ARModel`; also the variance or the scale of anomalies."""
        found = super().prediction_ops(times, values, exogenous_regressors)
        logarithm = get_variable(
            "anomaly_log_param", shape=[], dtype=self.dtype, initializer=Zeros()
        )
        found["anomaly_params"] = exp(logarithm)
        return found

    def _anomaly_log_prob(self, targets: Any, prediction_ops: Mapping[str, Any]) -> Any:
        mean, width = prediction_ops["mean"], prediction_ops["anomaly_params"]
        if self._anomaly_distribution == self.GAUSSIAN_ANOMALY:
            return normal_log_prob(targets, sqrt(maximum(width, 1e-5)), mean)
        z = (mean - targets) / width
        return -np.log(np.pi) - log(width) - log1p(square(z))

    def loss_op(self, targets: Any, prediction_ops: Mapping[str, Any]) -> Any:
        """See `ARModel`."""
        sigma = sqrt(maximum(prediction_ops["covariance"], 1e-5))
        normal: Any = normal_log_prob(targets, sigma, prediction_ops["mean"])
        normal += math.log(1 - self._anomaly_prior_probability)
        anomaly: Any = self._anomaly_log_prob(targets, prediction_ops)
        anomaly += math.log(self._anomaly_prior_probability)
        # The logarithm of both densities together, without leaving the range of floats.
        lower, upper = minimum(normal, anomaly), maximum(normal, anomaly)
        mixed: Any = upper + log(1 + exp(lower - upper))
        loss: Any = -reduce_sum(mixed)
        return loss / cast(reduce_prod(array_shape.shape(targets)), self.dtype)

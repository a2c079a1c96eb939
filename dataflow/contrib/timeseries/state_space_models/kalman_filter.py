"""Kalman's filter: what is known of a state before and after it is seen."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.state_space_models.matrices import mvn_tril_log_prob
from dataflow.control_flow.assertion import Assert
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.linalg.cholesky import cholesky
from dataflow.ops.linalg.diag import eye, matrix_diag_part
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_solve
from dataflow.ops.math.check import verify_tensor_all_finite
from dataflow.ops.reductions.reduce import reduce_min
from dataflow.values import dtypes

_UNSTABLE = (
    "This may occur due to numerically unstable filtering when there is a large difference in "
    "posterior variances, or when inferences are near-deterministic. Considering tuning the "
    "'filtering_maximum_posterior_variance_ratio' or 'filtering_minimum_posterior_variance' "
    "parameters in your StateSpaceModelConfiguration, or tuning the transition matrix."
)


class KalmanFilter:
    """States that move by matrices and are seen by others, both with normal noise.

    States are `[batch, state]`, their covariances `[batch, state, state]`, observations
    `[batch, features]`, observation models `[batch, features, state]`.
    """

    def __init__(
        self,
        dtype: Any = dtypes.float32,
        simplified_posterior_covariance_computation: bool = False,
    ) -> None:
        """Takes the type.

        Args:
          dtype: The type to calculate with.
          simplified_posterior_covariance_computation: Whether covariances are computed by a shorter
            formula, which may give asymmetric ones.
        """
        self._simplified = simplified_posterior_covariance_computation
        self.dtype = dtype

    def do_filter(
        self,
        estimated_state: Any,
        estimated_state_covariance: Any,
        predicted_observation: Any,
        predicted_observation_covariance: Any,
        observation: Any,
        observation_model: Any,
        observation_noise: Any,
    ) -> tuple[Any, Any, Any]:
        """What is known of a state once it is seen.

        Args:
          estimated_state: Its mean before.
          estimated_state_covariance: Its covariance before.
          predicted_observation: The mean of what was expected to be seen.
          predicted_observation_covariance: Its covariance.
          observation: What was seen.
          observation_model: What is seen of a state.
          observation_noise: The covariance of the noise in it.

        Returns:
          Mean and covariance, and the logarithm of the density of what was seen.
        """
        given = predicted_observation_covariance
        symmetric: Any = verify_tensor_all_finite(
            0.5 * (given + matrix_transpose(given)),
            f"Predicted observation covariance was not finite. {_UNSTABLE}",
        )
        smallest: Any = reduce_min(matrix_diag_part(symmetric))
        text = f"The predicted observation covariance has a negative diagonal entry. {_UNSTABLE}"
        check = Assert(smallest >= 0.0, [text, smallest])
        with control_dependencies([check]):
            factor = cholesky(symmetric)
        density = mvn_tril_log_prob(predicted_observation, factor, observation)
        mean, covariance = self.posterior_from_prior_state(
            prior_state=estimated_state,
            prior_state_var=estimated_state_covariance,
            observation=observation,
            observation_model=observation_model,
            predicted_observations=(predicted_observation, given),
            observation_noise=observation_noise,
        )
        return mean, covariance, density

    def predict_state_mean(self, prior_state: Any, transition_matrices: Any) -> Any:
        """The mean after a move.

        Args:
          prior_state: The mean before.
          transition_matrices: `[batch, state, state]`.
        """
        return array_shape.squeeze(matmul(transition_matrices, prior_state[..., None]), axis=[-1])

    def predict_state_var(
        self, prior_state_var: Any, transition_matrices: Any, transition_noise_sums: Any
    ) -> Any:
        """The covariance after a move.

        Args:
          prior_state_var: The covariance before.
          transition_matrices: `[batch, state, state]`.
          transition_noise_sums: The covariances that the move adds.
        """
        moved = matmul(transition_matrices, prior_state_var)
        return matmul(moved, transition_matrices, adjoint_b=True) + transition_noise_sums

    def posterior_from_prior_state(
        self,
        prior_state: Any,
        prior_state_var: Any,
        observation: Any,
        observation_model: Any,
        predicted_observations: tuple[Any, Any],
        observation_noise: Any,
    ) -> tuple[Any, Any]:
        """Mean and covariance of a state once it is seen; see `do_filter`."""
        expected, spread = predicted_observations
        gap = array_shape.expand_dims(observation - expected, -1)
        seen = matmul(observation_model, prior_state_var, adjoint_b=True)
        gain = matrix_solve(spread, seen, adjoint=True)
        correction = array_shape.squeeze(matmul(gain, gap, adjoint_a=True), axis=[-1])
        taken: Any = matmul(gain, observation_model, adjoint_a=True)
        left = eye(array_shape.shape(taken)[1], dtype=taken.dtype)[None] - taken
        covariance = matmul(left, prior_state_var)
        if not self._simplified:
            # Joseph's form, which is symmetric.
            noise = convert_to_tensor(observation_noise)
            of_noise = matmul(matmul(gain, noise, adjoint_a=True), gain)
            covariance = matmul(covariance, left, adjoint_b=True) + of_noise
        return prior_state + correction, covariance

    def observed_from_state(
        self, state_mean: Any, state_var: Any, observation_model: Any, observation_noise: Any
    ) -> tuple[Any, Any]:
        """Mean and covariance of what is expected to be seen of a state; see `do_filter`."""
        wide = array_shape.expand_dims(state_mean, 1)
        mean = array_shape.squeeze(matmul(wide, observation_model, adjoint_b=True), axis=[1])
        seen = matmul(observation_model, state_var)
        covariance = matmul(seen, observation_model, adjoint_b=True)
        return mean, covariance + observation_noise

"""GMM: an estimator of mixtures of Gaussians."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from dataflow.contrib.factorization import gmm_ops
from dataflow.contrib.factorization.kmeans import BeginHook, points_of
from dataflow.contrib.framework.plain_variables import local_variable
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.model_fn import ModelFnOps
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.state.reference import assign_add
from dataflow.training.global_step import get_global_step


class GMM(Estimator):
    """A mixture of Gaussians."""

    SCORES: ClassVar[str] = "scores"
    LOG_LIKELIHOOD: ClassVar[str] = "loss"
    ASSIGNMENTS: ClassVar[str] = "assignments"

    def __init__(
        self,
        num_clusters: int,
        model_dir: Any = None,
        random_seed: int = 0,
        params: str = "wmc",
        initial_clusters: Any = "random",
        covariance_type: str = "full",
        config: Any = None,
    ) -> None:
        """Makes an estimator; its features are points as rows, or columns by name.

        Args:
          num_clusters: How many Gaussians.
          model_dir: Folder of checkpoints and summaries.
          random_seed: Of random means.
          params: What training changes: "w" weights, "m" means, "c" covariances.
          initial_clusters: Means as rows, or "random".
          covariance_type: "full" or "diag".
          config: How to run.
        """

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            loss, scores, assignments, step, begin, is_complete = gmm_ops.gmm(
                points_of(features),
                initial_clusters,
                num_clusters,
                random_seed,
                covariance_type,
                params,
            )
            return ModelFnOps(
                mode=mode,
                predictions={self.ASSIGNMENTS: assignments[0][0]},
                loss=loss,
                train_op=with_dependencies([step, assign_add(get_global_step(), 1)], loss),
                eval_metric_ops={
                    self.SCORES: (scores, scores),
                    self.LOG_LIKELIHOOD: _total(loss),
                },
                training_hooks=[BeginHook(begin, is_complete, config.is_chief)],
            )

        super().__init__(model_fn, model_dir, config)

    def predict_assignments(
        self, input_fn: Any = None, batch_size: int | None = None, outputs: Any = None
    ) -> Iterator[Any]:
        """Gives the likeliest Gaussian of each point."""
        for found in self.predict(input_fn=input_fn, batch_size=batch_size, outputs=outputs):
            yield found[self.ASSIGNMENTS]

    def score(
        self, input_fn: Any = None, batch_size: int | None = None, steps: int | None = None
    ) -> Any:
        """The logarithm of the sum of the points' likelihoods."""
        found = self.evaluate(input_fn=input_fn, batch_size=batch_size, steps=steps)
        return np.log(np.sum(np.exp(found[self.SCORES])))

    def weights(self) -> Any:
        """The weights of the Gaussians."""
        return self.get_variable_value(gmm_ops.GmmAlgorithm.CLUSTERS_WEIGHT)

    def clusters(self) -> Any:
        """Their means, as rows."""
        found = self.get_variable_value(gmm_ops.GmmAlgorithm.CLUSTERS_VARIABLE)
        return np.squeeze(found, 1)

    def covariances(self) -> Any:
        """Their covariances."""
        return self.get_variable_value(gmm_ops.GmmAlgorithm.CLUSTERS_COVS_VARIABLE)


def _total(value: Any) -> tuple[Any, Any]:
    total = local_variable(constant(0.0))
    return total, total.assign_add(value)

"""tf.contrib.learn.KMeansClustering: clusters, with the older methods of estimators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from dataflow.contrib.factorization import names
from dataflow.contrib.factorization.clusters import KMeans
from dataflow.contrib.factorization.kmeans import model_of, points_of
from dataflow.contrib.learn.estimator import Estimator


class KMeansClustering(Estimator):
    """k-means clustering of points."""

    SQUARED_EUCLIDEAN_DISTANCE: ClassVar[str] = names.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE: ClassVar[str] = names.COSINE_DISTANCE
    RANDOM_INIT: ClassVar[str] = names.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT: ClassVar[str] = names.KMEANS_PLUS_PLUS_INIT

    SCORES: ClassVar[str] = "scores"
    CLUSTER_IDX: ClassVar[str] = "cluster_idx"
    CLUSTERS: ClassVar[str] = names.CLUSTERS_VAR_NAME
    ALL_SCORES: ClassVar[str] = "all_scores"
    LOSS_OP_NAME: ClassVar[str] = "kmeans_loss"

    def __init__(
        self,
        num_clusters: Any,
        model_dir: Any = None,
        initial_clusters: Any = names.RANDOM_INIT,
        distance_metric: str = names.SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: Any = None,
    ) -> None:
        """Makes an estimator; see `tf.contrib.factorization.KMeansClustering`.

        Features are points as rows, or columns by name.
        """

        def model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
            clusters = KMeans(
                points_of(features),
                num_clusters,
                initial_clusters,
                distance_metric,
                use_mini_batch,
                mini_batch_steps_per_iteration,
                random_seed,
                kmeans_plus_plus_num_retries,
            )
            keys = (self.ALL_SCORES, self.CLUSTER_IDX, self.SCORES)
            return model_of(clusters, mode, config, relative_tolerance, keys, self.LOSS_OP_NAME)

        super().__init__(model_fn, model_dir, config)

    def predict_cluster_idx(self, input_fn: Any = None) -> Iterator[Any]:
        """Gives the number of the nearest center of each point."""
        for found in self.predict(input_fn=input_fn, outputs=[self.CLUSTER_IDX]):
            yield found[self.CLUSTER_IDX]

    def score(self, input_fn: Any = None, steps: int | None = None) -> Any:
        """The sum of the distances of points from their nearest centers."""
        return np.sum(self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES])

    def transform(self, input_fn: Any = None, as_iterable: bool = False) -> Any:
        """The distances of each point from all centers: rows, or one after the other by name."""
        found = self.predict(input_fn=input_fn, outputs=[self.ALL_SCORES], as_iterable=as_iterable)
        return found if as_iterable else found[self.ALL_SCORES]

    def clusters(self) -> Any:
        """The centers, as rows."""
        return self.get_variable_value(self.CLUSTERS)

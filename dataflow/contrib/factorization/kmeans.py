"""KMeansClustering: an Estimator that finds clusters."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, ClassVar

from dataflow.contrib.factorization import names
from dataflow.contrib.factorization.clusters import KMeans
from dataflow.estimation.estimator import Estimator
from dataflow.estimation.export_outputs import PredictOutput
from dataflow.estimation.model_spec import EstimatorSpec
from dataflow.feature_columns.models import input_layer
from dataflow.library.metrics.means import mean
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.state.reference import assign_add
from dataflow.training.global_step import get_global_step
from dataflow.training.hooks.session_run_hook import SessionRunArgs, SessionRunHook
from dataflow.values import logging

_DEFAULT_SIGNATURE = "serving_default"


class _RelativeChangeHook(SessionRunHook):
    """Ends training when the loss hardly changes."""

    def __init__(self, loss: Any, tolerance: float) -> None:
        self._loss = loss
        self._tolerance = tolerance
        self._before: Any = None

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        loss, before = run_values.results, self._before
        if before and abs(loss - before) / (1 + abs(before)) < self._tolerance:
            run_context.request_stop()
        self._before = loss


class BeginHook(SessionRunHook):
    """Has the chief choose centers; others wait for it."""

    def __init__(self, begin: Any, is_complete: Any, is_chief: bool) -> None:
        self._begin = begin
        self._is_complete = is_complete
        self._is_chief = is_chief

    def after_create_session(self, session: Any, coord: Any) -> None:
        while True:
            try:
                if session.run(self._is_complete):
                    return
                if self._is_chief:
                    session.run(self._begin)
                else:
                    time.sleep(1)
            except RuntimeError as error:
                logging.info(error)


class KMeansClustering(Estimator):
    """k-means clustering of points, as `tf.contrib.factorization.KMeans` does it."""

    SQUARED_EUCLIDEAN_DISTANCE: ClassVar[str] = names.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE: ClassVar[str] = names.COSINE_DISTANCE
    RANDOM_INIT: ClassVar[str] = names.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT: ClassVar[str] = names.KMEANS_PLUS_PLUS_INIT

    SCORE: ClassVar[str] = "score"
    """What `evaluate` calls the sum of distances."""
    CLUSTER_INDEX: ClassVar[str] = "cluster_index"
    """What `predict` calls the cluster of a point,"""
    ALL_DISTANCES: ClassVar[str] = "all_distances"
    """and its distances from all centers."""
    CLUSTER_CENTERS_VAR_NAME: ClassVar[str] = names.CLUSTERS_VAR_NAME

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
        feature_columns: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          num_clusters: How many clusters; counts for nothing if centers are given.
          model_dir: Where checkpoints and summaries are written.
          initial_clusters: Centers, a function of points and how many are missing that gives as
            many or fewer, `RANDOM_INIT` or `KMEANS_PLUS_PLUS_INIT`.
          distance_metric: `SQUARED_EUCLIDEAN_DISTANCE` or `COSINE_DISTANCE`.
          random_seed: Of how it begins.
          use_mini_batch: Whether a step sees some of the points only.
          mini_batch_steps_per_iteration: After how many steps centers move.
          kmeans_plus_plus_num_retries: How many more points are drawn for each of k-means++.
          relative_tolerance: Training ends when the loss changes by less.
          config: A `RunConfig`.
          feature_columns: What points are made of, if features are a dictionary; of all if None.

        Raises:
          ValueError: `initial_clusters` or `distance_metric` is the name of nothing.
        """
        ways = (names.RANDOM_INIT, names.KMEANS_PLUS_PLUS_INIT)
        names.check_names(initial_clusters, distance_metric, ways)

        def model_fn(features: Any, mode: Any, config: Any) -> EstimatorSpec:
            clusters = KMeans(
                points_of(features, feature_columns),
                num_clusters,
                initial_clusters,
                distance_metric,
                use_mini_batch,
                mini_batch_steps_per_iteration,
                random_seed,
                kmeans_plus_plus_num_retries,
            )
            keys = (self.ALL_DISTANCES, self.CLUSTER_INDEX, self.SCORE)
            spec = model_of(clusters, mode, config, relative_tolerance, keys)
            found = {**spec.predictions, _DEFAULT_SIGNATURE: spec.predictions[self.CLUSTER_INDEX]}
            outputs = {name: PredictOutput(each) for name, each in found.items()}
            return spec._replace(export_outputs=outputs)

        super().__init__(model_fn, model_dir, config)

    def predict_cluster_index(self, input_fn: Any) -> Iterator[Any]:
        """Gives the number of the nearest center of each point."""
        return self._predicted(input_fn, self.CLUSTER_INDEX)

    def score(self, input_fn: Any) -> Any:
        """The sum of the distances of the first batch's points from their nearest centers."""
        return self.evaluate(input_fn=input_fn, steps=1)[self.SCORE]

    def transform(self, input_fn: Any) -> Iterator[Any]:
        """Gives the distances of each point from all centers."""
        return self._predicted(input_fn, self.ALL_DISTANCES)

    def cluster_centers(self) -> Any:
        """The centers, as rows."""
        return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)

    def _predicted(self, input_fn: Any, key: str) -> Iterator[Any]:
        for found in self.predict(input_fn=input_fn, predict_keys=[key]):
            yield found[key]


def model_of(
    clusters: KMeans,
    mode: Any,
    config: Any,
    relative_tolerance: float | None,
    keys: tuple[str, str, str],
    loss_name: str | None = None,
) -> EstimatorSpec:
    """What a model function gives for clusters.

    Args:
      clusters: The clusters.
      mode: Of the model function.
      config: Of the model function.
      relative_tolerance: Training ends when the loss changes by less.
      keys: What distances from all centers, the number of the nearest and the loss are called.
      loss_name: The loss operation's name.
    """
    scores, places, distances, is_complete, begin, step = clusters.training_graph()
    loss = reduce_sum(distances, name=loss_name)
    scalar("loss/raw", loss)
    hooks: list[SessionRunHook] = [BeginHook(begin, is_complete, config.is_chief)]
    if relative_tolerance is not None:
        hooks.append(_RelativeChangeHook(loss, relative_tolerance))
    of_distances, of_places, of_loss = keys
    return EstimatorSpec(
        mode=mode,
        predictions={of_distances: scores[0], of_places: places[0]},
        loss=loss,
        train_op=with_dependencies([step, assign_add(get_global_step(), 1)], loss),
        eval_metric_ops={of_loss: mean(loss)},
        training_hooks=hooks,
    )


def points_of(features: Any, feature_columns: Any = None) -> Any:
    """Points as rows: of features by name their columns, or all in the order of names."""
    if not isinstance(features, dict):
        return features
    if feature_columns:
        return input_layer(features, feature_columns)
    return concat([features[key] for key in sorted(features)], axis=1)

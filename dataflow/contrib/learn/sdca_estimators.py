"""Linear models that dual coordinate ascent trains, as estimators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dataflow.contrib.learn.dual_ascent as dual_ascent
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.heads.classes import multi_class_head
from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.contrib.learn.heads.numbers import regression_head
from dataflow.contrib.linear_optimizer.optimizer import SDCAOptimizer


def sdca_model_fn(
    features: Any, labels: Any, mode: Any, params: Mapping[str, Any], config: Any = None
) -> Any:
    """The model function of linear models with parameters by name.

    Args:
      features: Tensors by name, with ids of examples among them.
      labels: One for each example: floats of a regression, integers 0 and 1 of classes.
      mode: One of `tf.contrib.learn.ModeKeys`.
      params: By name `head`, `feature_columns`, `example_id_column`, `l1_regularization`,
        `l2_regularization`, `num_loss_partitions`, `weight_column_name` and `partitioner`.
      config: Says how many workers there are, if `num_loss_partitions` does not.

    Raises:
      KeyError: A parameter is missing.
      ValueError: The head is of another kind, a column has the name of the bias', or nothing says
        how many workers there are.
    """
    partitions = params["num_loss_partitions"]
    if not partitions:
        if config is None:
            raise ValueError("Without num_loss_partitions sdca_model_fn needs a config.")
        partitions = max(1, config.num_worker_replicas)
    return dual_ascent.sdca_model_fn(
        features,
        labels,
        mode,
        head=params["head"],
        columns=params["feature_columns"],
        optimizer=SDCAOptimizer(
            params["example_id_column"],
            num_loss_partitions=partitions,
            symmetric_l1_regularization=params["l1_regularization"],
            symmetric_l2_regularization=params["l2_regularization"],
            partitioner=params["partitioner"],
        ),
        weight_column_name=params["weight_column_name"],
    )


class _SdcaEstimator(Estimator):
    """What both share: all but the head."""

    def __init__(
        self,
        head: Any,
        example_id_column: str,
        feature_columns: Any,
        weight_column_name: str | None,
        model_dir: Any,
        l1_regularization: float,
        l2_regularization: float,
        num_loss_partitions: int | None,
        config: Any,
        feature_engineering_fn: Any,
        partitioner: Any,
    ) -> None:
        columns = tuple(feature_columns or ())
        if not columns:
            raise AssertionError(f"{type(self).__name__} needs feature_columns; there are none.")
        params = {
            "head": head,
            "feature_columns": columns,
            "example_id_column": example_id_column,
            "num_loss_partitions": num_loss_partitions,
            "l1_regularization": l1_regularization,
            "l2_regularization": l2_regularization,
            "weight_column_name": weight_column_name,
            "partitioner": partitioner,
        }
        super().__init__(sdca_model_fn, model_dir, config, params, feature_engineering_fn)

    def _one_by_one(self, key: str, input_fn: Any) -> Any:
        return (each[key] for each in Estimator.predict(self, input_fn=input_fn, outputs=[key]))


class SDCALogisticClassifier(_SdcaEstimator):
    """Tells two classes by a linear model."""

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Any,
        weight_column_name: str | None = None,
        model_dir: Any = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 1.0,
        num_loss_partitions: int | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        partitioner: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          example_id_column: The feature that holds an id of each example, a string.
          feature_columns: Columns of numbers or categories, in any order.
          weight_column_name: The feature that tells what examples count.
          model_dir: Folder of checkpoints and summaries.
          l1_regularization: How much the weights' L1 norm is held down.
          l2_regularization: How much their L2 norm is; 1 is taken for less.
          num_loss_partitions: Over how many steps at once the loss is divided; as many as there are
            workers if None.
          config: How to run.
          feature_engineering_fn: Features and labels for features and labels.
          partitioner: Cuts the weights into parts.

        Raises:
          AssertionError: There are no columns.
        """
        super().__init__(
            multi_class_head(n_classes=2, weight_column_name=weight_column_name),
            example_id_column,
            feature_columns,
            weight_column_name,
            model_dir,
            l1_regularization,
            l2_regularization,
            num_loss_partitions,
            config,
            feature_engineering_fn,
            partitioner,
        )

    def predict_classes(self, input_fn: Any = None) -> Any:
        """The classes of examples, one after the other."""
        return self._one_by_one(PredictionKey.CLASSES, input_fn)

    def predict_proba(self, input_fn: Any = None) -> Any:
        """The probabilities of both classes, one example after the other."""
        return self._one_by_one(PredictionKey.PROBABILITIES, input_fn)


class SDCALinearRegressor(_SdcaEstimator):
    """Tells a number by a linear model."""

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Any,
        weight_column_name: str | None = None,
        model_dir: Any = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 1.0,
        num_loss_partitions: int | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        partitioner: Any = None,
    ) -> None:
        """Makes an estimator; see `SDCALogisticClassifier`."""
        super().__init__(
            regression_head(weight_column_name=weight_column_name),
            example_id_column,
            feature_columns,
            weight_column_name,
            model_dir,
            l1_regularization,
            l2_regularization,
            num_loss_partitions,
            config,
            feature_engineering_fn,
            partitioner,
        )

    def predict_scores(self, input_fn: Any) -> Any:
        """The numbers of examples, one after the other."""
        return self._one_by_one(PredictionKey.SCORES, input_fn)

"""Estimators of forests: of tf.contrib.learn, of several labels, and of tf.estimator."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.tensor_forest.client.model_fns import (
    ModelBuilderOutputType,
    get_combined_model_fn,
    get_default_head,
    get_model_fn,
)
from dataflow.contrib.tensor_forest.python.graphs import RandomForestGraphs
from dataflow.estimation.estimator import Estimator as CoreEstimator


def _trainers(num_trainers: int, config: Any) -> int:
    """How many trainers there are: those that are told, or the configuration's workers."""
    if num_trainers == 1 and config is not None:
        return max(1, int(config.num_worker_replicas))
    return num_trainers


class TensorForestEstimator(Estimator):
    """An estimator, of tf.contrib.learn's kind, that trains a forest."""

    def __init__(
        self,
        params: Any,
        device_assigner: Any = None,
        model_dir: Any = None,
        feature_columns: Any = None,
        graph_builder_class: Any = RandomForestGraphs,
        config: Any = None,
        weight_column: str | None = None,
        keys_column: str | None = None,
        feature_engineering_fn: Any = None,
        early_stopping_rounds: int = 100,
        early_stopping_loss_threshold: float = 0.001,
        num_trainers: int = 1,
        trainer_id: int = 0,
        report_feature_importances: bool = False,
        local_eval: bool = False,
        version: Any = None,
        head: Any = None,
        include_all_in_serving: bool = False,
    ) -> None:
        """Makes an estimator.

        Args:
          params: Hyperparameters, a `ForestHParams`; they are filled.
          device_assigner: A device function for trees.
          model_dir: Folder of checkpoints and summaries.
          feature_columns: Columns that are made of features.
          graph_builder_class: Makes the graphs; `RandomForestGraphs` or `TrainingLossForest`.
          config: How to run.
          weight_column: The feature that holds the weights of examples.
          keys_column: A feature that predictions hold as it is.
          feature_engineering_fn: Features and labels for features and labels.
          early_stopping_rounds: For how many steps the loss may stand still; 0 never ends.
          early_stopping_loss_threshold: By which part of itself it must fall.
          num_trainers: Among how many trainers the trees are divided.
          trainer_id: Which of them this is.
          report_feature_importances: Whether the end of training logs them.
          local_eval: Whether evaluation ignores the device function.
          version: Not used.
          head: Makes losses and metrics; one that fits the problem if None.
          include_all_in_serving: Whether an output of exported models, `ALL_SERVING_KEY`, has all
            predictions; `export_savedmodel` must be told it as the default then.
        """
        super().__init__(
            get_model_fn(
                params.fill(),
                graph_builder_class,
                device_assigner,
                feature_columns=feature_columns,
                model_head=head,
                weights_name=weight_column,
                keys_name=keys_column,
                early_stopping_rounds=early_stopping_rounds,
                early_stopping_loss_threshold=early_stopping_loss_threshold,
                num_trainers=_trainers(num_trainers, config),
                trainer_id=trainer_id,
                report_feature_importances=report_feature_importances,
                local_eval=local_eval,
                include_all_in_serving=include_all_in_serving,
            ),
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class MultiForestMultiHeadEstimator(Estimator):
    """An estimator that trains a forest for each of several labels."""

    def __init__(
        self,
        params_list: Any,
        device_assigner: Any = None,
        model_dir: Any = None,
        feature_columns: Any = None,
        graph_builder_class: Any = RandomForestGraphs,
        config: Any = None,
        weight_column: str | None = None,
        keys_column: str | None = None,
        feature_engineering_fn: Any = None,
        early_stopping_rounds: int = 100,
        num_trainers: int = 1,
        trainer_id: int = 0,
        report_feature_importances: bool = False,
        local_eval: bool = False,
    ) -> None:
        """Makes an estimator; see `TensorForestEstimator`.

        Args:
          params_list: The hyperparameters of each forest; forest i is for column i of the labels.
          device_assigner: See there.
          model_dir: See there.
          feature_columns: Not used, as in TensorFlow.
          graph_builder_class: See there.
          config: See there.
          weight_column: See there.
          keys_column: See there.
          feature_engineering_fn: See there.
          early_stopping_rounds: See there.
          num_trainers: See there.
          trainer_id: See there.
          report_feature_importances: See there.
          local_eval: See there.
        """
        model_fns = []
        kind = ModelBuilderOutputType.MODEL_FN_OPS
        for place, each in enumerate(params_list):
            params = each.fill()
            model_fns.append(
                get_model_fn(
                    params,
                    graph_builder_class,
                    device_assigner,
                    model_head=get_default_head(params, weight_column, kind, f"head{place}"),
                    weights_name=weight_column,
                    keys_name=keys_column,
                    early_stopping_rounds=early_stopping_rounds,
                    num_trainers=_trainers(num_trainers, config),
                    trainer_id=trainer_id,
                    report_feature_importances=report_feature_importances,
                    local_eval=local_eval,
                    head_scope=f"output{place}",
                )
            )
        super().__init__(
            get_combined_model_fn(model_fns),
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class CoreTensorForestEstimator(CoreEstimator):
    """An estimator, of tf.estimator's kind, that trains a forest."""

    def __init__(
        self,
        params: Any,
        device_assigner: Any = None,
        model_dir: Any = None,
        feature_columns: Any = None,
        graph_builder_class: Any = RandomForestGraphs,
        config: Any = None,
        weight_column: str | None = None,
        keys_column: str | None = None,
        feature_engineering_fn: Any = None,
        early_stopping_rounds: int = 100,
        early_stopping_loss_threshold: float = 0.001,
        num_trainers: int = 1,
        trainer_id: int = 0,
        report_feature_importances: bool = False,
        local_eval: bool = False,
        version: Any = None,
        head: Any = None,
        include_all_in_serving: bool = False,
    ) -> None:
        """Makes an estimator; see `TensorForestEstimator`.

        Args:
          params: See there.
          device_assigner: See there.
          model_dir: See there.
          feature_columns: Of tf.feature_column.
          graph_builder_class: See there.
          config: See there; it tells which trainer this is, too.
          weight_column: See there.
          keys_column: See there.
          feature_engineering_fn: Not used.
          early_stopping_rounds: See there.
          early_stopping_loss_threshold: See there.
          num_trainers: See there.
          trainer_id: See there.
          report_feature_importances: See there.
          local_eval: See there.
          version: Not used.
          head: See there; of tf.estimator's kind.
          include_all_in_serving: Whether exported models have one output of all predictions,
            `ALL_SERVING_KEY`, in place of others.
        """
        if trainer_id == 0 and config is not None:
            trainer_id = config.global_id_in_cluster
        super().__init__(
            get_model_fn(
                params.fill(),
                graph_builder_class,
                device_assigner,
                feature_columns=feature_columns,
                model_head=head,
                weights_name=weight_column,
                keys_name=keys_column,
                early_stopping_rounds=early_stopping_rounds,
                early_stopping_loss_threshold=early_stopping_loss_threshold,
                num_trainers=_trainers(num_trainers, config),
                trainer_id=trainer_id,
                report_feature_importances=report_feature_importances,
                local_eval=local_eval,
                include_all_in_serving=include_all_in_serving,
                output_type=ModelBuilderOutputType.ESTIMATOR_SPEC,
            ),
            model_dir=model_dir,
            config=config,
        )

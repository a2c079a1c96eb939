"""Estimators of trees by tf.estimator's interface; columns and heads are those of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.contrib.boosted_trees.estimator_batch import model
from dataflow.contrib.boosted_trees.estimator_batch.core_heads import core_quantile_regression_head
from dataflow.estimation.estimator import Estimator
from dataflow.proto.learner_pb2 import LearnerConfig


def _model_function(builder: Callable[..., Any], **params: Any) -> Callable[..., Any]:
    """A model function that gives EstimatorSpecs."""
    known = {**params, "use_core_libs": True, "override_global_step_value": None}

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        return builder(
            features=features,
            labels=labels,
            mode=mode,
            config=config,
            params=known,
            output_type=model.ModelBuilderOutputType.ESTIMATOR_SPEC,
        )

    return model_fn


class CoreGradientBoostedDecisionTreeEstimator(Estimator):
    """Trees on gradients below a head of the program."""

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: Any,
        head: Any,
        num_trees: int | None = None,
        feature_columns: Any = None,
        weight_column_name: str | None = None,
        model_dir: Any = None,
        config: Any = None,
        label_keys: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Any] | None = None,
        center_bias: bool = True,
        output_leaf_index: bool = False,
        num_quantiles: int = 100,
    ) -> None:
        """Makes an estimator.

        Args:
          learner_config: How trees are grown.
          examples_per_layer: After how many examples a layer is added; or a function that tells it
            for the depth of the layer.
          head: What makes predictions and a loss of logits.
          num_trees: How many trees there are at the end.
          feature_columns: What makes features of tensors.
          weight_column_name: The feature with the weights of examples.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.
          label_keys: Not used, as in TensorFlow.
          feature_engineering_fn: Not used, as in TensorFlow.
          logits_modifier_function: Takes logits, features and mode, and gives logits.
          center_bias: Whether a bias is fitted before the first tree.
          output_leaf_index: Whether predictions have the leaves, by `leaf_index`.
          num_quantiles: How many buckets of numbers there are.
        """
        super().__init__(
            model_fn=_model_function(
                model.model_builder,
                head=head,
                feature_columns=feature_columns,
                learner_config=learner_config,
                num_trees=num_trees,
                weight_column_name=weight_column_name,
                examples_per_layer=examples_per_layer,
                center_bias=center_bias,
                logits_modifier_function=logits_modifier_function,
                output_leaf_index=output_leaf_index,
                num_quantiles=num_quantiles,
            ),
            model_dir=model_dir,
            config=config,
        )


class CoreGradientBoostedDecisionTreeRanker(Estimator):
    """Scores examples by trees on gradients, and learns by pairs of them."""

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: Any,
        head: Any,
        ranking_model_pair_keys: Any,
        num_trees: int | None = None,
        feature_columns: Any = None,
        weight_column_name: str | None = None,
        model_dir: Any = None,
        config: Any = None,
        label_keys: Any = None,
        logits_modifier_function: Callable[..., Any] | None = None,
        center_bias: bool = False,
        output_leaf_index: bool = False,
        num_quantiles: int = 100,
    ) -> None:
        """Makes an estimator.

        Args:
          learner_config: How trees are grown.
          examples_per_layer: After how many examples a layer is added; or a function that tells it
            for the depth of the layer.
          head: What makes predictions and a loss of logits.
          ranking_model_pair_keys: What names of features begin with, before a dot, in the first and
            in the second example of a pair.
          num_trees: How many trees there are at the end.
          feature_columns: What makes features of tensors.
          weight_column_name: The feature with the weights of examples.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.
          label_keys: Not used, as in TensorFlow.
          logits_modifier_function: Takes logits, features and mode, and gives logits.
          center_bias: Whether a bias is fitted before the first tree.
          output_leaf_index: Whether predictions have the leaves, by `leaf_index`.
          num_quantiles: How many buckets of numbers there are.
        """
        super().__init__(
            model_fn=_model_function(
                model.ranking_model_builder,
                head=head,
                feature_columns=feature_columns,
                learner_config=learner_config,
                num_trees=num_trees,
                weight_column_name=weight_column_name,
                examples_per_layer=examples_per_layer,
                center_bias=center_bias,
                logits_modifier_function=logits_modifier_function,
                output_leaf_index=output_leaf_index,
                ranking_model_pair_keys=ranking_model_pair_keys,
                num_quantiles=num_quantiles,
            ),
            model_dir=model_dir,
            config=config,
        )


class CoreGradientBoostedDecisionTreeQuantileRegressor(Estimator):
    """Tells a quantile of numbers by trees on gradients; hessians are to be regularized."""

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: Any,
        quantiles: Sequence[float],
        label_dimension: int = 1,
        num_trees: int | None = None,
        feature_columns: Any = None,
        weight_column_name: str | None = None,
        model_dir: Any = None,
        config: Any = None,
        label_keys: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Any] | None = None,
        center_bias: bool = True,
        output_leaf_index: bool = False,
        num_quantiles: int = 100,
    ) -> None:
        """Makes an estimator.

        Args:
          learner_config: How trees are grown.
          examples_per_layer: After how many examples a layer is added; or a function that tells it
            for the depth of the layer.
          quantiles: A list of the quantile to tell, from 0 to 1.
          label_dimension: How many numbers a label has.
          num_trees: How many trees there are at the end.
          feature_columns: What makes features of tensors.
          weight_column_name: The feature with the weights of examples.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.
          label_keys: Not used, as in TensorFlow.
          feature_engineering_fn: Not used, as in TensorFlow.
          logits_modifier_function: Takes logits, features and mode, and gives logits.
          center_bias: Whether a bias is fitted before the first tree.
          output_leaf_index: Whether predictions have the leaves, by `leaf_index`.
          num_quantiles: How many buckets of numbers there are.

        Raises:
          ValueError: There are several quantiles.
        """
        if len(quantiles) > 1:
            raise ValueError("For now, just one quantile per estimator is supported")
        head = core_quantile_regression_head(
            quantiles[0], label_dimension=label_dimension, weight_column=weight_column_name
        )
        super().__init__(
            model_fn=_model_function(
                model.model_builder,
                head=head,
                feature_columns=feature_columns,
                learner_config=learner_config,
                num_trees=num_trees,
                weight_column_name=weight_column_name,
                examples_per_layer=examples_per_layer,
                center_bias=center_bias,
                logits_modifier_function=logits_modifier_function,
                output_leaf_index=output_leaf_index,
                num_quantiles=num_quantiles,
            ),
            model_dir=model_dir,
            config=config,
        )

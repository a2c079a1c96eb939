"""Estimators of trees by tf.contrib.learn's interface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from dataflow.contrib.boosted_trees import losses
from dataflow.contrib.boosted_trees.estimator_batch import model
from dataflow.contrib.boosted_trees.estimator_batch.custom_loss_head import CustomLossHead
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.heads.classes import multi_class_head
from dataflow.contrib.learn.heads.numbers import regression_head
from dataflow.ops.basic.identity import identity
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.proto.learner_pb2 import LearnerConfig


class GradientBoostedDecisionTreeClassifier(Estimator):
    """Tells classes by trees on gradients."""

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: Any,
        n_classes: int = 2,
        num_trees: int | None = None,
        feature_columns: Any = None,
        weight_column_name: str | None = None,
        model_dir: Any = None,
        config: Any = None,
        label_keys: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Any] | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        """Makes an estimator.

        Args:
          learner_config: How trees are grown.
          examples_per_layer: After how many examples a layer is added; or a function that tells it
            for the depth of the layer.
          n_classes: How many classes there are.
          num_trees: How many trees there are at the end.
          feature_columns: What makes features of tensors.
          weight_column_name: The feature with the weights of examples.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.
          label_keys: The names of the classes, if labels are such.
          feature_engineering_fn: Features and labels for features and labels.
          logits_modifier_function: Takes logits, features and mode, and gives logits.
          center_bias: Whether a bias is fitted before the first tree.
          use_core_libs: Whether columns and head are those of tf.estimator.
          output_leaf_index: Whether predictions have the leaves, by `leaf_index`.
          override_global_step_value: What the global step is set to at the end.
          num_quantiles: How many buckets of numbers there are.

        Raises:
          ValueError: The configuration is of another number of classes.
        """
        head = multi_class_head(
            n_classes=n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=False,
            loss_fn=partial(_mean_entropy, num_classes=n_classes) if n_classes > 2 else None,
            label_keys=label_keys,
        )
        if learner_config.num_classes == 0:
            learner_config.num_classes = n_classes
        elif learner_config.num_classes != n_classes:
            raise ValueError(
                f"n_classes ({n_classes}) doesn't match learner_config "
                f"({learner_config.num_classes})."
            )
        super().__init__(
            model_fn=model.model_builder,
            params={
                "head": head,
                "feature_columns": feature_columns,
                "learner_config": learner_config,
                "num_trees": num_trees,
                "weight_column_name": weight_column_name,
                "examples_per_layer": examples_per_layer,
                "center_bias": center_bias,
                "logits_modifier_function": logits_modifier_function,
                "use_core_libs": use_core_libs,
                "output_leaf_index": output_leaf_index,
                "override_global_step_value": override_global_step_value,
                "num_quantiles": num_quantiles,
            },
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


def _mean_entropy(labels: Any, logits: Any, weights: Any = None, *, num_classes: int) -> Any:
    """The mean cross entropy of classes, which can be differentiated twice."""
    each, _ = losses.per_example_maxent_loss(labels, weights, logits, num_classes)
    return reduce_mean(each)


class GradientBoostedDecisionTreeRegressor(Estimator):
    """Tells numbers by trees on gradients."""

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: Any,
        label_dimension: int = 1,
        num_trees: int | None = None,
        feature_columns: Any = None,
        label_name: str | None = None,
        weight_column_name: str | None = None,
        model_dir: Any = None,
        config: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Any] | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        """Makes an estimator.

        Args:
          learner_config: How trees are grown.
          examples_per_layer: After how many examples a layer is added; or a function that tells it
            for the depth of the layer.
          label_dimension: How many numbers a label has.
          num_trees: How many trees there are at the end.
          feature_columns: What makes features of tensors.
          label_name: The labels' name, if they are in a dictionary.
          weight_column_name: The feature with the weights of examples.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.
          feature_engineering_fn: Features and labels for features and labels.
          logits_modifier_function: Takes logits, features and mode, and gives logits.
          center_bias: Whether a bias is fitted before the first tree.
          use_core_libs: Whether columns and head are those of tf.estimator.
          output_leaf_index: Not used, as in TensorFlow.
          override_global_step_value: What the global step is set to at the end.
          num_quantiles: How many buckets of numbers there are.
        """
        head = regression_head(
            label_name=label_name,
            label_dimension=label_dimension,
            weight_column_name=weight_column_name,
            enable_centered_bias=False,
        )
        learner_config.num_classes = 2 if label_dimension == 1 else label_dimension
        super().__init__(
            model_fn=model.model_builder,
            params={
                "head": head,
                "feature_columns": feature_columns,
                "learner_config": learner_config,
                "num_trees": num_trees,
                "weight_column_name": weight_column_name,
                "examples_per_layer": examples_per_layer,
                "center_bias": center_bias,
                "logits_modifier_function": logits_modifier_function,
                "use_core_libs": use_core_libs,
                "output_leaf_index": False,
                "override_global_step_value": override_global_step_value,
                "num_quantiles": num_quantiles,
            },
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class GradientBoostedDecisionTreeEstimator(Estimator):
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
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Any] | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
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
          feature_engineering_fn: Features and labels for features and labels.
          logits_modifier_function: Takes logits, features and mode, and gives logits.
          center_bias: Whether a bias is fitted before the first tree.
          use_core_libs: Whether columns and head are those of tf.estimator.
          output_leaf_index: Not used, as in TensorFlow.
          override_global_step_value: What the global step is set to at the end.
          num_quantiles: How many buckets of numbers there are.
        """
        super().__init__(
            model_fn=model.model_builder,
            params={
                "head": head,
                "feature_columns": feature_columns,
                "learner_config": learner_config,
                "num_trees": num_trees,
                "weight_column_name": weight_column_name,
                "examples_per_layer": examples_per_layer,
                "center_bias": center_bias,
                "logits_modifier_function": logits_modifier_function,
                "use_core_libs": use_core_libs,
                "output_leaf_index": False,
                "override_global_step_value": override_global_step_value,
                "num_quantiles": num_quantiles,
            },
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class GradientBoostedDecisionTreeRanker(Estimator):
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
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Any] | None = None,
        center_bias: bool = False,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
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
          feature_engineering_fn: Features and labels for features and labels.
          logits_modifier_function: Takes logits, features and mode, and gives logits.
          center_bias: Whether a bias is fitted before the first tree.
          use_core_libs: Whether columns and head are those of tf.estimator.
          output_leaf_index: Whether predictions have the leaves, by `leaf_index`.
          override_global_step_value: What the global step is set to at the end.
          num_quantiles: How many buckets of numbers there are.
        """
        super().__init__(
            model_fn=model.ranking_model_builder,
            params={
                "head": head,
                "feature_columns": feature_columns,
                "learner_config": learner_config,
                "num_trees": num_trees,
                "weight_column_name": weight_column_name,
                "examples_per_layer": examples_per_layer,
                "center_bias": center_bias,
                "logits_modifier_function": logits_modifier_function,
                "use_core_libs": use_core_libs,
                "output_leaf_index": output_leaf_index,
                "ranking_model_pair_keys": ranking_model_pair_keys,
                "override_global_step_value": override_global_step_value,
                "num_quantiles": num_quantiles,
            },
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class GradientBoostedDecisionTreeQuantileRegressor(Estimator):
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
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Any] | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
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
          feature_engineering_fn: Features and labels for features and labels.
          logits_modifier_function: Takes logits, features and mode, and gives logits.
          center_bias: Whether a bias is fitted before the first tree.
          use_core_libs: Whether columns and head are those of tf.estimator.
          output_leaf_index: Not used, as in TensorFlow.
          override_global_step_value: What the global step is set to at the end.
          num_quantiles: How many buckets of numbers there are.

        Raises:
          ValueError: There are several quantiles.
        """
        if len(quantiles) > 1:
            raise ValueError("For now, just one quantile per estimator is supported")
        loss = losses.per_example_quantile_regression_loss
        head = CustomLossHead(
            loss_fn=partial(loss, quantile=quantiles[0]),
            link_fn=identity,
            logit_dimension=label_dimension,
        )
        learner_config.num_classes = max(2, label_dimension)
        super().__init__(
            model_fn=model.model_builder,
            params={
                "head": head,
                "feature_columns": feature_columns,
                "learner_config": learner_config,
                "num_trees": num_trees,
                "weight_column_name": weight_column_name,
                "examples_per_layer": examples_per_layer,
                "center_bias": center_bias,
                "logits_modifier_function": logits_modifier_function,
                "use_core_libs": use_core_libs,
                "output_leaf_index": False,
                "override_global_step_value": override_global_step_value,
                "num_quantiles": num_quantiles,
            },
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )

"""Estimators of a net and of trees that are grown on what it leaves over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.boosted_trees.estimator_batch.model import ModelBuilderOutputType
from dataflow.contrib.boosted_trees.estimator_batch.net_and_trees import Combination
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.heads.classes import multi_class_head
from dataflow.contrib.learn.heads.numbers import regression_head
from dataflow.estimation.estimator import Estimator as CoreEstimator
from dataflow.ops.nn.activation import relu
from dataflow.proto.learner_pb2 import LearnerConfig


class DNNBoostedTreeCombinedClassifier(Estimator):
    """Tells classes by a net and trees."""

    def __init__(
        self,
        dnn_hidden_units: Any,
        dnn_feature_columns: Any,
        tree_learner_config: LearnerConfig,
        num_trees: int,
        tree_examples_per_layer: Any,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        model_dir: Any = None,
        config: Any = None,
        label_name: str | None = None,
        label_keys: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_activation_fn: Callable[[Any], Any] = relu,
        dnn_dropout: float | None = None,
        dnn_input_layer_partitioner: Any = None,
        dnn_input_layer_to_tree: bool = True,
        dnn_steps_to_train: int = 10000,
        predict_with_tree_only: bool = False,
        tree_feature_columns: Any = None,
        tree_center_bias: bool = False,
        dnn_to_tree_distillation_param: Any = None,
        use_core_versions: bool = False,
        override_global_step_value: int | None = None,
    ) -> None:
        """Makes an estimator.

        Args:
          dnn_hidden_units: How many units each hidden layer of the net has.
          dnn_feature_columns: The columns of the net.
          tree_learner_config: How trees are grown.
          num_trees: How many trees there are at the end.
          tree_examples_per_layer: After how many examples a layer is added; or a function that
            tells it for the depth of the layer.
          n_classes: How many classes there are.
          weight_column_name: The feature with the weights of examples.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.
          label_name: The labels' name, if they are in a dictionary.
          label_keys: The names of the classes, if labels are such.
          feature_engineering_fn: Features and labels for features and labels.
          dnn_optimizer: What trains the net: an optimizer, its name, or a function that makes one.
          dnn_activation_fn: The activation of hidden layers.
          dnn_dropout: With which probability a unit is left out; none is if None.
          dnn_input_layer_partitioner: How the variables of the net's input are cut.
          dnn_input_layer_to_tree: Whether the net's input is a feature of the trees.
          dnn_steps_to_train: The global step from which on trees grow, and the net stays.
          predict_with_tree_only: Whether the trees alone tell the predictions.
          tree_feature_columns: The columns of the trees.
          tree_center_bias: Whether a bias is fitted before the first tree.
          dnn_to_tree_distillation_param: By what the loss between net and trees is multiplied, and
            a function of it of both logits and weights, or None for the cross entropy. The trees
            alone tell the predictions then.
          use_core_versions: Whether columns and head are those of tf.estimator.
          override_global_step_value: What the global step is set to at the end.
        """
        head = multi_class_head(
            n_classes=n_classes,
            label_name=label_name,
            label_keys=label_keys,
            weight_column_name=weight_column_name,
            enable_centered_bias=False,
        )
        combination = Combination(
            head=head,
            dnn_hidden_units=dnn_hidden_units,
            dnn_feature_columns=dnn_feature_columns,
            tree_learner_config=tree_learner_config,
            num_trees=num_trees,
            tree_examples_per_layer=tree_examples_per_layer,
            dnn_optimizer=dnn_optimizer,
            dnn_activation_fn=dnn_activation_fn,
            dnn_dropout=dnn_dropout,
            dnn_input_layer_partitioner=dnn_input_layer_partitioner,
            dnn_input_layer_to_tree=dnn_input_layer_to_tree,
            dnn_steps_to_train=dnn_steps_to_train,
            predict_with_tree_only=predict_with_tree_only,
            tree_feature_columns=tree_feature_columns,
            tree_center_bias=tree_center_bias,
            dnn_to_tree_distillation_param=dnn_to_tree_distillation_param,
            use_core_versions=use_core_versions,
            override_global_step_value=override_global_step_value,
        )
        super().__init__(
            model_fn=combination.model_fn,
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class DNNBoostedTreeCombinedRegressor(Estimator):
    """Tells numbers by a net and trees."""

    def __init__(
        self,
        dnn_hidden_units: Any,
        dnn_feature_columns: Any,
        tree_learner_config: LearnerConfig,
        num_trees: int,
        tree_examples_per_layer: Any,
        weight_column_name: str | None = None,
        model_dir: Any = None,
        config: Any = None,
        label_name: str | None = None,
        label_dimension: int = 1,
        feature_engineering_fn: Callable[..., Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_activation_fn: Callable[[Any], Any] = relu,
        dnn_dropout: float | None = None,
        dnn_input_layer_partitioner: Any = None,
        dnn_input_layer_to_tree: bool = True,
        dnn_steps_to_train: int = 10000,
        predict_with_tree_only: bool = False,
        tree_feature_columns: Any = None,
        tree_center_bias: bool = False,
        dnn_to_tree_distillation_param: Any = None,
        use_core_versions: bool = False,
        override_global_step_value: int | None = None,
    ) -> None:
        """Makes an estimator.

        Args:
          dnn_hidden_units: How many units each hidden layer of the net has.
          dnn_feature_columns: The columns of the net.
          tree_learner_config: How trees are grown.
          num_trees: How many trees there are at the end.
          tree_examples_per_layer: After how many examples a layer is added; or a function that
            tells it for the depth of the layer.
          weight_column_name: The feature with the weights of examples.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.
          label_name: The labels' name, if they are in a dictionary.
          label_dimension: How many numbers a label has.
          feature_engineering_fn: Features and labels for features and labels.
          dnn_optimizer: What trains the net: an optimizer, its name, or a function that makes one.
          dnn_activation_fn: The activation of hidden layers.
          dnn_dropout: With which probability a unit is left out; none is if None.
          dnn_input_layer_partitioner: How the variables of the net's input are cut.
          dnn_input_layer_to_tree: Whether the net's input is a feature of the trees.
          dnn_steps_to_train: The global step from which on trees grow, and the net stays.
          predict_with_tree_only: Whether the trees alone tell the predictions.
          tree_feature_columns: The columns of the trees.
          tree_center_bias: Whether a bias is fitted before the first tree.
          dnn_to_tree_distillation_param: By what the loss between net and trees is multiplied, and
            a function of it of both logits and weights, or None for the cross entropy. The trees
            alone tell the predictions then.
          use_core_versions: Whether columns and head are those of tf.estimator.
          override_global_step_value: What the global step is set to at the end.
        """
        head = regression_head(
            label_name=label_name,
            label_dimension=label_dimension,
            weight_column_name=weight_column_name,
            enable_centered_bias=False,
        )
        tree_learner_config.num_classes = 2 if label_dimension == 1 else label_dimension
        combination = Combination(
            head=head,
            dnn_hidden_units=dnn_hidden_units,
            dnn_feature_columns=dnn_feature_columns,
            tree_learner_config=tree_learner_config,
            num_trees=num_trees,
            tree_examples_per_layer=tree_examples_per_layer,
            dnn_optimizer=dnn_optimizer,
            dnn_activation_fn=dnn_activation_fn,
            dnn_dropout=dnn_dropout,
            dnn_input_layer_partitioner=dnn_input_layer_partitioner,
            dnn_input_layer_to_tree=dnn_input_layer_to_tree,
            dnn_steps_to_train=dnn_steps_to_train,
            predict_with_tree_only=predict_with_tree_only,
            tree_feature_columns=tree_feature_columns,
            tree_center_bias=tree_center_bias,
            dnn_to_tree_distillation_param=dnn_to_tree_distillation_param,
            use_core_versions=use_core_versions,
            override_global_step_value=override_global_step_value,
        )
        super().__init__(
            model_fn=combination.model_fn,
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class DNNBoostedTreeCombinedEstimator(Estimator):
    """A net and trees below a head of the program."""

    def __init__(
        self,
        dnn_hidden_units: Any,
        dnn_feature_columns: Any,
        tree_learner_config: LearnerConfig,
        num_trees: int,
        tree_examples_per_layer: Any,
        head: Any,
        model_dir: Any = None,
        config: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_activation_fn: Callable[[Any], Any] = relu,
        dnn_dropout: float | None = None,
        dnn_input_layer_partitioner: Any = None,
        dnn_input_layer_to_tree: bool = True,
        dnn_steps_to_train: int = 10000,
        predict_with_tree_only: bool = False,
        tree_feature_columns: Any = None,
        tree_center_bias: bool = False,
        dnn_to_tree_distillation_param: Any = None,
        use_core_versions: bool = False,
        override_global_step_value: int | None = None,
    ) -> None:
        """Makes an estimator.

        Args:
          dnn_hidden_units: How many units each hidden layer of the net has.
          dnn_feature_columns: The columns of the net.
          tree_learner_config: How trees are grown.
          num_trees: How many trees there are at the end.
          tree_examples_per_layer: After how many examples a layer is added; or a function that
            tells it for the depth of the layer.
          head: What makes predictions and a loss of logits.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.
          feature_engineering_fn: Features and labels for features and labels.
          dnn_optimizer: What trains the net: an optimizer, its name, or a function that makes one.
          dnn_activation_fn: The activation of hidden layers.
          dnn_dropout: With which probability a unit is left out; none is if None.
          dnn_input_layer_partitioner: How the variables of the net's input are cut.
          dnn_input_layer_to_tree: Whether the net's input is a feature of the trees.
          dnn_steps_to_train: The global step from which on trees grow, and the net stays.
          predict_with_tree_only: Whether the trees alone tell the predictions.
          tree_feature_columns: The columns of the trees.
          tree_center_bias: Whether a bias is fitted before the first tree.
          dnn_to_tree_distillation_param: By what the loss between net and trees is multiplied, and
            a function of it of both logits and weights, or None for the cross entropy. The trees
            alone tell the predictions then.
          use_core_versions: Whether columns and head are those of tf.estimator.
          override_global_step_value: What the global step is set to at the end.
        """
        combination = Combination(
            head=head,
            dnn_hidden_units=dnn_hidden_units,
            dnn_feature_columns=dnn_feature_columns,
            tree_learner_config=tree_learner_config,
            num_trees=num_trees,
            tree_examples_per_layer=tree_examples_per_layer,
            dnn_optimizer=dnn_optimizer,
            dnn_activation_fn=dnn_activation_fn,
            dnn_dropout=dnn_dropout,
            dnn_input_layer_partitioner=dnn_input_layer_partitioner,
            dnn_input_layer_to_tree=dnn_input_layer_to_tree,
            dnn_steps_to_train=dnn_steps_to_train,
            predict_with_tree_only=predict_with_tree_only,
            tree_feature_columns=tree_feature_columns,
            tree_center_bias=tree_center_bias,
            dnn_to_tree_distillation_param=dnn_to_tree_distillation_param,
            use_core_versions=use_core_versions,
            override_global_step_value=override_global_step_value,
        )
        super().__init__(
            model_fn=combination.model_fn,
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class CoreDNNBoostedTreeCombinedEstimator(CoreEstimator):
    """A net and trees by tf.estimator's interface; columns and head are those of it."""

    def __init__(
        self,
        dnn_hidden_units: Any,
        dnn_feature_columns: Any,
        tree_learner_config: LearnerConfig,
        num_trees: int,
        tree_examples_per_layer: Any,
        head: Any,
        model_dir: Any = None,
        config: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_activation_fn: Callable[[Any], Any] = relu,
        dnn_dropout: float | None = None,
        dnn_input_layer_partitioner: Any = None,
        dnn_input_layer_to_tree: bool = True,
        dnn_steps_to_train: int = 10000,
        predict_with_tree_only: bool = False,
        tree_feature_columns: Any = None,
        tree_center_bias: bool = False,
        dnn_to_tree_distillation_param: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          dnn_hidden_units: How many units each hidden layer of the net has.
          dnn_feature_columns: The columns of the net.
          tree_learner_config: How trees are grown.
          num_trees: How many trees there are at the end.
          tree_examples_per_layer: After how many examples a layer is added; or a function that
            tells it for the depth of the layer.
          head: What makes predictions and a loss of logits.
          model_dir: Folder of checkpoints and summaries.
          config: How to run.
          dnn_optimizer: What trains the net: an optimizer, its name, or a function that makes one.
          dnn_activation_fn: The activation of hidden layers.
          dnn_dropout: With which probability a unit is left out; none is if None.
          dnn_input_layer_partitioner: How the variables of the net's input are cut.
          dnn_input_layer_to_tree: Whether the net's input is a feature of the trees.
          dnn_steps_to_train: The global step from which on trees grow, and the net stays.
          predict_with_tree_only: Whether the trees alone tell the predictions.
          tree_feature_columns: The columns of the trees.
          tree_center_bias: Whether a bias is fitted before the first tree.
          dnn_to_tree_distillation_param: By what the loss between net and trees is multiplied, and
            a function of it of both logits and weights, or None for the cross entropy. The trees
            alone tell the predictions then.
        """
        combination = Combination(
            head=head,
            dnn_hidden_units=dnn_hidden_units,
            dnn_feature_columns=dnn_feature_columns,
            tree_learner_config=tree_learner_config,
            num_trees=num_trees,
            tree_examples_per_layer=tree_examples_per_layer,
            dnn_optimizer=dnn_optimizer,
            dnn_activation_fn=dnn_activation_fn,
            dnn_dropout=dnn_dropout,
            dnn_input_layer_partitioner=dnn_input_layer_partitioner,
            dnn_input_layer_to_tree=dnn_input_layer_to_tree,
            dnn_steps_to_train=dnn_steps_to_train,
            predict_with_tree_only=predict_with_tree_only,
            tree_feature_columns=tree_feature_columns,
            tree_center_bias=tree_center_bias,
            dnn_to_tree_distillation_param=dnn_to_tree_distillation_param,
            use_core_versions=True,
            output_type=ModelBuilderOutputType.ESTIMATOR_SPEC,
        )
        super().__init__(
            model_fn=combination.model_fn,
            model_dir=model_dir,
            config=config,
        )

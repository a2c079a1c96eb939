"""Estimators of boosted trees: of classes, of numbers, and with any head."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dataflow.estimation.heads.classes import BinaryClassHead, MultiClassHead
from dataflow.estimation.trees.base import BoostedTreesBase
from dataflow.estimation.trees.heads import (
    create_classification_head_and_closed_form,
    create_regression_head,
)
from dataflow.estimation.trees.options import TreeHParams


class BoostedTreesEstimator(BoostedTreesBase):
    """Boosted trees with any head."""

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: int,
        head: Any,
        model_dir: Any = None,
        weight_column: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: Any = None,
        center_bias: bool = False,
        pruning_mode: Any = "none",
        quantile_sketch_epsilon: float = 0.01,
    ) -> None:
        """Makes an estimator.

        Args:
          feature_columns: Columns of numbers, of buckets and of indicators.
          n_batches_per_layer: How many batches make a layer of a tree.
          head: Makes loss and predictions of one logit; weighs examples.
          model_dir: Folder of checkpoints and summaries.
          weight_column: Not used, as in TensorFlow: the head has it.
          n_trees: How many trees there are at the end of training.
          max_depth: How many layers a tree has.
          learning_rate: By what the values of leaves are multiplied.
          l1_regularization: What the sizes of values of leaves cost.
          l2_regularization: What their squares cost.
          tree_complexity: What each leaf costs.
          min_node_weight: The least sum of hessians that a node must have to be split.
          config: How to run.
          center_bias: Whether the first node begins where the losses are least.
          pruning_mode: "none"; "pre": nodes that gain nothing are not split; "post": such splits
            are taken back when a tree is done.
          quantile_sketch_epsilon: Numbers have the reciprocal of it as buckets.

        Raises:
          ValueError: A column is of another kind.
        """
        options = TreeHParams(
            n_trees,
            max_depth,
            learning_rate,
            l1_regularization,
            l2_regularization,
            tree_complexity,
            min_node_weight,
            center_bias,
            pruning_mode,
            quantile_sketch_epsilon,
        )
        super().__init__(
            feature_columns,
            n_batches_per_layer,
            head,
            options,
            model_dir,
            config,
            isinstance(head, (BinaryClassHead, MultiClassHead)),
        )


class BoostedTreesClassifier(BoostedTreesBase):
    """Boosted trees that tell two classes."""

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: int,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: Any = None,
        center_bias: bool = False,
        pruning_mode: Any = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        """Makes an estimator; see `BoostedTreesEstimator`.

        Args:
          feature_columns: See there.
          n_batches_per_layer: See there.
          model_dir: See there.
          n_classes: Only two, as in TensorFlow.
          weight_column: The feature with the weights of examples, or its numeric column.
          label_vocabulary: The names of the classes, if labels are such.
          n_trees: See there.
          max_depth: See there.
          learning_rate: See there.
          l1_regularization: See there.
          l2_regularization: See there.
          tree_complexity: See there.
          min_node_weight: See there.
          config: See there.
          center_bias: See there.
          pruning_mode: See there.
          quantile_sketch_epsilon: See there.
          train_in_memory: Whether each batch is all the data, so that what is known of examples
            can be kept between steps.

        Raises:
          ValueError: There are more classes, or a column is of another kind.
        """
        if n_classes > 2 and pruning_mode is not None:
            raise ValueError("For now pruning is not supported with multi class.")
        head, closed_form = create_classification_head_and_closed_form(
            n_classes, weight_column, label_vocabulary
        )
        options = TreeHParams(
            n_trees,
            max_depth,
            learning_rate,
            l1_regularization,
            l2_regularization,
            tree_complexity,
            min_node_weight,
            center_bias,
            pruning_mode,
            quantile_sketch_epsilon,
        )
        super().__init__(
            feature_columns,
            n_batches_per_layer,
            head,
            options,
            model_dir,
            config,
            True,
            closed_form,
            weight_column,
            train_in_memory,
        )


class BoostedTreesRegressor(BoostedTreesBase):
    """Boosted trees that give a number."""

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: int,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: Any = None,
        center_bias: bool = False,
        pruning_mode: Any = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        """Makes an estimator; see `BoostedTreesEstimator` and `BoostedTreesClassifier`.

        Args:
          feature_columns: See there.
          n_batches_per_layer: See there.
          model_dir: See there.
          label_dimension: Only one, as in TensorFlow.
          weight_column: See there.
          n_trees: See there.
          max_depth: See there.
          learning_rate: See there.
          l1_regularization: See there.
          l2_regularization: See there.
          tree_complexity: See there.
          min_node_weight: See there.
          config: See there.
          center_bias: See there.
          pruning_mode: See there.
          quantile_sketch_epsilon: See there.
          train_in_memory: See there.

        Raises:
          ValueError: There are more numbers, or a column is of another kind.
        """
        if label_dimension > 1 and pruning_mode is not None:
            raise ValueError("For now pruning is not supported with multi-dimensionregression.")
        head = create_regression_head(label_dimension, weight_column)
        options = TreeHParams(
            n_trees,
            max_depth,
            learning_rate,
            l1_regularization,
            l2_regularization,
            tree_complexity,
            min_node_weight,
            center_bias,
            pruning_mode,
            quantile_sketch_epsilon,
        )
        super().__init__(
            feature_columns,
            n_batches_per_layer,
            head,
            options,
            model_dir,
            config,
            False,
            weight_column=weight_column,
            train_in_memory=train_in_memory,
        )

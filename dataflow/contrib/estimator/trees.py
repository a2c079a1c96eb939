"""Boosted trees that are trained at once, by data that are one batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dataflow.estimation.input_results import is_dataset
from dataflow.estimation.trees.base import BoostedTreesBase
from dataflow.estimation.trees.heads import (
    create_classification_head_and_closed_form,
    create_regression_head,
)
from dataflow.estimation.trees.options import TreeHParams


def boosted_trees_classifier_train_in_memory(
    train_input_fn: Callable[[], Any],
    feature_columns: Iterable[Any],
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
    train_hooks: Sequence[Any] | None = None,
    center_bias: bool = False,
    pruning_mode: Any = "none",
    quantile_sketch_epsilon: float = 0.01,
) -> BoostedTreesBase:
    """Trains trees that tell two classes; see `tf.estimator.BoostedTreesClassifier`.

    Args:
      train_input_fn: Gives all features and labels, or a dataset of one such element.
      feature_columns: See there.
      model_dir: See there.
      n_classes: See there.
      weight_column: See there; quantiles do not weigh examples, as in TensorFlow.
      label_vocabulary: See there.
      n_trees: See there.
      max_depth: See there.
      learning_rate: See there.
      l1_regularization: See there.
      l2_regularization: See there.
      tree_complexity: See there.
      min_node_weight: See there.
      config: See there; of one task.
      train_hooks: Are called in the loop.
      center_bias: See there.
      pruning_mode: See there.
      quantile_sketch_epsilon: See there.

    Returns:
      The estimator.

    Raises:
      ValueError: There are more classes, a column is of another kind, or there are several tasks.
    """
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
    estimator = BoostedTreesBase(
        feature_columns, 1, head, options, model_dir, config, True, closed_form, None, True
    )
    return _trained(estimator, train_input_fn, train_hooks)


def boosted_trees_regressor_train_in_memory(
    train_input_fn: Callable[[], Any],
    feature_columns: Iterable[Any],
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
    train_hooks: Sequence[Any] | None = None,
    center_bias: bool = False,
    pruning_mode: Any = "none",
    quantile_sketch_epsilon: float = 0.01,
) -> BoostedTreesBase:
    """Trains trees that give a number; see `boosted_trees_classifier_train_in_memory`.

    Args:
      train_input_fn: See there.
      feature_columns: See there.
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
      train_hooks: See there.
      center_bias: See there.
      pruning_mode: See there.
      quantile_sketch_epsilon: See there.

    Returns:
      The estimator.

    Raises:
      ValueError: There are more numbers, or as there.
    """
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
    estimator = BoostedTreesBase(
        feature_columns, 1, head, options, model_dir, config, False, train_in_memory=True
    )
    return _trained(estimator, train_input_fn, train_hooks)


def _trained(
    estimator: BoostedTreesBase, input_fn: Callable[[], Any], hooks: Sequence[Any] | None
) -> BoostedTreesBase:
    def repeated() -> Any:
        given = input_fn()
        return given.repeat() if is_dataset(given) else given

    found: BoostedTreesBase = estimator.train(repeated, hooks)
    return found

"""A linear support vector machine."""

from __future__ import annotations

from functools import partial
from typing import Any

from dataflow.contrib.learn.dual_ascent import sdca_model_fn
from dataflow.contrib.learn.heads.classes import binary_svm_head
from dataflow.contrib.learn.predicting import ClassesAndChances
from dataflow.contrib.linear_optimizer.optimizer import SDCAOptimizer


class SVM(ClassesAndChances):
    """Tells two classes by a linear model, which dual coordinate ascent trains."""

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Any,
        weight_column_name: str | None = None,
        model_dir: Any = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        num_loss_partitions: int = 1,
        kernels: Any = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          example_id_column: The feature that holds an id of each example, a string.
          feature_columns: Columns of numbers or categories.
          weight_column_name: The feature that tells what examples count.
          model_dir: Folder of checkpoints and summaries.
          l1_regularization: How much the weights' L1 norm is held down.
          l2_regularization: How much their L2 norm is; 1 is taken for less.
          num_loss_partitions: As many as there are workers.
          kernels: None.
          config: How to run.
          feature_engineering_fn: Features and labels for features and labels.

        Raises:
          ValueError: There are kernels.
        """
        if kernels is not None:
            raise ValueError("Kernel SVMs are not currently supported.")
        model_fn = partial(
            sdca_model_fn,
            head=binary_svm_head(weight_column_name=weight_column_name),
            columns=feature_columns,
            optimizer=SDCAOptimizer(
                example_id_column,
                num_loss_partitions=num_loss_partitions,
                symmetric_l1_regularization=l1_regularization,
                symmetric_l2_regularization=l2_regularization,
            ),
            weight_column_name=weight_column_name,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)

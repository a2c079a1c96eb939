"""Heads of tf.estimator's whose losses can be differentiated twice."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.boosted_trees.losses import (
    per_example_maxent_loss,
    per_example_quantile_regression_loss,
)
from dataflow.estimation.heads.classes import MultiClassHead
from dataflow.estimation.heads.numbers import RegressionHead
from dataflow.library.losses.weighted import Reduction


def core_multiclass_head(
    n_classes: int,
    weight_column: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_NONZERO_WEIGHTS,
) -> MultiClassHead:
    """A head of several classes.

    Args:
      n_classes: How many there are.
      weight_column: The feature with the weights of examples.
      loss_reduction: How the losses of a batch become one number.
    """

    def loss_fn(labels: Any, logits: Any) -> Any:
        # The head multiplies by weights.
        return per_example_maxent_loss(labels, None, logits, num_classes=n_classes)[0]

    return MultiClassHead(n_classes, weight_column, loss_reduction=loss_reduction, loss_fn=loss_fn)


def core_quantile_regression_head(
    quantiles: float,
    label_dimension: int = 1,
    weight_column: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_NONZERO_WEIGHTS,
) -> RegressionHead:
    """A head of a quantile of numbers.

    Args:
      quantiles: Which one, from 0 to 1.
      label_dimension: How many numbers an example has.
      weight_column: The feature with the weights of examples.
      loss_reduction: How the losses of a batch become one number.
    """

    def loss_fn(labels: Any, logits: Any) -> Any:
        # The head multiplies by weights.
        return per_example_quantile_regression_loss(labels, None, logits, quantiles)[0]

    return RegressionHead(
        label_dimension, weight_column, loss_reduction=loss_reduction, loss_fn=loss_fn
    )

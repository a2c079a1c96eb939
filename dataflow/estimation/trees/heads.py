"""Heads of boosted trees, and gradients and hessians of a loss that need no differentiation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.estimation.heads.checks import checked_labels
from dataflow.estimation.heads.classes import BinaryClassHead
from dataflow.estimation.heads.numbers import RegressionHead
from dataflow.graph.tensor import Tensor
from dataflow.library.losses.weighted import Reduction
from dataflow.ops.array.shape import size
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.unary import exp, reciprocal
from dataflow.values import dtypes


def create_classification_head(
    n_classes: int, weight_column: Any = None, label_vocabulary: Any = None
) -> BinaryClassHead:
    """The head of two classes.

    Raises:
      ValueError: There are more.
    """
    if n_classes != 2:
        raise ValueError(
            f"For now only binary classification is supported.n_classes given as {n_classes}"
        )
    return BinaryClassHead(
        weight_column,
        label_vocabulary=label_vocabulary,
        loss_reduction=Reduction.SUM_OVER_BATCH_SIZE,
    )


def create_classification_head_and_closed_form(
    n_classes: int, weight_column: Any, label_vocabulary: Any
) -> tuple[BinaryClassHead, Callable[[Any, Any], tuple[Any, Any]] | None]:
    """The head, and the function of gradients and hessians where examples weigh the same.

    Raises:
      ValueError: There are more than two classes.
    """
    head = create_classification_head(n_classes, weight_column, label_vocabulary)
    if weight_column is None and label_vocabulary is None:
        return head, gradients_and_hessians
    return head, None


def create_regression_head(label_dimension: int, weight_column: Any = None) -> RegressionHead:
    """The head of one number.

    Raises:
      ValueError: There are more.
    """
    if label_dimension != 1:
        raise ValueError(
            "For now only 1 dimension regression is supported.label_dimension given as "
            f"{label_dimension}"
        )
    return RegressionHead(
        label_dimension, weight_column, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE
    )


def gradients_and_hessians(logits: Tensor, labels: Any) -> tuple[Any, Any]:
    """Those of the mean logistic loss, by the logits.

    Args:
      logits: Shape [batch, 1].
      labels: Shape [batch] or [batch, 1], of 0 and 1.
    """
    found: Any = reciprocal(exp(-logits) + 1.0)
    normalizer: Any = reciprocal(cast(size(found), dtypes.float32))
    labels = checked_labels(cast(labels, dtypes.float32), logits, 1)
    return (found - labels) * normalizer, found * (1.0 - found) * normalizer

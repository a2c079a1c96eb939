"""Heads of numbers and counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.layers.targets import ProblemType
from dataflow.contrib.learn.heads.base import SingleHead
from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.contrib.learn.heads.losses import LossFn, poisson, squares
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.unary import exp


class RegressionHead(SingleHead):
    """A head whose predictions are numbers."""

    _scope = "regression_head"
    _problem = ProblemType.LINEAR_REGRESSION

    def __init__(
        self,
        label_dimension: int,
        loss_fn: LossFn,
        link_fn: Callable[[Any], Any],
        label_name: str | None,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        head_name: str | None,
    ) -> None:
        """Takes what makes predictions of logits, and what `SingleHead` takes."""
        super().__init__(
            label_dimension,
            loss_fn,
            label_name,
            weight_column_name,
            enable_centered_bias,
            head_name,
        )
        self._link_fn = link_fn

    def _predictions(self, logits: Any) -> dict[str, Any]:
        if self._logits_dimension == 1:
            logits = array_shape.squeeze(logits, axis=(1,), name=PredictionKey.SCORES)
        return {PredictionKey.SCORES: self._link_fn(logits)}


def regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    link_fn: Callable[[Any], Any] | None = None,
) -> RegressionHead:
    """A head of numbers, whose loss is the mean of squares.

    Args:
      label_name: The labels' name, if they are in a dictionary.
      weight_column_name: The feature that holds the weights of examples.
      label_dimension: How many numbers a label has.
      enable_centered_bias: Whether a bias is learnt beside the model.
      head_name: Ends names of metrics.
      link_fn: What makes predictions of logits; they are the logits if None.
    """
    return RegressionHead(
        label_dimension,
        squares,
        link_fn or identity,
        label_name,
        weight_column_name,
        enable_centered_bias,
        head_name,
    )


def poisson_regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
) -> RegressionHead:
    """A head of counts, whose logits are logarithms of rates; see `regression_head`."""
    return RegressionHead(
        label_dimension,
        poisson,
        exp,
        label_name,
        weight_column_name,
        enable_centered_bias,
        head_name,
    )

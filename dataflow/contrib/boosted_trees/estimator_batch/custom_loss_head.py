"""A head of tf.contrib.learn's with a loss of the program's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.learn.heads.numbers import RegressionHead
from dataflow.ops.array.fill import ones
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.values import dtypes


class CustomLossHead(RegressionHead):
    """A head whose loss and predictions are functions of the program."""

    def __init__(
        self,
        loss_fn: Callable[..., Any],
        link_fn: Callable[[Any], Any],
        logit_dimension: int,
        head_name: str | None = None,
        weight_column_name: str | None = None,
        metrics_fn: Callable[..., Any] | None = None,
    ) -> None:
        """Makes a head.

        Args:
          loss_fn: Takes labels, weights and logits; gives weighted losses and an operation.
          link_fn: Makes predictions of logits.
          logit_dimension: How many logits there are.
          head_name: Ends the names of metrics.
          weight_column_name: The feature that holds the weights of examples.
          metrics_fn: Takes predictions, labels and weights, and gives metrics by name.
        """

        def loss(labels: Any, logits: Any, weights: Any = None) -> tuple[Any, Any]:
            if weights is None:
                weights = ones([array_shape.shape(labels)[0], 1], dtypes.float32)
            each, _ = loss_fn(labels, weights, logits)
            mean = reduce_mean(each)
            return mean, mean / reduce_mean(weights)

        super().__init__(logit_dimension, loss, link_fn, None, weight_column_name, False, head_name)
        self._metrics_fn = metrics_fn

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        if self._metrics_fn is None:
            return {}
        found: dict[str, Any] = self._metrics_fn(predictions, labels, weights)
        return found

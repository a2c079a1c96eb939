"""Heads of numbers: squared errors, Poisson's counts, and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import dataflow.estimation.heads.numbers as first
from dataflow.estimation.heads.base import LossSpec
from dataflow.estimation.heads.checks import in_range
from dataflow.estimation.heads.measures import MetricKeys, PredictionKeys
from dataflow.graph.tensor import Tensor
from dataflow.keras.heads.base import Head, KerasHead, add_mean
from dataflow.keras.losses import Reduction
from dataflow.keras.metrics import Mean
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.unary import exp
from dataflow.ops.nn.losses import log_poisson_loss, sigmoid_cross_entropy_with_logits


class RegressionHead(KerasHead, first.RegressionHead, Head):  # type: ignore[misc]
    """Of numbers."""

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        inverse_link_fn: Callable[[Any], Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Makes a head; see `MultiClassHead`.

        Args:
          label_dimension: How many numbers an example has.
          weight_column: See there; each number may have a weight of its own.
          loss_reduction: See there.
          loss_fn: See there; gives losses of shape `[..., label_dimension]`. Squared errors if
            None.
          inverse_link_fn: Makes numbers of logits; they are the numbers if None.
          name: See there.

        Raises:
          ValueError: The dimension is not positive, or an argument is wrong.
        """
        super().__init__(
            label_dimension,
            weight_column,
            loss_reduction=loss_reduction,
            loss_fn=loss_fn,
            inverse_link_fn=inverse_link_fn,
            name=name,
        )

    def predictions(self, logits: Any) -> dict[str, Tensor]:  # type: ignore[override]
        """See `Head`."""
        return super().predictions(logits)

    def _measures(self) -> dict[str, Any]:
        return {name: Mean(name) for name in (MetricKeys.PREDICTION_MEAN, MetricKeys.LABEL_MEAN)}

    def _measure(
        self,
        find: Callable[[str], Any],
        predictions: Mapping[str, Any],
        loss: LossSpec,
        labels: Any,
    ) -> None:
        # The mean of labels is that of the labels in their own shape.
        find(MetricKeys.LABEL_MEAN).update_state(labels, sample_weight=loss.weights)
        numbers = predictions[PredictionKeys.PREDICTIONS]
        add_mean(find(MetricKeys.PREDICTION_MEAN), numbers, loss.weights)


class PoissonRegressionHead(RegressionHead):
    """Of counts, whose logarithms of expected values are the logits."""

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        compute_full_loss: bool = True,
        name: str | None = None,
    ) -> None:
        """Makes a head; see `RegressionHead`.

        Args:
          label_dimension: See there.
          weight_column: See there.
          loss_reduction: See there.
          compute_full_loss: Whether Stirling's approximation of `log(labels!)` is a part of it.
          name: See there.
        """

        def poisson_loss(labels: Any, logits: Any) -> Any:
            return log_poisson_loss(labels, logits, compute_full_loss=compute_full_loss)

        super().__init__(label_dimension, weight_column, loss_reduction, poisson_loss, exp, name)


class LogisticRegressionHead(RegressionHead):
    """Of probabilities."""

    def __init__(
        self,
        weight_column: Any = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        name: str | None = None,
    ) -> None:
        """Makes a head; see `RegressionHead`."""

        def cross_entropy(labels: Any, logits: Any) -> Any:
            labels = in_range(labels, 2, "Labels must be in range [0, 1]")
            return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

        super().__init__(1, weight_column, loss_reduction, cross_entropy, sigmoid, name)

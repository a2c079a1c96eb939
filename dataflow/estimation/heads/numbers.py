"""Heads of numbers: squared errors, Poisson's counts, and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dataflow.estimation.export_outputs import ExportOutput, RegressionOutput
from dataflow.estimation.heads import measures
from dataflow.estimation.heads.base import REGRESS, LossSpec, SingleHead
from dataflow.estimation.heads.checks import checked_labels
from dataflow.estimation.heads.measures import MetricKeys, PredictionKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.losses.regression import mean_squared_error
from dataflow.library.losses.weighted import Reduction
from dataflow.library.metrics.means import mean
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.unary import exp
from dataflow.ops.nn.losses import log_poisson_loss, sigmoid_cross_entropy_with_logits
from dataflow.values import dtypes


class RegressionHead(SingleHead):
    """Of numbers."""

    _weighs_logits = True

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
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        self._loss_width = label_dimension
        self._inverse_link_fn = inverse_link_fn

    @property
    def logits_dimension(self) -> int:
        """See `Head`."""
        return self._loss_width

    def _predictions(self, logits: Tensor) -> dict[str, Tensor]:
        if self._inverse_link_fn is None:
            return {PredictionKeys.PREDICTIONS: logits}
        numbers = self._inverse_link_fn(logits)
        return {PredictionKeys.PREDICTIONS: numbers, PredictionKeys.LOGITS: logits}

    def _exports(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        return {REGRESS: RegressionOutput(predictions[PredictionKeys.PREDICTIONS])}

    def _labels(self, labels: Any, logits: Tensor) -> Tensor:
        found: Tensor = cast(checked_labels(labels, logits, self._loss_width), dtypes.float32)
        return found

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return mean_squared_error(labels, logits, reduction=Reduction.NONE)

    def _metrics(self, predictions: Mapping[str, Tensor], loss: LossSpec) -> dict[str, Any]:
        numbers = predictions[PredictionKeys.PREDICTIONS]
        name = MetricKeys.PREDICTION_MEAN
        return {
            name: measures.mean_of(numbers, loss.weights, name),
            MetricKeys.LABEL_MEAN: mean(loss.processed_labels, loss.weights),
        }


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
            return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

        super().__init__(1, weight_column, loss_reduction, cross_entropy, sigmoid, name)

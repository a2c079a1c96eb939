"""What all heads of one kind of label share: the way from logits to an EstimatorSpec."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import dataflow.ops.array.fill as array_fill
from dataflow.estimation.export_outputs import DEFAULT_KEY, ExportOutput, PredictOutput
from dataflow.estimation.heads.checks import (
    called_loss_fn,
    checked_logits,
    checked_loss_fn,
    checked_reduction,
    weights_of,
)
from dataflow.estimation.heads.measures import MetricKeys
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.losses.weighted import Reduction, compute_weighted_loss
from dataflow.library.metrics.means import mean
from dataflow.library.summaries.values import scalar
from dataflow.ops.basic.grouping import group
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.sum import add_n
from dataflow.training.global_step import get_global_step

CLASSIFY: Final = "classification"
"""The signature of classes and scores."""
REGRESS: Final = "regression"
"""The signature of numbers."""
PREDICT: Final = "predict"
"""The signature of all predictions."""


class LossSpec(NamedTuple):
    """The loss of a batch, and what it was made of."""

    training_loss: Any
    unreduced_loss: Any
    weights: Any
    processed_labels: Any


class Head(ABC):
    """What stands on top of a model."""

    @property
    @abstractmethod
    def name(self) -> str | None:
        """Ends the names of its metrics, if it is not None."""

    @property
    @abstractmethod
    def logits_dimension(self) -> int:
        """The size of the last axis of the logits."""

    @abstractmethod
    def create_loss(self, features: Any, mode: Any, logits: Any, labels: Any) -> LossSpec:
        """The loss of a batch."""

    @abstractmethod
    def create_estimator_spec(
        self,
        features: Any,
        mode: Any,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        regularization_losses: Any = None,
        trainable_variables: Any = None,
        update_ops: Any = None,
    ) -> EstimatorSpec:
        """What a model function gives.

        Args:
          features: Tensors by name.
          mode: One of ModeKeys.
          logits: What the model has made of the features, shape `[..., logits_dimension]`.
          labels: What to compare with.
          optimizer: Trains with the loss.
          train_op_fn: Makes the operation that trains of the loss, instead of an optimizer.
          regularization_losses: Are added to the loss.
          trainable_variables: What an optimizer of Keras trains.
          update_ops: What runs with each step; the graph's updates if None.

        Raises:
          ValueError: In training not just one of `optimizer` and `train_op_fn` is given, or the
            shape of logits or labels is wrong.
        """


class SingleHead(Head):
    """A head of one kind of labels."""

    def __init__(
        self,
        weight_column: Any,
        loss_reduction: str,
        loss_fn: Callable[..., Any] | None,
        name: str | None,
    ) -> None:
        """Takes where weights are, how losses are reduced, what computes them, and the name."""
        self._weight_column = weight_column
        self._loss_reduction = checked_reduction(loss_reduction)
        self._loss_fn = checked_loss_fn(loss_fn)
        self._name = name

    @property
    def name(self) -> str | None:
        """See `Head`."""
        return self._name

    @property
    def loss_reduction(self) -> str:
        """How the losses of a batch become one number."""
        return self._loss_reduction

    @abstractmethod
    def _predictions(self, logits: Tensor) -> dict[str, Tensor]:
        """What is predicted."""

    @abstractmethod
    def _exports(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        """What is exported, but all predictions; the first is the default."""

    @abstractmethod
    def _labels(self, labels: Any, logits: Tensor) -> Tensor:
        """The labels as losses and metrics take them."""

    @abstractmethod
    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """The loss of each example, or of each logit."""

    @abstractmethod
    def _metrics(self, predictions: Mapping[str, Tensor], loss: LossSpec) -> dict[str, Any]:
        """The metrics, but those of losses."""

    _loss_width = 1
    """The size of the last axis of the losses."""
    _weighs_logits = False
    """Whether each logit may have a weight of its own."""

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[str, Tensor]:
        """What is predicted, or what of it is asked for."""
        found = self._predictions(checked_logits(logits, self.logits_dimension))
        return found if keys is None else {key: found[key] for key in keys}

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: Any = None,
        regularization_losses: Any = None,
    ) -> Tensor:
        """The loss of a batch as a number, with losses of weights added to it."""
        found = self.create_loss(features, mode, logits, labels).training_loss
        return add_n([found, *(regularization_losses or ())])

    def create_loss(self, features: Any, mode: Any, logits: Any, labels: Any) -> LossSpec:
        """See `Head`."""
        logits = convert_to_tensor(logits)
        labels = self._labels(labels, logits)
        if self._loss_fn is None:
            losses = self._losses(labels, logits)
        else:
            losses = called_loss_fn(self._loss_fn, labels, logits, features, self._loss_width)
        weights = weights_of(features, self._weight_column, logits, self._weighs_logits)
        loss = compute_weighted_loss(losses, weights, reduction=self._loss_reduction)
        return LossSpec(loss, losses, weights, labels)

    def create_estimator_spec(
        self,
        features: Any,
        mode: Any,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        regularization_losses: Any = None,
        trainable_variables: Any = None,
        update_ops: Any = None,
    ) -> EstimatorSpec:
        """See `Head`."""
        with scopes.name_scope(self._name, "head"):
            logits = checked_logits(logits, self.logits_dimension)
            with scopes.name_scope(None, "predictions", (logits,)):
                predictions = self._predictions(logits)
            if mode == ModeKeys.PREDICT:
                exports = self._exports(predictions)
                default = next(iter(exports.values()))
                exports = {DEFAULT_KEY: default, **exports, PREDICT: PredictOutput(predictions)}
                return EstimatorSpec(mode, predictions=predictions, export_outputs=exports)
            spec = self.create_loss(features, mode, logits, labels)
            penalty = add_n(regularization_losses) if regularization_losses else None
            loss = spec.training_loss if penalty is None else add_n([spec.training_loss, penalty])
            if mode == ModeKeys.EVAL:
                return EstimatorSpec(
                    mode,
                    predictions=predictions,
                    loss=loss,
                    eval_metric_ops=self._all_metrics(predictions, spec, penalty),
                )
            train_op = trained(loss, optimizer, train_op_fn, trainable_variables)
            if update_ops is None:
                update_ops = scopes.get_collection(GraphKeys.UPDATE_OPS)
            if update_ops:
                train_op = group(train_op, *update_ops)
            shown = {MetricKeys.LOSS: loss}
            if self._loss_reduction == Reduction.SUM:
                total = reduce_sum(spec.weights * array_fill.ones_like(spec.unreduced_loss))
                shown[MetricKeys.LOSS_MEAN] = spec.training_loss / total
            if penalty is not None:
                shown[MetricKeys.LOSS_REGULARIZATION] = penalty
        with scopes.name_scope(""):
            for key, value in shown.items():
                scalar(self._key(key), value)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _all_metrics(
        self, predictions: Mapping[str, Tensor], spec: LossSpec, penalty: Any
    ) -> dict[str, Any]:
        with scopes.name_scope(None, "metrics"):
            name = MetricKeys.LOSS_MEAN
            found = {name: mean(spec.unreduced_loss, spec.weights, name=name)}
            found |= self._metrics(predictions, spec)
            if penalty is not None:
                name = MetricKeys.LOSS_REGULARIZATION
                found[name] = mean(penalty, name=name)
        return {self._key(key): value for key, value in found.items()}

    def _key(self, metric: str) -> str:
        return f"{metric}/{self._name}" if self._name else metric


def trained(loss: Any, optimizer: Any, train_op_fn: Any, variables: Any = None) -> Any:
    """The operation that trains.

    Raises:
      ValueError: Not just one of an optimizer and a function is given.
    """
    if optimizer is not None and train_op_fn is not None:
        raise ValueError("train_op_fn and optimizer cannot both be set.")
    if train_op_fn is not None:
        return train_op_fn(loss)
    if optimizer is None:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    if hasattr(optimizer, "get_updates"):
        if variables is None:
            variables = scopes.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        return group(*optimizer.get_updates(loss, variables))
    return optimizer.minimize(loss, global_step=get_global_step())

"""Head, and what heads of one kind of label share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dataflow.estimation.export_outputs import DEFAULT_KEY, PredictOutput
from dataflow.estimation.heads.base import PREDICT, LossSpec, SingleHead, trained
from dataflow.estimation.heads.checks import checked_logits
from dataflow.estimation.heads.measures import MetricKeys
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.keras.losses import Reduction
from dataflow.keras.metrics import Mean
from dataflow.keras.optimizers.base import Optimizer
from dataflow.library.losses.weighted import Reduction as FirstReduction
from dataflow.library.summaries.values import scalar
from dataflow.library.weights import broadcast_weights
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.reductions.sum import add_n
from dataflow.values import dtypes

_REDUCTIONS: Final = {
    Reduction.AUTO: FirstReduction.SUM_OVER_BATCH_SIZE,
    Reduction.SUM_OVER_BATCH_SIZE: FirstReduction.SUM_OVER_BATCH_SIZE,
    Reduction.SUM: FirstReduction.SUM,
}


class Head(ABC):
    """What stands on top of a model: makes predictions, loss and metrics of logits."""

    @property
    @abstractmethod
    def name(self) -> str | None:
        """Ends the names of its metrics, if it is not None."""

    @property
    @abstractmethod
    def logits_dimension(self) -> int:
        """The size of the last axis of the logits."""

    @property
    @abstractmethod
    def loss_reduction(self) -> str:
        """How the losses of a batch become one number, one of `tf.keras.losses.Reduction`."""

    @abstractmethod
    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: Any = None,
        regularization_losses: Any = None,
    ) -> Any:
        """The loss of a batch as a number.

        Args:
          labels: What to compare with.
          logits: What the model has made of the features.
          features: Tensors by name, among them the weights of examples.
          mode: One of ModeKeys.
          regularization_losses: Are added to it.
        """

    @abstractmethod
    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> Any:
        """What is predicted, by name.

        Args:
          logits: What the model has made of the features.
          keys: Names of what is asked for; all if None.
        """

    @abstractmethod
    def metrics(self, regularization_losses: Any = None) -> Any:
        """New metrics of tf.keras, by name.

        Args:
          regularization_losses: Have a metric of their own if there are any.
        """

    @abstractmethod
    def update_metrics(
        self,
        eval_metrics: Any,
        features: Any,
        logits: Any,
        labels: Any,
        mode: Any = None,
        regularization_losses: Any = None,
    ) -> Any:
        """The same metrics, after a batch is added.

        Args:
          eval_metrics: What `metrics` gave.
          features: Tensors by name, among them the weights of examples.
          logits: What the model has made of the features.
          labels: What to compare with.
          mode: One of ModeKeys.
          regularization_losses: As `metrics` got them.
        """

    def create_estimator_spec(
        self,
        features: Any,
        mode: Any,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        update_ops: Any = None,
        regularization_losses: Any = None,
    ) -> Any:
        """What a model function gives.

        Args:
          features: Tensors by name.
          mode: One of ModeKeys.
          logits: What the model has made of the features, shape `[..., logits_dimension]`.
          labels: What to compare with.
          optimizer: An optimizer of tf.keras, which trains with the loss.
          trainable_variables: What the optimizer trains.
          train_op_fn: Makes the operation that trains of the loss, instead of an optimizer.
          update_ops: What runs with each step.
          regularization_losses: Are added to the loss.

        Raises:
          ValueError: In training not just one of `optimizer` and `train_op_fn` is given, or the
            shape of logits or labels is wrong.
          NotImplementedError: The subclass makes none.
        """
        try:
            spec = self._create_tpu_estimator_spec(
                features=features,
                mode=mode,
                logits=logits,
                labels=labels,
                optimizer=optimizer,
                trainable_variables=trainable_variables,
                train_op_fn=train_op_fn,
                update_ops=update_ops,
                regularization_losses=regularization_losses,
            )
        except NotImplementedError:
            raise NotImplementedError(
                "Subclasses of Head must implement `create_estimator_spec()` or "
                "_create_tpu_estimator_spec()."
            ) from None
        return spec.as_estimator_spec()

    def _create_tpu_estimator_spec(self, **given: Any) -> Any:
        """What programs' own heads may write instead of `create_estimator_spec`."""
        raise NotImplementedError("No _create_tpu_estimator_spec is written.")


class KerasHead(SingleHead):
    """Gives a head of one kind of label tf.keras's metrics and reductions."""

    def __init__(self, *args: Any, loss_reduction: str, **kwargs: Any) -> None:
        """Takes the arguments of the head.

        Raises:
          ValueError: The reduction is unknown, or "none".
        """
        if loss_reduction not in _REDUCTIONS:
            raise ValueError(
                f"Invalid loss_reduction: {loss_reduction}. See `tf.losses.Reduction` for valid "
                "options."
            )
        kwargs["loss_reduction"] = _REDUCTIONS[loss_reduction]
        super().__init__(*args, **kwargs)
        self._given_reduction = loss_reduction

    @property
    def loss_reduction(self) -> str:
        """See `Head`."""
        return self._given_reduction

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: Any = None,
        regularization_losses: Any = None,
    ) -> Any:
        """See `Head`."""
        with name_scope(None, "losses"):
            return self._loss_and_penalty(features, mode, logits, labels, regularization_losses)

    def _loss_and_penalty(
        self, features: Any, mode: Any, logits: Any, labels: Any, penalties: Any
    ) -> Any:
        logits = checked_logits(logits, self.logits_dimension)
        loss = self.create_loss(features, mode, logits, labels).training_loss
        return loss if penalties is None else loss + add_n(penalties)

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[str, Tensor]:
        """See `Head`.

        Raises:
          ValueError: There is no prediction of such a name.
        """
        logits = checked_logits(logits, self.logits_dimension)
        with name_scope(None, "predictions", (logits,)):
            found = self._predictions(logits)
        for key in keys or ():
            if key not in found:
                raise ValueError(
                    f"Prediction key must be in PredictionKeys, given: {key}."
                    f"Valid prediction keys include {list(found)}."
                )
        return {key: found[key] for key in keys} if keys else found

    def _measures(self) -> dict[str, Any]:
        """Its own metrics, but those at thresholds, by names without the head's."""
        return {}

    def _measures_at_thresholds(self) -> dict[str, Any]:
        """Metrics that stand behind the others, by names without the head's."""
        return {}

    def _measure(
        self,
        find: Callable[[str], Any],
        predictions: Mapping[str, Any],
        loss: LossSpec,
        labels: Any,
    ) -> None:
        """Adds a batch to its own metrics.

        Args:
          find: Gives a metric of a name without the head's.
          predictions: What is predicted.
          loss: The loss, with weights and processed labels.
          labels: The labels as they were given.
        """

    def metrics(self, regularization_losses: Any = None) -> dict[str, Any]:
        """See `Head`."""
        with name_scope(None, "metrics"):
            found = {MetricKeys.LOSS_MEAN: Mean(MetricKeys.LOSS_MEAN), **self._measures()}
            if regularization_losses is not None:
                found[MetricKeys.LOSS_REGULARIZATION] = Mean(MetricKeys.LOSS_REGULARIZATION)
            found |= self._measures_at_thresholds()
        return {self._key(key): metric for key, metric in found.items()}

    def update_metrics(
        self,
        eval_metrics: Any,
        features: Any,
        logits: Any,
        labels: Any,
        regularization_losses: Any = None,
    ) -> Any:
        """See `Head`."""
        predictions = self.predictions(logits)
        logits = checked_logits(logits, self.logits_dimension)
        loss = self.create_loss(features, ModeKeys.EVAL, logits, labels)

        def find(key: str) -> Any:
            return eval_metrics[self._key(key)]

        find(MetricKeys.LOSS_MEAN).update_state(loss.unreduced_loss, sample_weight=loss.weights)
        self._measure(find, predictions, loss, labels)
        if regularization_losses is not None:
            penalty = add_n(regularization_losses)
            find(MetricKeys.LOSS_REGULARIZATION).update_state(penalty)
        return eval_metrics

    def create_estimator_spec(  # type: ignore[override]
        self,
        features: Any,
        mode: Any,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        update_ops: Any = None,
        regularization_losses: Any = None,
    ) -> EstimatorSpec:
        """See `Head`."""
        with name_scope(self._name, "head"):
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                exports = self._exports(predictions)
                default = next(iter(exports.values()))
                exports = {DEFAULT_KEY: default, **exports, PREDICT: PredictOutput(predictions)}
                return EstimatorSpec(mode, predictions=predictions, export_outputs=exports)
            loss = self.loss(labels, logits, features, mode, regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self.metrics(regularization_losses)
                self.update_metrics(metrics, features, logits, labels, regularization_losses)
                return EstimatorSpec(
                    mode, predictions=predictions, loss=loss, eval_metric_ops=metrics
                )
            train_op = training_op(loss, optimizer, train_op_fn, trainable_variables, update_ops)
        show(loss, regularization_losses, self._key)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)


def training_op(
    loss: Any, optimizer: Any, train_op_fn: Any, variables: Any, update_ops: Any
) -> Any:
    """What trains, with updates that a program asks for.

    Raises:
      ValueError: Not just one of an optimizer and a function is given, the optimizer is none of
        tf.keras's or has no variables, or the updates or variables are no list.
    """
    _check_list("update_ops", update_ops)
    if optimizer is not None and train_op_fn is None:
        if not isinstance(optimizer, Optimizer):
            raise ValueError(
                "The given optimizer is not a tf.keras.optimizers.Optimizer instance. Given: "
                f"{optimizer}"
            )
        if variables is None:
            raise ValueError(f"trainable_variables cannot be None. Given {variables}")
        _check_list("trainable_variables", variables)
    with name_scope(""), name_scope("training"):
        train_op = trained(loss, optimizer, train_op_fn, variables)
        return train_op if update_ops is None else group(train_op, *update_ops)


def _check_list(name: str, given: Any) -> None:
    if given is not None and not isinstance(given, (list, tuple)):
        raise ValueError(f"{name} should be a list or a tuple. Given type: {type(given)}.")


def show(loss: Any, penalties: Any, key: Callable[[str], str] = str) -> None:
    """Makes the summaries of a loss and of what was added to it."""
    with name_scope(""):
        scalar(key(MetricKeys.LOSS), loss)
        if penalties is not None:
            scalar(key(MetricKeys.LOSS_REGULARIZATION), add_n(penalties))


def add_mean(metric: Any, values: Any, weights: Any) -> None:
    """Adds numbers to a mean, with weights that are broadcast to them."""
    values = cast(values, dtypes.float32)
    metric.update_state(values, sample_weight=broadcast_weights(weights, values))

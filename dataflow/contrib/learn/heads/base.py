"""What all heads share: the way from logits to the operations of a model function."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.layers.legacy import linear
from dataflow.contrib.learn.heads.keys import MetricKey, PredictionKey
from dataflow.contrib.learn.heads.losses import LossFn
from dataflow.contrib.learn.heads.metrics import Metric
from dataflow.contrib.learn.model_fn import ModeKeys, ModelFnOps
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from dataflow.library.metrics.means import mean
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.range import range as number_range
from dataflow.ops.nn.bias import bias_add
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.ops.sparse.reshape import sparse_reshape
from dataflow.ops.text.numbers import as_string
from dataflow.training.adagrad import AdagradOptimizer
from dataflow.values import dtypes, logging
from dataflow.variables.scope import variable_scope
from dataflow.variables.variable import Variable


class Head(ABC):
    """What stands on top of a model."""

    @property
    @abstractmethod
    def logits_dimension(self) -> int:
        """The size of the last axis of the logits."""
        raise NotImplementedError("Calling an abstract method.")

    @abstractmethod
    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """What a model function gives.

        Args:
          features: Tensors by name.
          mode: One of `tf.contrib.learn.ModeKeys`.
          labels: A tensor, or tensors by name; None when it infers.
          train_op_fn: Gives the training step for a loss; needed in training.
          logits: Floats [batch_size, logits_dimension].
          logits_input: What a linear layer makes the logits of, in their place.
          scope: The variable scope.

        Raises:
          ValueError: There are both or neither of logits and their input, the mode is none, or
            what the mode needs is missing.
        """
        raise NotImplementedError("Calling an abstract method.")


class SingleHead(Head):
    """A head with one kind of label."""

    _scope: str
    """The variable scope of one without a name."""
    _problem: int
    """One of `ProblemType`."""

    def __init__(
        self,
        logits_dimension: int,
        loss_fn: LossFn,
        label_name: str | None,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        head_name: str | None,
    ) -> None:
        """Makes one.

        Args:
          logits_dimension: The size of the last axis of the logits.
          loss_fn: Its loss.
          label_name: The labels' name, if they are in a dictionary.
          weight_column_name: The feature that holds the weights of examples.
          enable_centered_bias: Whether a bias is learnt beside the model.
          head_name: Ends names of metrics.
        """
        if logits_dimension < 1:
            raise ValueError(f"Invalid logits_dimension {logits_dimension}.")
        self._logits_dimension = logits_dimension
        self._loss_fn = loss_fn
        self._label_name = label_name
        self._weight_column_name = weight_column_name
        self._enable_centered_bias = enable_centered_bias
        self._head_name = head_name

    @property
    def logits_dimension(self) -> int:
        """The size of the last axis of the logits."""
        return self._logits_dimension

    @property
    def label_name(self) -> str | None:
        """The labels' name, if they are in a dictionary."""
        return self._label_name

    @property
    def weight_column_name(self) -> str | None:
        """The feature that holds the weights of examples."""
        return self._weight_column_name

    @property
    def head_name(self) -> str | None:
        """Ends names of metrics."""
        return self._head_name

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """See `Head.create_model_fn_ops`."""
        given = [*features.values(), labels, logits, logits_input]
        values = [each for each in given if each is not None]
        with variable_scope(scope, default_name=self._head_name or self._scope, values=values):
            if mode == ModeKeys.INFER or labels is None:
                labels = None
            else:
                labels = self._transformed(self._labels_tensor(labels))
            logits = self._logits(logits, logits_input)
            return self._ops(features, mode, labels, train_op_fn, logits)

    def _ops(
        self, features: Any, mode: str, labels: Any, train_op_fn: Any, logits: Any
    ) -> ModelFnOps:
        check_mode(mode)
        bias = None
        if self._enable_centered_bias:
            bias = self._centered_bias()
            logits = bias_add(logits, bias)
        with name_scope(None, "predictions", (logits,)):
            predictions = self._predictions(logits)
        loss = train_op = metrics = None
        if mode != ModeKeys.INFER and labels is not None:
            weights = _weights(features, self._weight_column_name)
            loss, reported = self._loss(labels, logits, weights)
            with name_scope(""):
                scalar(self._key(MetricKey.LOSS), identity(reported))
            if mode == ModeKeys.TRAIN:
                if train_op_fn is None:
                    raise ValueError("train_op_fn can not be None in TRAIN mode")
                train_op = self._step(loss, labels, logits, weights, train_op_fn, bias)
            with name_scope("metrics"):
                found = {MetricKey.LOSS: mean(reported)}
                found |= self._metrics(predictions, labels, weights)
                metrics = {self._key(key): metric for key, metric in found.items()}
        return ModelFnOps(
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            output_alternatives={self._head_name: (self._problem, self._exported(predictions))},
        )

    @abstractmethod
    def _predictions(self, logits: Any) -> dict[str, Any]:
        """By name."""

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Metric]:
        """Those beside the loss."""
        return {}

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        """Which predictions an exported model gives."""
        return predictions

    def _transformed(self, labels: Any) -> Any:
        """What `_loss` and `_metrics` are given."""
        if isinstance(labels, SparseTensor):
            raise ValueError("SparseTensor is not supported.")
        return labels

    def _loss(self, labels: Any, logits: Any, weights: Any = None) -> Any:
        return self._loss_fn(labels, logits, weights)

    def _key(self, name: str) -> str:
        return f"{name}/{self._head_name}" if self._head_name else name

    def _labels_tensor(self, labels: Any) -> Any:
        if isinstance(labels, dict):
            labels = labels[self._label_name]
        return convert_to_tensor_or_sparse_tensor(labels)

    def _logits(self, logits: Any, logits_input: Any) -> Any:
        if logits is None:
            if logits_input is None:
                raise ValueError("Neither logits nor logits_input supplied.")
            return linear(logits_input, self._logits_dimension, scope="logits")
        if logits_input is not None:
            raise ValueError("Both logits and logits_input supplied.")
        logits = convert_to_tensor(logits, name="logits")
        if logits.shape.ndims is not None:
            logits.shape.dims[-1].assert_is_compatible_with(self._logits_dimension)
        return logits

    def _centered_bias(self) -> Any:
        count = self._logits_dimension
        bias = Variable(zeros((count,)), trainable=True, name="centered_bias_weight")
        for number in range(count):
            scalar(self._key(f"centered_bias/bias_{number}"), bias[number])
        return bias

    def _step(
        self, loss: Any, labels: Any, logits: Any, weights: Any, train_op_fn: Any, bias: Any
    ) -> Any:
        of_bias = None
        if bias is not None:
            with name_scope(None, "centered_bias_step") as name:
                size = array_shape.shape(logits)[0]
                alone = array_shape.reshape(tile(bias, (size,)), (size, self._logits_dimension))
                with name_scope(None, "centered_bias"):
                    # What trains and what is reported both count.
                    found = reduce_mean(self._loss(labels, alone, weights), name="training_loss")
                of_bias = AdagradOptimizer(0.1).minimize(found, var_list=(bias,), name=name)
        with name_scope(None, "train_op"):
            step = train_op_fn(loss)
            return step if of_bias is None else group(step, of_bias)


def check_mode(mode: Any) -> None:
    """Refuses what is no mode.

    Raises:
      ValueError: It is none.
    """
    if mode not in (ModeKeys.TRAIN, ModeKeys.INFER, ModeKeys.EVAL):
        raise ValueError(f"mode={mode} unrecognized.")


def exported_classes(predictions: dict[str, Any], names: Any = None) -> dict[str, Any]:
    """Probabilities, and the names of all classes for each example."""
    probabilities = predictions[PredictionKey.PROBABILITIES]
    with name_scope(None, "_classification_output_alternatives", (probabilities,)):
        size = array_shape.shape(probabilities)
        numbers = number_range(size[1]) if names is None else names
        classes = tile(array_shape.expand_dims(numbers, axis=0), [size[0], 1])
        classes = as_string(classes, name="classes_tensor") if names is None else classes
    return {PredictionKey.PROBABILITIES: probabilities, PredictionKey.CLASSES: classes}


def _weights(features: Any, name: str | None) -> Any:
    if not name:
        return None
    if name not in features:
        raise ValueError(f"Weights {name} missing from features.")
    with name_scope(None, "weight_tensor", tuple(features.values())):
        weights = cast(features[name], dtypes.float32)
        if weights.shape.ndims != 1:
            return weights
        logging.warning("Weights %s has shape %s, expanding to make it 2d.", name, weights.shape)
        if isinstance(weights, SparseTensor):
            return sparse_reshape(weights, (-1, 1))
        return array_shape.reshape(weights, (-1, 1))

"""Linear models that stochastic dual coordinate ascent trains instead of an optimizer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from dataflow.estimation.canned.logits import linear_logits
from dataflow.estimation.heads.classes import BinaryClassHead
from dataflow.estimation.heads.numbers import RegressionHead
from dataflow.estimation.model_spec import ModeKeys
from dataflow.training.global_step import get_global_step
from dataflow.training.hooks.session_run_hook import SessionRunArgs, SessionRunHook


class DualAscent(ABC):
    """What a linear estimator takes in the place of an optimizer."""

    @abstractmethod
    def get_train_step(
        self,
        state_manager: Any,
        weight_column_name: Any,
        loss_type: str,
        feature_columns: Any,
        features: Any,
        targets: Any,
        bias_var: Any,
        global_step: Any,
    ) -> tuple[Any, Any]:
        """The model of columns and their weights, and a training step of it.

        Args:
          state_manager: Its `get_variable(column, "weights")` gives the weights of a column.
          weight_column_name: The feature that tells what examples count; 1 each if None.
          loss_type: "logistic_loss" or "squared_loss".
          feature_columns: The columns of the model.
          features: Tensors by name.
          targets: Labels, one for each example.
          bias_var: The variable of the bias.
          global_step: A variable that is counted up.
        """


class UpdateWeights(SessionRunHook):
    """Brings what steps have made of the weights into the variables, on the chief."""

    def __init__(self, model: Any, train_op: Any) -> None:
        """Takes the model and its step."""
        self._model = model
        self._train_op = train_op
        self._update: Any = None

    def begin(self) -> None:
        """See `SessionRunHook`."""
        self._update = self._model.update_weights(self._train_op)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """See `SessionRunHook`."""
        return SessionRunArgs(self._update)


class _Weights:
    """Gives the weights of columns, by TensorFlow's name for what does so."""

    def __init__(self, variables: dict[Any, list[Any]]) -> None:
        self._variables = variables

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """The weights of a column: a variable, or a list of its parts."""
        if name != "weights":
            raise ValueError(f"A column of a linear model has weights, and no variable {name!r}.")
        return _one_or_parts(self._variables[feature_column])


def _one_or_parts(variables: list[Any]) -> Any:
    return variables[0] if len(variables) == 1 else variables


def dual_ascent_model_fn(
    features: Any, labels: Any, mode: Any, head: Any, feature_columns: Any, ascent: DualAscent
) -> Any:
    """The model function, in the open scope.

    Args:
      features: Tensors by name.
      labels: What the head takes.
      mode: One of `ModeKeys`.
      head: Of two classes, or of one number.
      feature_columns: Columns of the model.
      ascent: Trains it.

    Raises:
      ValueError: The head is another, or of several numbers.
    """
    if isinstance(head, BinaryClassHead):
        loss_type = "logistic_loss"
    elif isinstance(head, RegressionHead):
        loss_type = "squared_loss"
        if head.logits_dimension != 1:
            raise ValueError("LinearSDCA can only be used with one-dimensional label.")
    else:
        raise ValueError(f"Unsupported head type: {head}")
    logits, weights, bias = linear_logits(features, feature_columns, 1, "sum")
    if mode != ModeKeys.TRAIN:
        return head.create_estimator_spec(
            features=features, mode=mode, labels=labels, logits=logits
        )
    model, step = ascent.get_train_step(
        _Weights(weights),
        head._weight_column,
        loss_type,
        feature_columns,
        features,
        labels,
        _one_or_parts(bias),
        get_global_step(),
    )
    spec = head.create_estimator_spec(
        features=features, mode=mode, labels=labels, logits=logits, train_op_fn=lambda _: step
    )
    hooks = (*spec.training_chief_hooks, UpdateWeights(model, step))
    return spec._replace(training_chief_hooks=hooks)


def check_dual_ascent(optimizer: Any, sparse_combiner: str) -> bool:
    """Whether dual ascent trains.

    Raises:
      ValueError: It does, and weights of categories are not to be added up.
    """
    if not isinstance(optimizer, DualAscent):
        return False
    if sparse_combiner != "sum":
        raise ValueError('sparse_combiner must be "sum" when optimizer is a LinearSDCA object.')
    return True

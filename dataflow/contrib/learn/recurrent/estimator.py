"""The estimator of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from dataflow.contrib.layers.linear import fully_connected
from dataflow.contrib.layers.optimizers import OPTIMIZER_SUMMARIES, optimize_loss
from dataflow.contrib.layers.targets import ProblemType, multi_class_target, regression_target
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.contrib.learn.model_fn import ModeKeys, ModelFnOps
from dataflow.contrib.learn.recurrent.cells import PredictionType, RNNKeys, construct_rnn_cell
from dataflow.contrib.learn.recurrent.inputs import (
    build_sequence_input,
    dict_to_state_tuple,
    state_tuple_to_dict,
)
from dataflow.contrib.learn.recurrent.steps import (
    mask_activations_and_labels,
    multi_value_predictions,
    select_last_activations,
    single_value_predictions,
)
from dataflow.contrib.metrics.streaming import streaming_accuracy
from dataflow.graph.scopes import name_scope
from dataflow.library.rnn.dynamic import dynamic_rnn
from dataflow.training.momentum import MomentumOptimizer
from dataflow.values import dtypes


class DynamicRnnEstimator(Estimator):
    """A recurrent net that tells a class or a number of each sequence, or of each step.

    Features may hold `sequence_length`, how many steps of each sequence count; and
    `rnn_cell_state_0` and so on, the first state, of which predictions hold the last.
    """

    def __init__(
        self,
        problem_type: int,
        prediction_type: int,
        sequence_feature_columns: Any,
        context_feature_columns: Any = None,
        num_classes: int | None = None,
        num_units: int | Sequence[int] | None = None,
        cell_type: Any = "basic_rnn",
        optimizer: Any = "SGD",
        learning_rate: float | None = 0.1,
        predict_probabilities: bool = False,
        momentum: float | None = None,
        gradient_clipping_norm: float | None = 5.0,
        dropout_keep_probabilities: Sequence[float | None] | None = None,
        model_dir: Any = None,
        feature_engineering_fn: Any = None,
        config: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          problem_type: `ProblemType.CLASSIFICATION` or `ProblemType.LINEAR_REGRESSION`.
          prediction_type: `PredictionType.SINGLE_VALUE` or `PredictionType.MULTIPLE_VALUE`.
          sequence_feature_columns: Columns of steps.
          context_feature_columns: Columns of whole sequences.
          num_classes: How many classes there are.
          num_units: The size of the cell, or of each that lie above each other.
          cell_type: "basic_rnn", "lstm", "gru" or a class.
          optimizer: See `tf.contrib.layers.optimize_loss`.
          learning_rate: Of an optimizer that is no object.
          predict_probabilities: Whether predictions hold the chances of classes.
          momentum: Of the optimizer "Momentum".
          gradient_clipping_norm: The most that the gradients' norm may be.
          dropout_keep_probabilities: What share of each cell's inputs training keeps, and of the
            outputs.
          model_dir: Folder of checkpoints and summaries.
          feature_engineering_fn: Features and labels for features and labels.
          config: How to run.

        Raises:
          ValueError: A type is none, there is no number of classes, or chances of numbers are
            asked for.
        """
        if prediction_type == PredictionType.MULTIPLE_VALUE:
            name = "MultiValueDynamicRNN"
        elif prediction_type == PredictionType.SINGLE_VALUE:
            name = "SingleValueDynamicRNN"
        else:
            raise ValueError(
                "prediction_type must be one of PredictionType.MULTIPLE_VALUE or "
                f"PredictionType.SINGLE_VALUE; got {prediction_type}"
            )
        if problem_type == ProblemType.LINEAR_REGRESSION:
            if predict_probabilities:
                raise ValueError(
                    "predict_probabilities can only be set to True for problem_type "
                    f"ProblemType.CLASSIFICATION; got {problem_type}."
                )
            target, name = regression_target(), f"{name}Regressor"
        elif problem_type == ProblemType.CLASSIFICATION:
            if not num_classes:
                raise ValueError("For CLASSIFICATION problem_type, num_classes must be specified.")
            target, name = multi_class_target(n_classes=num_classes), f"{name}Classifier"
        else:
            raise ValueError(
                "problem_type must be either ProblemType.LINEAR_REGRESSION or "
                f"ProblemType.CLASSIFICATION; got {problem_type}"
            )
        if optimizer == "Momentum":
            optimizer = MomentumOptimizer(learning_rate, momentum)
        model_fn = partial(
            _model_fn,
            cell_type=cell_type,
            num_units=num_units,
            target=target,
            is_of_steps=prediction_type == PredictionType.MULTIPLE_VALUE,
            optimizer=optimizer,
            sequence_columns=sequence_feature_columns,
            context_columns=context_feature_columns,
            predict_probabilities=predict_probabilities,
            learning_rate=learning_rate,
            clip_norm=gradient_clipping_norm,
            keep_probabilities=dropout_keep_probabilities,
            name=name,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


def _model_fn(
    features: Any,
    labels: Any,
    mode: str,
    *,
    cell_type: Any,
    num_units: Any,
    target: Any,
    is_of_steps: bool,
    optimizer: Any,
    sequence_columns: Any,
    context_columns: Any,
    predict_probabilities: bool,
    learning_rate: float | None,
    clip_norm: float | None,
    keep_probabilities: Any,
    name: str,
) -> ModelFnOps:
    problem = target.problem_type
    loss = train_op = metrics = None
    with name_scope(name):
        lengths = features.get(RNNKeys.SEQUENCE_LENGTH_KEY)
        inputs = build_sequence_input(features, sequence_columns, context_columns)
        dropout = keep_probabilities if mode == ModeKeys.TRAIN else None
        cell = construct_rnn_cell(num_units, cell_type, dropout)
        initial = dict_to_state_tuple(features, cell)
        with name_scope("RNN"):
            outputs, state = dynamic_rnn(
                cell, inputs, initial_state=initial, dtype=dtypes.float32, swap_memory=True
            )
            logits = fully_connected(outputs, target.num_label_columns, activation_fn=None)
        if is_of_steps:
            predictions = multi_value_predictions(logits, target, problem, predict_probabilities)
        else:
            predictions = single_value_predictions(
                logits, lengths, target, problem, predict_probabilities
            )
        alternatives = None
        if not is_of_steps:
            alternatives = {"dynamic_rnn_output": (problem, dict(predictions))}
        if mode != ModeKeys.INFER:
            loss = _loss(logits, labels, lengths, target, features, is_of_steps)
            metrics = _metrics(predictions, labels, lengths, problem, is_of_steps)
        predictions.update(state_tuple_to_dict(state))
        if mode == ModeKeys.TRAIN:
            train_op = optimize_loss(
                loss,
                None,
                learning_rate,
                optimizer,
                clip_gradients=clip_norm,
                summaries=OPTIMIZER_SUMMARIES,
            )
    return ModelFnOps(mode, predictions, loss, train_op, metrics, alternatives)


def _loss(
    logits: Any, labels: Any, lengths: Any, target: Any, features: Any, is_of_steps: bool
) -> Any:
    with name_scope("MultiValueLoss" if is_of_steps else "SingleValueLoss"):
        if is_of_steps:
            logits, labels = mask_activations_and_labels(logits, labels, lengths)
        else:
            logits = select_last_activations(logits, lengths)
        return target.loss(logits, labels, features)


def _metrics(
    predictions: dict[str, Any], labels: Any, lengths: Any, problem: int, is_of_steps: bool
) -> dict[str, Any]:
    if problem != ProblemType.CLASSIFICATION:
        return {}
    classes = predictions[PredictionKey.CLASSES]
    if is_of_steps:
        classes, labels = mask_activations_and_labels(classes, labels, lengths)
    return {"accuracy": streaming_accuracy(classes, labels)}

"""tf.keras.estimator: estimators of models of tf.keras."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from dataflow.estimation.estimator import Estimator
from dataflow.estimation.export_outputs import DEFAULT_KEY, PredictOutput
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.keras import backend as K
from dataflow.keras import metrics, ops
from dataflow.keras.models import clone_model, load_model
from dataflow.keras.optimizers import TFOptimizer
from dataflow.keras.utils import custom_object_scope
from dataflow.training.global_step import get_or_create_global_step
from dataflow.training.monitored.scaffold import Scaffold
from dataflow.values import nest


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: dict[str, Any] | None = None,
    model_dir: str | None = None,
    config: Any = None,
    checkpoint_format: str = "saver",
) -> Estimator:
    """An estimator that trains a copy of a model, which begins with the model's weights.

    Args:
      keras_model: A compiled model of inputs and outputs, or a `Sequential`.
      keras_model_path: The file of one, instead.
      custom_objects: Classes and functions of the program's by name.
      model_dir: Folder of checkpoints and summaries.
      config: How to run.
      checkpoint_format: "saver" or "checkpoint"; the names in checkpoints are those of variables
        with either.

    Raises:
      ValueError: There is no model or two, it is not compiled, the format is unknown, or the model
        is a subclass with a `call` of its own.
    """
    if keras_model is None and not keras_model_path:
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided.")
    if keras_model is not None and keras_model_path:
        raise ValueError("Please specity either `keras_model` or `keras_model_path`, but not both.")
    if checkpoint_format not in (None, "saver", "checkpoint"):
        raise ValueError(
            f'Checkpoint format must be one of "checkpoint" or "saver". Got {checkpoint_format}'
        )
    model = load_model(keras_model_path, custom_objects) if keras_model is None else keras_model
    if not getattr(model, "optimizer", None):
        raise ValueError(
            "The given keras model has not been compiled yet. Please compile the model with "
            "`model.compile()` before calling `model_to_estimator()`."
        )
    if not model._is_graph_network:
        raise ValueError(
            "A model that is a subclass with a `call` of its own cannot be copied into the graphs "
            "of an estimator: give one of inputs and outputs, or a Sequential."
        )
    weights = model.get_weights()
    rules = _rules(model.optimizer)

    def model_fn(features: Any, labels: Any, mode: Any) -> EstimatorSpec:
        K.set_learning_phase(mode == ModeKeys.TRAIN)
        with custom_object_scope(custom_objects or {}):
            copy, sample_weights = _copy(model, features)
            if mode != ModeKeys.PREDICT:
                _compile(copy, model, rules(), _targets(copy, labels), sample_weights)
        begin = Scaffold(init_fn=lambda _, session: _set(session, copy, weights))
        predictions = dict(zip(copy.output_names, copy.outputs, strict=True))
        if mode == ModeKeys.PREDICT:
            exports = {DEFAULT_KEY: PredictOutput(predictions)}
            return EstimatorSpec(mode, predictions, export_outputs=exports, scaffold=begin)
        train_op = None
        if mode == ModeKeys.TRAIN:
            train_op = ops.group(*map(_done, copy._training_updates()))
        return EstimatorSpec(
            mode,
            predictions,
            copy.total_loss,
            train_op,
            {each.name: each for each in copy.metrics},
            scaffold=begin,
        )

    return Estimator(model_fn, model_dir, config)


def _copy(model: Any, features: Any) -> tuple[Any, Any]:
    """The model on an estimator's features, and the weights of examples if they have some."""
    sample_weights = None
    if isinstance(features, dict) and set(features) == {"features", "sample_weights"}:
        features, sample_weights = features["features"], features["sample_weights"]
    inputs = _ordered(features, model.input_names, "features", "inputs")
    return clone_model(model, input_tensors=inputs), sample_weights


def _targets(model: Any, labels: Any) -> list[Any] | None:
    if labels is None:
        return None
    given = _ordered(labels, model.output_names, "labels", "outputs")
    return [
        ops.expand_dims(target, -1)
        if target.shape.rank is not None and target.shape.rank + 1 == output.shape.rank
        else target
        for target, output in zip(given, model.outputs, strict=True)
    ]


def _ordered(given: Any, names: list[str], what: str, ends: str) -> list[Any]:
    if isinstance(given, dict):
        names = [re.sub(r":0$", "", name) for name in names]
        different = set(given) ^ set(names)
        if different:
            raise KeyError(
                f"The dictionary passed into {what} does not have the expected {ends} keys defined "
                f"in the keras model.\n\tExpected keys: {set(names)}\n\t{what} keys: {set(given)}"
                f"\n\tDifference: {different}"
            )
        given = [given[name] for name in names]
    listed = given if isinstance(given, (list, tuple)) else [given]
    return [each if isinstance(each, SparseTensor) else convert_to_tensor(each) for each in listed]


def _rules(optimizer: Any) -> Callable[[], Any]:
    """Makes an optimizer like a model's in another graph, where its steps are the global ones."""
    if isinstance(optimizer, TFOptimizer):
        return lambda: TFOptimizer(optimizer.optimizer, get_or_create_global_step())
    config = optimizer.get_config()

    def made() -> Any:
        found = type(optimizer).from_config(config)
        found.iterations = get_or_create_global_step()
        return found

    return made


def _compile(copy: Any, model: Any, optimizer: Any, targets: Any, sample_weights: Any) -> None:
    """Compiles a copy as the model was."""
    if sample_weights is not None:
        names = copy.output_names
        copy._weight_tensors = _ordered(sample_weights, names, "sample_weights", "outputs")
    copy.compile(
        optimizer,
        model.loss,
        nest.map_structure(metrics.clone_metric, model._given_metrics),
        model.loss_weights,
        model.sample_weight_mode,
        nest.map_structure(metrics.clone_metric, model._given_weighted),
        targets,
    )


def _done(update: Any) -> Any:
    return ops.assign(*update) if isinstance(update, tuple) else update


def _set(session: Any, copy: Any, weights: list[Any]) -> None:
    """Gives the copy's variables values without new operations: the graph is finished."""
    pairs = [(each.initializer, value) for each, value in zip(copy.weights, weights, strict=True)]
    session.run(
        [initializer for initializer, _ in pairs],
        {initializer.inputs[1]: value for initializer, value in pairs},
    )

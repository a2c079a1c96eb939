"""tensorflow.python.keras.models and metrics: copies of compiled models, and of metrics."""

from __future__ import annotations

from typing import Any

from dataflow import keras
from dataflow.keras import optimizers
from dataflow.keras.metrics import clone_metric
from dataflow.keras.objects import CustomObjectScope
from dataflow.values import nest


def share_weights(layer: Any) -> Any:
    """The layer itself, for `clone_model`."""
    return layer


def clone_metrics(metrics: Any) -> Any:
    """Metrics in their structure, with variables of their own; names as they are."""
    if isinstance(metrics, dict):
        return {key: clone_metrics(each) for key, each in metrics.items()}
    if isinstance(metrics, (list, tuple)):
        return [clone_metrics(each) for each in metrics]
    return clone_metric(metrics)


def clone_and_build_model(
    model: Any,
    input_tensors: Any = None,
    target_tensors: Any = None,
    custom_objects: Any = None,
    compile_clone: bool = True,
    in_place_reset: bool = False,
    optimizer_iterations: Any = None,
    optimizer_config: Any = None,
) -> Any:
    """A copy of a model, compiled like it.

    Args:
      model: The model.
      input_tensors: What the copy begins with; placeholders if None.
      target_tensors: What is true; placeholders if None.
      custom_objects: Classes and functions by their names.
      compile_clone: Whether the copy is compiled.
      in_place_reset: Not supported but as False.
      optimizer_iterations: The variable that counts the copy's steps; one of its own if None.
      optimizer_config: Configuration of the copy's optimizer; that of the model's if None.

    Raises:
      ValueError: The model is not compiled, or a subclass that tells no configuration.
    """
    if compile_clone and not model.optimizer:
        raise ValueError(
            "Error when cloning model: compile_clone was set to True, but the original model has "
            "not been compiled."
        )
    with CustomObjectScope(custom_objects or {}):
        clone = _copied(model, input_tensors)
    if compile_clone:
        clone.compile(
            _optimizer(model.optimizer, optimizer_config, optimizer_iterations),
            model.loss,
            metrics=clone_metrics(model._given_metrics),
            loss_weights=model.loss_weights,
            sample_weight_mode=model.sample_weight_mode,
            weighted_metrics=clone_metrics(model._given_weighted),
            target_tensors=target_tensors,
        )
    return clone


def _copied(model: Any, input_tensors: Any) -> Any:
    if model._is_graph_network or isinstance(model, keras.Sequential):
        clone = keras.models.clone_model(model, input_tensors=input_tensors)
        shape = getattr(model, "_build_input_shape", None)
        if isinstance(clone, keras.Sequential) and not clone._is_graph_network and shape:
            clone.build(shape)
        return clone
    try:
        clone = type(model).from_config(model.get_config())
    except NotImplementedError as error:
        raise ValueError(
            "This model is a subclassed model. Such a model cannot be cloned: give its class "
            "`get_config` and `from_config`."
        ) from error
    if input_tensors is not None:
        flat = nest.flatten(input_tensors)
        clone._set_inputs(flat[0] if len(flat) == 1 else input_tensors)
    return clone


def _optimizer(known: Any, config: Any, iterations: Any) -> Any:
    if isinstance(known, optimizers.TFOptimizer):
        return optimizers.TFOptimizer(known.optimizer, iterations)
    made = type(known).from_config(known.get_config() if config is None else config)
    if iterations is not None:
        made.iterations = iterations
    return made

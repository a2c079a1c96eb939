"""Predictors of SavedModels and of Estimators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dataflow.contrib.learn.estimator import Estimator as ContribEstimator
from dataflow.contrib.predictor.kinds import (
    ContribEstimatorPredictor,
    CoreEstimatorPredictor,
    SavedModelPredictor,
)
from dataflow.contrib.predictor.predictor import Predictor
from dataflow.estimation.estimator import Estimator
from dataflow.graph.graph import Graph


def from_saved_model(
    export_dir: Any,
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: Mapping[str, str] | None = None,
    output_names: Mapping[str, str] | None = None,
    tags: str | None = None,
    graph: Graph | None = None,
    config: Any = None,
) -> Predictor:
    """A Predictor of a SavedModel.

    Args:
      export_dir: The folder.
      signature_def_key: The signature; by default "serving_default".
      signature_def: A signature itself, instead.
      input_names: Names of tensors by the names of inputs, instead of a signature.
      output_names: Names of tensors by the names of outputs; goes with `input_names`.
      tags: The tags of the graph, between commas; "serve" if None.
      graph: The graph that it is loaded into; a new one if None.
      config: A ConfigProto for the session.

    Raises:
      ValueError: More than one of the signatures is given, or there is none of that key.
    """
    return SavedModelPredictor(
        export_dir,
        signature_def_key,
        signature_def,
        input_names,
        output_names,
        tags,
        graph,
        config,
    )


def from_estimator(
    estimator: Any,
    serving_input_receiver_fn: Callable[[], Any],
    output_key: str | None = None,
    graph: Graph | None = None,
    config: Any = None,
) -> Predictor:
    """A Predictor of an Estimator, with the variables of its latest checkpoint.

    Args:
      estimator: The Estimator.
      serving_input_receiver_fn: Makes the placeholders and the features.
      output_key: Which of its `export_outputs` is computed; by default "serving_default".
      graph: The graph to build in; a new one if None.
      config: A ConfigProto for the session.

    Raises:
      KeyError: There is no output of that key.
      TypeError: The estimator is one of tf.contrib.learn.
    """
    if isinstance(estimator, ContribEstimator):
        raise TypeError(
            "Expected estimator to be of type tf.python.estimator.Estimator, but got type "
            "tf.contrib.learn.Estimator. You likely want to call from_contrib_estimator."
        )
    return CoreEstimatorPredictor(estimator, serving_input_receiver_fn, output_key, graph, config)


def from_contrib_estimator(
    estimator: Any,
    prediction_input_fn: Callable[[], Any],
    input_alternative_key: str | None = None,
    output_alternative_key: str | None = None,
    graph: Graph | None = None,
    config: Any = None,
) -> Predictor:
    """A Predictor of a tf.contrib.learn.Estimator, with the variables of its latest checkpoint.

    Args:
      estimator: The Estimator.
      prediction_input_fn: Gives an `InputFnOps`.
      input_alternative_key: Must be None or "default_input_alternative": what is fed are its
        default inputs.
      output_alternative_key: Which of several heads is computed.
      graph: The graph to build in; a new one if None.
      config: A ConfigProto for the session.

    Raises:
      TypeError: The estimator is one of tf.estimator.
      ValueError: There are no such inputs, or no such head.
    """
    if not isinstance(estimator, ContribEstimator):
        raise TypeError(
            "Expected estimator to be of type tf.contrib.learn.Estimator, but got type "
            f"{_kind(estimator)}. You likely want to call from_estimator."
        )
    return ContribEstimatorPredictor(
        estimator,
        prediction_input_fn,
        input_alternative_key,
        output_alternative_key,
        graph,
        config,
    )


def _kind(estimator: Any) -> str:
    """What TensorFlow calls the class of an estimator, where it has a name for it."""
    if isinstance(estimator, Estimator):
        return "tf.python.estimator.Estimator"
    return str(type(estimator))

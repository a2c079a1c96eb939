"""Predictors of SavedModels and of Estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dataflow.contrib.learn.alternatives import DEFAULT_INPUT
from dataflow.contrib.learn.estimator import Estimator as ContribEstimator
from dataflow.contrib.predictor.predictor import Predictor
from dataflow.contrib.saved_model.reader import get_saved_model_tag_sets
from dataflow.contrib.saved_model.signatures import get_signature_def_by_key
from dataflow.estimation.estimator import Estimator
from dataflow.graph.graph import Graph
from dataflow.saving.saved_model.loader import load
from dataflow.saving.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from dataflow.saving.saved_model.tag_constants import SERVING
from dataflow.saving.saved_model.tensor_infos import get_tensor_from_tensor_info
from dataflow.session.session import Session
from dataflow.training.monitored.monitored_session import MonitoredSession
from dataflow.training.monitored.session_creators import ChiefSessionCreator


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
    named = input_names is not None and output_names is not None
    if (input_names is None) != (output_names is None):
        raise ValueError(
            "input_names and output_names must both be specified or both be unspecified."
        )
    if sum([signature_def_key is not None, signature_def is not None, named]) > 1:
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR"
            "(input_names AND output_names)."
        )
    graph = Graph() if graph is None else graph
    with graph.as_default():
        session = Session(config=config)
        meta_graph = load(session, (tags or SERVING).split(","), export_dir)
    if input_names is not None and output_names is not None:
        feeds = {key: graph.get_tensor_by_name(name) for key, name in input_names.items()}
        fetches = {key: graph.get_tensor_by_name(name) for key, name in output_names.items()}
        return Predictor(graph, session, feeds, fetches)
    if signature_def is None:
        key = signature_def_key or DEFAULT_SERVING_SIGNATURE_DEF_KEY
        try:
            signature_def = get_signature_def_by_key(meta_graph, key)
        except ValueError as error:
            sets = _shown(get_saved_model_tag_sets(export_dir))
            raise ValueError(
                f'Got signature_def_key "{key}". Available signatures are '
                f"{sorted(meta_graph.signature_def)}, and tag-sets {sets}. Original error:\n{error}"
            ) from error
    return _of_signature(graph, session, signature_def)


def _shown(tag_sets: Iterable[list[str]]) -> str:
    return ", ".join(",".join(tags) for tags in tag_sets)


def _of_signature(graph: Graph, session: Any, signature: Any) -> Predictor:
    feeds, fetches = (
        {key: get_tensor_from_tensor_info(info, graph) for key, info in infos.items()}
        for infos in (signature.inputs, signature.outputs)
    )
    return Predictor(graph, session, feeds, fetches)


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
    graph = Graph() if graph is None else graph
    with graph.as_default():
        receiver = serving_input_receiver_fn()
        spec = estimator.model_fn(receiver.features, None, "infer", estimator.config)
        outputs = spec.export_outputs or {}
        key = output_key or DEFAULT_SERVING_SIGNATURE_DEF_KEY
        if key not in outputs:
            raise KeyError(f"output_key must be one of {sorted(outputs)}; got {key}")
        signature = outputs[key].as_signature_def(receiver.receiver_tensors)
        session = _restored(estimator, config)
    return _of_signature(graph, session, signature)


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
    if input_alternative_key not in (None, DEFAULT_INPUT):
        raise ValueError(
            f"input_alternative_key must be {DEFAULT_INPUT}; got {input_alternative_key}."
        )
    graph = Graph() if graph is None else graph
    with graph.as_default():
        inputs = prediction_input_fn()
        fetches = estimator.predicted(inputs.features, output_alternative_key)
        session = _restored(estimator, config)
    return Predictor(graph, session, dict(inputs.default_inputs), fetches)


def _kind(estimator: Any) -> str:
    """What TensorFlow calls the class of an estimator, where it has a name for it."""
    if isinstance(estimator, Estimator):
        return "tf.python.estimator.Estimator"
    return str(type(estimator))


def _restored(estimator: Any, config: Any) -> MonitoredSession:
    return MonitoredSession(
        session_creator=ChiefSessionCreator(config=config, checkpoint_dir=estimator.model_dir)
    )

"""The kinds of predictors: of SavedModels, and of both kinds of Estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dataflow.contrib.learn.alternatives import DEFAULT_INPUT
from dataflow.contrib.predictor.predictor import Predictor
from dataflow.contrib.saved_model.reader import get_saved_model_tag_sets
from dataflow.contrib.saved_model.signatures import get_signature_def_by_key
from dataflow.graph.graph import Graph
from dataflow.saving.saved_model.loader import load
from dataflow.saving.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from dataflow.saving.saved_model.tag_constants import SERVING
from dataflow.saving.saved_model.tensor_infos import get_tensor_from_tensor_info
from dataflow.session.session import Session
from dataflow.training.monitored.monitored_session import MonitoredSession
from dataflow.training.monitored.session_creators import ChiefSessionCreator


class SavedModelPredictor(Predictor):
    """A Predictor of a SavedModel; `from_saved_model` says of what.

    Raises:
      ValueError: More than one of the signatures is given, or there is none of that key.
    """

    def __init__(
        self,
        export_dir: Any,
        signature_def_key: str | None = None,
        signature_def: Any = None,
        input_names: Mapping[str, str] | None = None,
        output_names: Mapping[str, str] | None = None,
        tags: str | None = None,
        graph: Graph | None = None,
        config: Any = None,
    ) -> None:
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
            super().__init__(graph, session, feeds, fetches)
            return
        if signature_def is None:
            signature_def = _signature(meta_graph, signature_def_key, export_dir)
        super().__init__(graph, session, *_tensors(graph, signature_def))


def _signature(meta_graph: Any, wanted: str | None, export_dir: Any) -> Any:
    key = wanted or DEFAULT_SERVING_SIGNATURE_DEF_KEY
    try:
        return get_signature_def_by_key(meta_graph, key)
    except ValueError as error:
        sets = _shown(get_saved_model_tag_sets(export_dir))
        raise ValueError(
            f'Got signature_def_key "{key}". Available signatures are '
            f"{sorted(meta_graph.signature_def)}, and tag-sets {sets}. Original error:\n{error}"
        ) from error


def _shown(tag_sets: Iterable[list[str]]) -> str:
    return ", ".join(",".join(tags) for tags in tag_sets)


def _tensors(graph: Graph, signature: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    feeds, fetches = (
        {key: get_tensor_from_tensor_info(info, graph) for key, info in infos.items()}
        for infos in (signature.inputs, signature.outputs)
    )
    return feeds, fetches


class CoreEstimatorPredictor(Predictor):
    """A Predictor of a tf.estimator.Estimator; `from_estimator` says of what.

    Raises:
      KeyError: There is no output of that key.
    """

    def __init__(
        self,
        estimator: Any,
        serving_input_receiver_fn: Callable[[], Any],
        output_key: str | None = None,
        graph: Graph | None = None,
        config: Any = None,
    ) -> None:
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
        super().__init__(graph, session, *_tensors(graph, signature))


class ContribEstimatorPredictor(Predictor):
    """A Predictor of a tf.contrib.learn.Estimator; `from_contrib_estimator` says of what.

    Raises:
      ValueError: There are no such inputs, or no such head.
    """

    def __init__(
        self,
        estimator: Any,
        prediction_input_fn: Callable[[], Any],
        input_alternative_key: str | None = None,
        output_alternative_key: str | None = None,
        graph: Graph | None = None,
        config: Any = None,
    ) -> None:
        if input_alternative_key not in (None, DEFAULT_INPUT):
            raise ValueError(
                f"input_alternative_key must be {DEFAULT_INPUT}; got {input_alternative_key}."
            )
        graph = Graph() if graph is None else graph
        with graph.as_default():
            inputs = prediction_input_fn()
            fetches = estimator.predicted(inputs.features, output_alternative_key)
            session = _restored(estimator, config)
        super().__init__(graph, session, dict(inputs.default_inputs), fetches)


def _restored(estimator: Any, config: Any) -> MonitoredSession:
    return MonitoredSession(
        session_creator=ChiefSessionCreator(config=config, checkpoint_dir=estimator.model_dir)
    )

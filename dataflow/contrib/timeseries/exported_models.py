"""Predictions and updates of state by exported models of time series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.contrib.timeseries.arrays import canonicalize_numpy_data, times_after
from dataflow.contrib.timeseries.feature_keys import STATE_TUPLE, TIMES, SavedModelLabels
from dataflow.contrib.timeseries.head import state_to_dictionary


def predict_continuation(
    continue_from: Mapping[str, Any],
    signatures: Any,
    session: Any,
    steps: int | None = None,
    times: Any = None,
    exogenous_features: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Predicts what follows.

    Args:
      continue_from: What `Estimator.evaluate` gave, or a function of this module.
      signatures: The MetaGraphDef of the model, as `tf.saved_model.loader.load` gives it.
      session: The session that the model was loaded in.
      steps: How many times to predict, from the next one on.
      times: Which times to predict instead, for each window.
      exogenous_features: Other features at these times.

    Returns:
      Predictions by name, and "times".

    Raises:
      ValueError: Not one of `steps` and `times` is given, or times are too early.
    """
    features = {
        TIMES: times_after(times=times, steps=steps, previous_model_output=continue_from),
        **(exogenous_features or {}),
    }
    return _run(SavedModelLabels.PREDICT, signatures, session, features, continue_from)


def cold_start_filter(signatures: Any, session: Any, features: Mapping[str, Any]) -> dict[str, Any]:
    """The state after values of a series that begins.

    Args:
      signatures: See `predict_continuation`.
      session: See there.
      features: Times, values and others: of one time, of a series, or of several.

    Returns:
      The state by name, and "times".

    Raises:
      ValueError: There are no times or values, or shapes do not fit.
    """
    features = canonicalize_numpy_data(features, require_single_batch=False)
    return _run(SavedModelLabels.COLD_START_FILTER, signatures, session, features, None)


def filter_continuation(
    continue_from: Mapping[str, Any], signatures: Any, session: Any, features: Mapping[str, Any]
) -> dict[str, Any]:
    """The state after more values; see `cold_start_filter`.

    Args:
      continue_from: What `Estimator.evaluate` gave, or a function of this module.
      signatures: See there.
      session: See there.
      features: See there.
    """
    features = canonicalize_numpy_data(features, require_single_batch=False)
    return _run(SavedModelLabels.FILTER, signatures, session, features, continue_from)


def _run(
    label: str,
    signatures: Any,
    session: Any,
    features: Mapping[str, Any],
    continue_from: Mapping[str, Any] | None,
) -> dict[str, Any]:
    signature = signatures.signature_def[label]
    state: Mapping[str, Any] = continue_from or {}
    if STATE_TUPLE in state:
        state = state_to_dictionary(state[STATE_TUPLE])
    element = session.graph.as_graph_element
    inputs = {key: element(info.name) for key, info in signature.inputs.items()}
    outputs = {key: element(info.name) for key, info in signature.outputs.items()}
    feeds = {inputs[key]: value for key, value in [*_state_of(state, inputs), *features.items()]}
    found: dict[str, Any] = session.run(outputs, feed_dict=feeds)
    # What follows needs the times that it follows.
    found[TIMES] = features[TIMES]
    return found


def _state_of(state: Mapping[str, Any], inputs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(key, value) for key, value in state.items() if key in inputs and key != TIMES]

"""Arrays of time series, in the shapes that models take, and the times of predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dataflow.contrib.timeseries.feature_keys import TIMES, VALUES


def canonicalize_numpy_data(
    data: Mapping[str, Any], require_single_batch: bool
) -> dict[str, np.ndarray]:
    """Features as arrays of series, times, and what else a feature has.

    Args:
      data: Times and values, and perhaps other features: of one time, of a series, or of several.
      require_single_batch: Whether only one series may be there.

    Raises:
      ValueError: There are no times or values, or shapes do not fit.
    """
    features = {key: np.array(value) for key, value in data.items()}
    if TIMES not in features or VALUES not in features:
        raise ValueError(f"{TIMES} and {VALUES} are required features.")
    times = features[TIMES]
    for key, value in features.items():
        if value.shape[: times.ndim] != times.shape:
            raise ValueError(
                "All features must have their shapes prefixed by the shape of the times feature. "
                f"Got shape {value.shape} for feature '{key}', but shape {times.shape} for "
                f"'{TIMES}'"
            )
    if times.ndim > 2:
        raise ValueError(
            "Got an unexpected number of dimensions for times. Was expecting at most two ([batch "
            f"size, series length]), but got shape {times.shape}."
        )
    if times.ndim < 2:
        features[VALUES] = _with_features(features[VALUES], times.ndim)
        before = (None,) * (2 - times.ndim)
        features = {key: value[(*before, ...)] for key, value in features.items()}
    if require_single_batch and features[TIMES].shape[0] != 1:
        raise ValueError("Got batch input, was expecting unbatched input.")
    return features


def _with_features(values: np.ndarray, dimensions: int) -> np.ndarray:
    """Values of a time or of a series, with a dimension of features."""
    if values.ndim == dimensions:
        return values[..., None]
    if values.ndim > dimensions + 1:
        at_most, lacking = (
            ("1 dimension ([number of features])", "batch or time dimension")
            if dimensions == 0
            else ("2 dimensions ([series length, number of features])", "batch dimension")
        )
        raise ValueError(
            f"Got an unexpected number of dimensions for the '{VALUES}' feature. Was expecting at "
            f"most {at_most} since '{TIMES}' does not have a {lacking}, but got shape "
            f"{values.shape}"
        )
    return values


def times_after(times: Any, steps: int | None, previous_model_output: Mapping[str, Any]) -> Any:
    """The times to predict: given ones, or so many that follow the last ones of a result.

    Raises:
      ValueError: Not one of both is given, or times do not come after those of the result.
    """
    if steps is not None and times is not None:
        raise ValueError("Only one of `steps` and `times` may be specified.")
    if steps is None and times is None:
        raise ValueError("One of `steps` and `times` must be specified.")
    previous = previous_model_output[TIMES]
    if steps is not None:
        return previous[:, -1:] + 1 + np.arange(steps)[None, ...]
    times = np.array(times)
    if times.ndim != 2:
        times = times[None, ...]
    if previous.shape[0] != times.shape[0]:
        raise ValueError(
            "`times` must have a batch dimension matching the previous model output (got a batch "
            f"dimension of {times.shape[0]} for `times` and {previous.shape[0]} for the previous "
            "model output)."
        )
    if not (previous[:, -1] < times[:, 0]).all():
        raise ValueError("Prediction times must be after the corresponding previous model output.")
    return times

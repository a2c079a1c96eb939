"""What features must be there, and in which shapes, before a model sees them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dataflow.contrib.timeseries.feature_keys import STATE_TUPLE, TIMES, VALUES


def check_train_eval_features(features: Mapping[str, Any], num_features: int) -> None:
    """Raises ValueError unless a model can be trained and evaluated on features."""
    for name in (TIMES, VALUES):
        if name not in features:
            raise ValueError(f"Expected a '{name}' feature for training/evaluation.")
    times = _checked_times(features)
    if not features[VALUES].shape.is_compatible_with([None, None, num_features]):
        raise ValueError(
            f"Expected shape (batch dimension, window size, {num_features}) for feature "
            f"'{VALUES}', since the model was configured with num_features={num_features} (got "
            f"shape {times.shape})"
        )
    _check_windows(features, times, {STATE_TUPLE})


def check_predict_features(features: Mapping[str, Any], required: Collection[str] = ()) -> None:
    """Raises ValueError unless predictions can be made of features.

    Args:
      features: Tensors by name.
      required: What must be there beside times and state, of any shape.
    """
    for name in (TIMES, *required, STATE_TUPLE):
        if name not in features:
            raise ValueError(f"Expected a '{name}' feature for prediction.")
    _check_windows(features, _checked_times(features), {STATE_TUPLE, *required})


def _checked_times(features: Mapping[str, Any]) -> Any:
    times = features[TIMES]
    if not times.shape.is_compatible_with([None, None]):
        raise ValueError(
            f"Expected shape (batch dimension, window size) for feature '{TIMES}' (got shape "
            f"{times.shape})"
        )
    return times


def _check_windows(features: Mapping[str, Any], times: Any, ignored: Collection[str]) -> None:
    for name, value in features.items():
        if name in ignored or value.shape.rank is None:
            continue
        if value.shape.rank < 2:
            raise ValueError(
                "Features must have shape (batch dimension, window size, ...) (got rank "
                f"{value.shape.rank} for feature '{name}')"
            )
        if not value.shape[:2].is_compatible_with(times.shape):
            raise ValueError(
                "Features must have shape (batch dimension, window size, ...) where batch "
                f"dimension and window size match the '{TIMES}' feature (got shape {value.shape} "
                f"for feature '{name}' but shape {times.shape} for feature '{TIMES}')"
            )

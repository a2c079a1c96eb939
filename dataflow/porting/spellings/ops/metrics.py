"""tensorflow.python.ops.metrics_impl: what metrics of other libraries are built of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import dataflow.library.metrics.average_precision as _average
import dataflow.library.metrics.classes as _classes
import dataflow.library.metrics.state as _state
import dataflow.library.metrics.thresholds as _thresholds
from dataflow.graph.scopes import add_to_collections, name_scope
from dataflow.ops.math.division import div_no_nan as _div_no_nan

_remove_squeezable_dimensions = _state.fitted
_streaming_confusion_matrix = _classes._streaming_confusion_matrix

_FIELDS: Final = {
    "tp": "true_positives",
    "fn": "false_negatives",
    "tn": "true_negatives",
    "fp": "false_positives",
}


def metric_variable(
    shape: Any, dtype: Any, validate_shape: bool = True, name: str | None = None
) -> Any:
    """A variable that starts with zeros, local and among those of metrics."""
    return _state.metric_variable(shape, dtype, name, validate_shape)


def _safe_scalar_div(numerator: Any, denominator: Any, name: str) -> Any:
    """The quotient of two numbers; 0 where the denominator is 0."""
    return _div_no_nan(numerator, denominator, name=name)


def _aggregate_variable(v: Any, collections: Any) -> Any:
    """The value of a metric's variable; there is one replica."""
    value = v.value()
    if collections:
        add_to_collections(collections, value)
    return value


def _confusion_matrix_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    includes: Sequence[str] | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Variables with the counts at each threshold, and their updates, by "tp", "fn", "tn", "fp".

    Raises:
      ValueError: `includes` has another key.
    """
    for include in includes or ():
        if include not in _FIELDS:
            raise ValueError(f"Invalid key: {include}.")
    included = [each for each in _FIELDS if includes is None or each in includes]
    variables, updates = _thresholds.counted_at(
        labels, predictions, thresholds, weights, [_FIELDS[each] for each in included]
    )
    return (
        {each: getattr(variables, _FIELDS[each]) for each in included},
        {each: getattr(updates, _FIELDS[each]) for each in included},
    )


def _streaming_sparse_average_precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The mean of the average precision of rows of classes, the best first."""
    values = (predictions_idx, labels, weights)
    with name_scope(name, "average_precision_at_top_k", values) as scope:
        return _average.streamed(
            labels, predictions_idx, weights, metrics_collections, updates_collections, scope
        )

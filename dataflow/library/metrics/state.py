"""What all metrics share: their variables, how arguments are fitted, where results are listed."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import add_to_collections
from dataflow.graph.tensor import Tensor
from dataflow.library.confusion_matrix import remove_squeezable_dimensions
from dataflow.ops.math.division import div_no_nan
from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization
from dataflow.variables.variable import Variable


def metric_variable(shape: Any, dtype: Any, name: str | None, validate_shape: bool = True) -> Any:
    """A variable that starts with zeros, local and among those of metrics."""
    return Variable(
        lambda: array_fill.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM,
        name=name,
    )


def published(
    value: Any, update: Any, metrics_collections: Any, updates_collections: Any
) -> tuple[Tensor, Any]:
    """Both, after adding them to the collections that were asked for."""
    if metrics_collections:
        add_to_collections(metrics_collections, value)
    if updates_collections:
        add_to_collections(updates_collections, update)
    return value, update


def safe_ratio(numerator: Any, denominator: Any, name: str | None = None) -> Tensor:
    """The quotient; 0 where the denominator is not above 0."""
    return div_no_nan(numerator, math_binary.maximum(denominator, 0), name=name)


def fitted(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """All three, a last axis of size 1 taken off or put behind where the ranks then agree.

    Args:
      predictions: A tensor.
      labels: A tensor of the same shape but for such an axis, or None.
      weights: Likewise, or a scalar, or None.

    Raises:
      ValueError: The static shapes of predictions and labels do not fit.
    """
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    if weights.shape.rank == 0:
        return predictions, labels, weights
    if weights.shape.rank is None or predictions.shape.rank is None:
        return predictions, labels, _fitted_in_a_step(weights, predictions)
    excess = weights.shape.rank - predictions.shape.rank
    if excess == 1:
        weights = array_shape.squeeze(weights, [-1])
    elif excess == -1:
        weights = array_shape.expand_dims(weights, [-1])
    return predictions, labels, weights


def _fitted_in_a_step(weights: Tensor, predictions: Tensor) -> Any:
    """The weights, fitted when their rank is known; a scalar stays one."""
    rank = array_shape.rank(weights)
    excess: Any = rank - array_shape.rank(predictions)
    last = None if weights.shape.dims_tuple is None else weights.shape.dims_tuple[-1]

    def expanded() -> Any:
        return cond(
            math_compare.equal(excess, -1),
            lambda: array_shape.expand_dims(weights, [-1]),
            lambda: weights,
        )

    def squeezed() -> Tensor:
        return weights if last not in (None, 1) else array_shape.squeeze(weights, [-1])

    return cond(
        math_compare.equal(rank, 0),
        lambda: weights,
        lambda: cond(math_compare.equal(excess, 1), squeezed, expanded),
    )

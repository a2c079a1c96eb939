"""How far predicted numbers are from the true ones, in the mean.

All take `labels`, the true numbers, and `predictions` of the same shape.
"""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.tensor import Tensor
from dataflow.library.confusion_matrix import remove_squeezable_dimensions
from dataflow.library.metrics.means import mean
from dataflow.library.metrics.state import fitted, published


def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The mean of `|predictions - labels|`."""
    predictions, labels, weights = fitted(predictions, labels, weights)
    errors = math_unary.abs(predictions - labels)
    name = name or "mean_absolute_error"
    return mean(errors, weights, metrics_collections, updates_collections, name)


def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """1 less the mean of the products of vectors of length 1.

    Args:
      labels: See above.
      predictions: See above.
      dim: The axis of the vectors; weights have size 1 there.
      weights: See above.
      metrics_collections: See above.
      updates_collections: See above.
      name: See above.
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    products = math_binary.multiply(predictions, labels)
    products = reductions.reduce_sum(products, axis=[dim], keepdims=True)
    similarity, update = mean(products, weights, None, None, name or "mean_cosine_distance")
    distance = math_binary.subtract(1.0, similarity)
    new_distance = math_binary.subtract(1.0, update)
    return published(distance, new_distance, metrics_collections, updates_collections)


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The mean of `|labels - predictions| / normalizer`, 0 where the normalizer is 0.

    Args:
      labels: See above.
      predictions: See above.
      normalizer: Of the same shape.
      weights: See above.
      metrics_collections: See above.
      updates_collections: See above.
      name: See above.
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    errors = array_select.where(
        math_compare.equal(normalizer, 0.0),
        array_fill.zeros_like(labels),
        math_division.divide(math_unary.abs(labels - predictions), normalizer),
    )
    name = name or "mean_relative_error"
    return mean(errors, weights, metrics_collections, updates_collections, name)


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The mean of `(predictions - labels) ** 2`."""
    predictions, labels, weights = fitted(predictions, labels, weights)
    errors = math_binary.squared_difference(labels, predictions)
    name = name or "mean_squared_error"
    return mean(errors, weights, metrics_collections, updates_collections, name)


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The square root of `mean_squared_error`."""
    predictions, labels, weights = fitted(predictions, labels, weights)
    name = name or "root_mean_squared_error"
    squared, update = mean_squared_error(labels, predictions, weights, None, None, name)
    root, new_root = math_unary.sqrt(squared), math_unary.sqrt(update)
    return published(root, new_root, metrics_collections, updates_collections)

"""tf.confusion_matrix: counts of labels by what was predicted for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.scatter as array_scatter
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_less, assert_non_negative
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.values import dtypes


def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Both, the last axis of one taken off if it is 1 and the ranks then fit.

    Args:
      labels: A tensor.
      predictions: A tensor.
      expected_rank_diff: The rank of `predictions` less that of `labels` that fits.
      name: Name scope of the operations.
    """
    with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        predictions = convert_to_tensor(predictions)
        labels = convert_to_tensor(labels)
        if labels.shape.rank is not None and predictions.shape.rank is not None:
            excess = predictions.shape.rank - labels.shape.rank - expected_rank_diff
            if excess == 1 and _may_be_one(predictions):
                predictions = array_shape.squeeze(predictions, [-1])
            elif excess == -1 and _may_be_one(labels):
                labels = array_shape.squeeze(labels, [-1])
            return labels, predictions
        difference = array_shape.rank(predictions) - array_shape.rank(labels)
        if predictions.shape.rank is None or _may_be_one(predictions):
            predictions = cond(
                math_compare.equal(expected_rank_diff + 1, difference),
                *_squeezed_or_whole(predictions),
            )
        if labels.shape.rank is None or _may_be_one(labels):
            labels = cond(
                math_compare.equal(expected_rank_diff - 1, difference),
                *_squeezed_or_whole(labels),
            )
        return labels, predictions


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """How often what was predicted for each class.

    Args:
      labels: Integers, shape `[n]`: the true classes, the rows of the result.
      predictions: Integers, shape `[n]`: the predicted ones, its columns.
      num_classes: Number of classes; one more than the largest by default.
      dtype: Type of the result.
      name: Name scope of the operations.
      weights: Shape `[n]`: what counts instead of 1.

    Returns:
      Shape `[num_classes, num_classes]`. The step fails where a class is negative or too large.

    Raises:
      ValueError: The static shapes of `predictions` and `weights` differ.
    """
    with name_scope(name, "confusion_matrix", [predictions, labels, num_classes, weights]):
        labels, predictions = remove_squeezable_dimensions(
            convert_to_tensor(labels, name="labels"),
            convert_to_tensor(predictions, name="predictions"),
        )
        predictions, labels = cast(predictions, dtypes.int64), cast(labels, dtypes.int64)
        labels = _checked(assert_non_negative, labels, message="`labels` contains negative values")
        predictions = _checked(
            assert_non_negative, predictions, message="`predictions` contains negative values"
        )
        if num_classes is None:
            largest: Any = math_binary.maximum(
                reductions.reduce_max(predictions), reductions.reduce_max(labels)
            )
            num_classes = largest + 1
        else:
            bound = cast(num_classes, dtypes.int64)
            labels = _checked(assert_less, labels, bound, message="`labels` out of bound")
            predictions = _checked(
                assert_less, predictions, bound, message="`predictions` out of bound"
            )
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
            predictions.shape.assert_is_compatible_with(weights.shape)
            weights = cast(weights, dtype)
        shape = array_concat.stack([num_classes, num_classes])
        indices = array_concat.stack([labels, predictions], axis=1)
        values = array_fill.ones_like(predictions, dtype) if weights is None else weights
        counts: Tensor = array_scatter.scatter_nd(
            indices=indices, updates=values, shape=cast(shape, dtypes.int64)
        )
        return counts


def _squeezed_or_whole(tensor: Tensor) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    return lambda: array_shape.squeeze(tensor, [-1]), lambda: tensor


def _may_be_one(tensor: Tensor) -> bool:
    return tensor.shape.dims_tuple is None or tensor.shape.dims_tuple[-1] in (None, 1)


def _checked(check: Any, tensor: Any, *others: Any, message: str) -> Any:
    return with_dependencies([check(tensor, *others, message=message)], tensor)

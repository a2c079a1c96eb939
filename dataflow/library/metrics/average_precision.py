"""Average precision at k: how early in the ranking of classes the true ones come."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
import dataflow.ops.reductions.reduce as reductions
import dataflow.ops.reductions.scan as scans
from dataflow.control_flow.cond import cond
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import (
    SparseTensor,
    convert_to_tensor_or_sparse_tensor,
    is_sparse,
)
from dataflow.graph.tensor import Tensor
from dataflow.library.metrics.at_k import name_at_k, with_last_axis
from dataflow.library.metrics.state import metric_variable, published
from dataflow.library.weights import broadcast_weights
from dataflow.ops.basic.cast import cast
from dataflow.ops.nn.topk import top_k
from dataflow.ops.sets.set_operation import set_intersection, set_size
from dataflow.ops.sparse.concat import sparse_concat
from dataflow.ops.sparse.reshape import sparse_reshape
from dataflow.ops.state.reference import assign_add
from dataflow.values import dtypes


def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The mean over examples of their average precision among the `k` best classes.

    That of an example is the sum of the precisions at each place of the ranking that holds a true
    class, over the number of true classes, or `k` if there are more.

    Args:
      labels: int64, of shape `[..., labels]` or `[...]`, dense or sparse: the true classes.
      predictions: Logits, of shape `[..., classes]`.
      k: How many classes of the ranking count.
      weights: Of shape `[...]` or scalar.
      metrics_collections: Collections the value is added to.
      updates_collections: Collections the update is added to.
      name: Name of the scope.

    Returns:
      The value and the operation that updates it, float64.

    Raises:
      ValueError: `k` is less than 1.
    """
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    name_of_scope = name_at_k("average_precision", k, None)
    with name_scope(name, name_of_scope, (predictions, labels, weights)) as scope:
        _, best = top_k(predictions, k)
        sizes: Any = array_shape.shape(predictions)
        labels = _below(labels, cast(sizes[-1], dtypes.int64))
        with name_scope(scope, "average_precision_at_top_k", (best, labels, weights)) as inner:
            return streamed(labels, best, weights, metrics_collections, updates_collections, inner)


def sparse_average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """Deprecated name of `average_precision_at_k`."""
    return average_precision_at_k(
        labels, predictions, k, weights, metrics_collections, updates_collections, name
    )


def _below(labels: Any, classes: Tensor) -> Any:
    """The labels, -1 in the place of those that are no class."""

    def cut(values: Any) -> Any:
        is_beyond = math_compare.greater_equal(values, classes)
        return array_select.where_v2(is_beyond, -1 * array_fill.ones_like(values), values)

    def cut_labels() -> Any:
        if not is_sparse(labels):
            return cut(labels)
        return type(labels)(
            indices=labels.indices, values=cut(labels.values), dense_shape=labels.dense_shape
        )

    largest = reductions.reduce_max(labels.values if is_sparse(labels) else labels)
    return cond(math_compare.greater_equal(largest, classes), cut_labels, lambda: labels)


def streamed(
    labels: Any,
    best: Any,
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
    scope: str,
) -> tuple[Tensor, Any]:
    """The mean of the average precision of rows of classes, the best first, and its update.

    Raises:
      ValueError: It is not known how many classes a row of `best` has.
    """
    precision = _of_examples(labels, best)
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float64), precision)
        precision = math_binary.multiply(precision, weights)
    with name_scope(None, "max", (precision,)) as max_scope:
        most = metric_variable([], dtypes.float64, name=max_scope)
        if weights is None:
            batch = cast(array_shape.size(precision, name="batch_max"), dtypes.float64)
        else:
            batch = reductions.reduce_sum(weights, name="batch_max")
        new_most = assign_add(most, batch, name="update")
    with name_scope(None, "total", (precision,)) as total_scope:
        total = metric_variable([], dtypes.float64, name=total_scope)
        batch = reductions.reduce_sum(precision, name="batch_total")
        new_total = assign_add(total, batch, name="update")
    value = math_division.div_no_nan(total, most, name="mean")
    update = math_division.div_no_nan(new_total, new_most, name=scope)
    return published(value, update, metrics_collections, updates_collections)


def _of_examples(labels: Any, best: Any) -> Tensor:
    """The average precision of each example, of shape `[...]`."""
    with name_scope(None, "average_precision", (best, labels)) as scope:
        best = cast(best, dtypes.int64, name="predictions_idx")
        if best.shape.rank == 0:
            raise ValueError(f"Rank of predictions_idx must be at least 1: {best}.")
        k = None if best.shape.rank is None else best.shape.as_list()[-1]
        if k is None:
            raise ValueError("predictions_idx must have a last dimension that is known.")
        labels = with_last_axis(labels, best)
        each = array_shape.expand_dims(best, -1, name="predictions_idx_per_k")
        repeated = _repeated(labels, k, "labels_per_k")
        with name_scope("relevant_per_k", "true_positives", (each, repeated, None)):
            hits = cast(set_size(set_intersection(each, repeated)), dtypes.float64)
        hits_so_far = scans.cumsum(hits, axis=-1, name="tp_per_k")
        ones = array_fill.ones_like(hits)
        places = scans.cumsum(ones, axis=-1, name="retrieved_per_k")
        precision = math_division.divide(
            cast(hits_so_far, dtypes.float64),
            cast(places, dtypes.float64),
            name="precision_per_k",
        )
        of_hits = math_binary.multiply(
            precision, cast(hits, dtypes.float64), name="relevant_precision_per_k"
        )
        total = reductions.reduce_sum(of_hits, axis=(-1,), name="precision_sum")
        count = cast(_number_of_labels(labels, k), dtypes.float64)
        return math_division.divide(total, count, name=scope)


def _repeated(labels: Any, k: int, name: str) -> Any:
    """The labels, `k` times along a new axis before the last."""
    with name_scope(name, "expand_and_tile", (labels, k, -1)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return _repeated_sparse(labels, k, scope)
        expanded = array_shape.expand_dims(labels, -2, name="expand")
        if k == 1:
            return expanded
        ones: Any = array_fill.ones_like(array_shape.shape(labels))
        times = array_concat.concat((ones[:-1], (k,), ones[-1:]), 0, name="multiples")
        return array_broadcast.tile(expanded, times, name=scope)


def _repeated_sparse(labels: SparseTensor, k: int, scope: str) -> SparseTensor:
    shape = labels.dense_shape
    rank: Any = array_shape.size(shape)
    last = array_shape.reshape(rank + -1, [1])
    outer, inner = array_slice.slice(shape, [0], last), array_slice.slice(shape, last, [-1])
    longer = array_concat.concat((outer, [1], inner), 0, name="expanded_shape")
    expanded = sparse_reshape(labels, shape=longer, name="expand")
    return expanded if k == 1 else sparse_concat(-2, [expanded] * k, name=scope)


def _number_of_labels(labels: Any, k: int) -> Tensor:
    """How many classes are true, `k` at most."""
    with name_scope(None, "num_relevant", (labels,)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return math_binary.minimum(set_size(labels), k, name=scope)
        is_class = math_compare.greater_equal(labels, 0)
        ones, zeros = array_fill.ones_like(labels), array_fill.zeros_like(labels)
        count = reductions.reduce_sum(array_select.where_v2(is_class, ones, zeros), axis=-1)
        return math_binary.minimum(count, k, name=scope)

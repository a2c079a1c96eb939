"""Precision and recall of the k best classes, over all classes or for one.

All take `labels`, integers of shape `[..., labels]` or `[...]`, dense or sparse: the true classes;
and what was predicted of the shape `[..., classes]` or as the numbers of the best classes,
`[..., k]`. `class_id` counts only this class; weights have the shape `[...]` or are scalar. Results
are float64.
"""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.range as range_ops
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.metrics.state import metric_variable, published
from dataflow.library.weights import assert_broadcastable
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.nn.topk import top_k
from dataflow.ops.reductions.reduce_gradients import reduced_shape
from dataflow.ops.sets.set_operation import set_difference, set_intersection, set_size
from dataflow.ops.sparse.rows import sparse_retain
from dataflow.ops.state.reference import assign_add
from dataflow.values import dtypes


def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The share of the labels that are among the `k` best classes; `predictions` are logits."""
    title = name_at_k("recall", k, class_id)
    with name_scope(name, title, (predictions, labels, weights)) as scope:
        _, best = top_k(predictions, k)
        return recall_at_top_k(
            labels, best, k, class_id, weights, metrics_collections, updates_collections, scope
        )


def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """As `recall_at_k`, of the numbers of the best classes; `k` is in names only."""
    title = name_at_k("recall", k, class_id)
    with name_scope(name, title, (predictions_idx, labels, weights)) as scope:
        labels = with_last_axis(labels, predictions_idx)
        best = cast(predictions_idx, dtypes.int64)
        hits, new_hits = _counted("true_positive", labels, best, k, class_id, weights)
        misses, new_misses = _counted("false_negative", labels, best, k, class_id, weights)
        value, update = _shares(hits, misses, new_hits, new_misses, scope)
        return published(value, update, metrics_collections, updates_collections)


def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The share of the `k` best classes that are among the labels; `predictions` are logits."""
    title = name_at_k("precision", k, class_id)
    with name_scope(name, title, (predictions, labels, weights)) as scope:
        _, best = top_k(predictions, k)
        return precision_at_top_k(
            labels, best, k, class_id, weights, metrics_collections, updates_collections, scope
        )


def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """As `precision_at_k`, of the numbers of the best classes; `k` is in names only."""
    title = name_at_k("precision", k, class_id)
    with name_scope(name, title, (predictions_idx, labels, weights)) as scope:
        labels = with_last_axis(labels, predictions_idx)
        best = cast(predictions_idx, dtypes.int64)
        hits, new_hits = _counted("true_positive", labels, best, k, class_id, weights)
        others, new_others = _counted("false_positive", labels, best, k, class_id, weights)
        value, update = _shares(hits, others, new_hits, new_others, scope)
        return published(value, update, metrics_collections, updates_collections)


def sparse_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """Deprecated name of `precision_at_k`."""
    return precision_at_k(
        labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
    )


def name_at_k(what: str, k: int | None, class_id: int | None) -> str:
    """The default name of a metric at k."""
    at = "k" if k is None else f"{k:d}"
    return f"{what}_at_{at}" if class_id is None else f"{what}_at_{at}_class{class_id}"


def _shares(hits: Any, others: Any, new_hits: Any, new_others: Any, scope: str) -> Any:
    value = math_division.divide(hits, math_binary.add(hits, others), name=scope)
    update = math_division.divide(new_hits, math_binary.add(new_hits, new_others), name="update")
    return value, update


def with_last_axis(labels: Any, predictions: Any) -> Any:
    """The labels, an axis of size 1 put behind where they have one less than the predictions.

    Raises:
      ValueError: The static ranks differ by more.
    """
    with name_scope(None, "expand_labels", (labels, predictions)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return _sparse_with_last_axis(labels, predictions)
        predictions = convert_to_tensor(predictions)
        if labels.shape.rank is None or predictions.shape.rank is None:
            return cond(
                math_compare.equal(array_shape.rank(predictions), array_shape.rank(labels) + 1),
                lambda: array_shape.expand_dims(labels, -1, name=scope),
                lambda: labels,
            )
        if predictions.shape.rank == labels.shape.rank:
            return labels
        if predictions.shape.rank == labels.shape.rank + 1:
            return array_shape.expand_dims(labels, -1, name=scope)
        raise ValueError(
            f"Unexpected labels shape {labels.shape} for predictions shape {predictions.shape}. "
            "Predictions rank should be the same rank as labels rank or labels rank plus one ."
        )


def _sparse_with_last_axis(labels: SparseTensor, predictions: Any) -> SparseTensor:
    """The same of a sparse tensor: its coordinates get a last one that is 0."""
    is_short = math_compare.equal(
        array_shape.rank(predictions), array_shape.size(labels.dense_shape) + 1
    )
    count: Any = array_shape.shape(labels.indices)
    indices, dense_shape = cond(
        is_short,
        lambda: (
            array_concat.concat(
                [labels.indices, array_fill.zeros([count[0], 1], dtypes.int64)], axis=1
            ),
            array_concat.concat([labels.dense_shape, [1]], axis=0),
        ),
        lambda: (identity(labels.indices), identity(labels.dense_shape)),
    )
    return SparseTensor(indices, labels.values, dense_shape)


_SETS = {
    "true_positive": lambda best, labels: set_size(set_intersection(best, labels)),
    "false_positive": lambda best, labels: set_size(set_difference(best, labels, aminusb=True)),
    "false_negative": lambda best, labels: set_size(set_difference(best, labels, aminusb=False)),
}
"""The number of classes of each kind, of the best classes and the labels."""


def _counted(
    kind: str, labels: Any, best: Any, k: int | None, class_id: int | None, weights: Any
) -> tuple[Any, Any]:
    """A variable with the number of classes of a kind so far, weighted, and its update."""
    name = name_at_k(kind, k, class_id)
    with name_scope(None, name, (best, labels, weights)) as scope:
        with name_scope(None, f"{kind}s", (best, labels, weights)):
            labels, best = _of_class(labels, best, class_id)
            number: Any = cast(_SETS[kind](best, labels), dtypes.float64)
            if weights is not None:
                with control_dependencies([assert_broadcastable(weights, number)]):
                    weights = cast(weights, dtypes.float64)
                    number = math_binary.multiply(number, weights)
        batch = cast(_sum(number), dtypes.float64)
        total = metric_variable([], dtypes.float64, name=scope)
        return total, assign_add(total, batch, name="update")


def _sum(number: Any) -> Any:
    return reductions.reduce_sum(number, range_ops.range(0, array_shape.rank(number)))


def _of_class(labels: Any, best: Any, class_id: int | None) -> tuple[Any, Any]:
    """Both, only one class kept, as sets."""
    if class_id is None:
        return labels, best
    return _kept(labels, class_id), _kept(best, class_id)


def _kept(ids: Any, class_id: int) -> SparseTensor:
    """The sets of a tensor, only one class kept."""
    if isinstance(ids, SparseTensor):
        return sparse_retain(ids, math_compare.equal(ids.values, class_id))
    # A dense tensor of the same shape but for one column, which holds the class.
    shape = array_shape.shape(ids, out_type=dtypes.int64)
    last: Any = array_shape.size(shape)
    column = array_fill.fill(
        reduced_shape(shape, array_shape.reshape(last - 1, [1])), cast(class_id, ids.dtype)
    )
    kept = set_intersection(column, ids)
    return SparseTensor(kept.indices, kept.values, shape)

"""Rows of embedding tables, looked up by sparse ids and combined for each row of these."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.array.unique as array_unique
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.power as math_power
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.embedding import embedding_lookup
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.division import div_no_nan
from dataflow.ops.reductions.segment import segment_sum
from dataflow.ops.sparse.reshape import sparse_reshape
from dataflow.ops.sparse.rows import sparse_fill_empty_rows, sparse_retain
from dataflow.ops.sparse.segment import (
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
)
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape, dimension_value
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.resource_variable import ResourceVariable

_COMBINERS = ("mean", "sqrtn", "sum")
_SEGMENT_SUMS = {
    "mean": sparse_segment_mean,
    "sqrtn": sparse_segment_sqrt_n,
    "sum": sparse_segment_sum,
}


@dispatched
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Rows of an embedding table, combined for each row of ids.

    Args:
      params: The table, or a list of its parts; see `embedding_lookup`.
      sp_ids: A sparse matrix of integers, in order: the rows of the table to combine.
      sp_weights: A sparse matrix of the same coordinates with their weights; None for 1.
      partition_strategy: "mod" or "div"; see `embedding_lookup`.
      name: Name of the operations.
      combiner: "sum": the weighted sum; "mean": that over the sum of the weights; "sqrtn": that
        over the root of the sum of their squares. "mean" if None.
      max_norm: Scales rows of the table whose Euclidean norm is greater down to it.
      allow_fast_lookup: Whether a table in one part is read without finding equal ids first, with
        weights, too.

    Returns:
      `[rows of ids] + params.shape[1:]`, 0 for a row without ids.

    Raises:
      ValueError: The combiner is unknown, or weights do not fit the ids.
      TypeError: Ids or weights are not sparse.
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    tables = _as_list(params)
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    if sp_weights is not None:
        _check_weights(sp_ids, sp_weights)
    with name_scope(name, "embedding_lookup_sparse", [*tables, sp_ids]) as scope:
        indices: Any = sp_ids.indices
        ids: Tensor = indices[:, 0]
        picks = sp_ids.values
        table, picks, is_whole = _table(
            tables, ids, picks, partition_strategy, max_norm, allow_fast_lookup, sp_weights
        )
        if sp_weights is not None:
            return _weighted(table, picks, ids, sp_weights.values, combiner, scope)
        return _SEGMENT_SUMS[combiner](
            table, picks, ids, name=scope, sparse_gradient=is_whole and not allow_fast_lookup
        )


def _as_list(params: Any) -> list[Any]:
    if isinstance(params, (list, PartitionedVariable)):
        return list(params)
    return [params]


def _check_weights(sp_ids: SparseTensor, sp_weights: Any) -> None:
    if not isinstance(sp_weights, SparseTensor):
        raise TypeError(f"sp_weights must be either None or SparseTensor,got {type(sp_weights)}")
    for part in ("values", "indices", "dense_shape"):
        shape = getattr(sp_ids, part).shape
        shape.assert_is_compatible_with(getattr(sp_weights, part).shape)


def _table(
    tables: list[Any],
    ids: Tensor,
    picks: Tensor,
    strategy: str,
    max_norm: float | None,
    is_fast: bool,
    sp_weights: Any,
) -> tuple[Any, Tensor, bool]:
    """The rows to pick from, the number of each pick there, and whether they are the whole table.

    A table in several parts, or whose rows are scaled, is read at the distinct ids only.
    """
    if len(tables) == 1 and not isinstance(tables[0], (Tensor, ResourceVariable)):
        tables = [convert_to_tensor(tables[0], name="params")]
    if (
        len(tables) == 1
        and not isinstance(tables[0], ResourceVariable)
        and tables[0].device == ids.device
        and max_norm is None
        and (is_fast or sp_weights is None)
    ):
        return tables[0], picks, True
    distinct, places = array_unique.unique(picks)
    rows = embedding_lookup(tables, distinct, partition_strategy=strategy, max_norm=max_norm)
    return rows, places, False


def _weighted(
    table: Any, picks: Tensor, ids: Tensor, weights: Any, combiner: str, scope: str
) -> Tensor:
    """Weighted rows, combined over the segments that the ids tell."""
    if ids.dtype != dtypes.int32:
        ids = cast(ids, dtypes.int32)
    rows: Any = array_gather.gather(table, picks)
    dtype = rows.dtype
    if dtype in (dtypes.float16, dtypes.bfloat16):
        rows = cast(rows, dtypes.float32)
    if weights.dtype != rows.dtype:
        weights = cast(weights, rows.dtype)
    rank: Any = array_shape.rank(rows)
    inner = array_shape.expand_dims(rank - 1, 0)
    outer = array_shape.shape(weights)
    ones = array_fill.ones(inner, dtype=outer.dtype)
    static = weights.shape
    weights = array_shape.reshape(weights, array_concat.concat([outer, ones], 0))
    if rows.shape.rank is not None:
        weights.set_shape(static.concatenate([1] * (rows.shape.rank - 1)))
    rows = rows * weights
    if combiner == "sum":
        combined = segment_sum(rows, ids, name=scope)
    else:
        combined = segment_sum(rows, ids)
        if combiner == "mean":
            divisor = segment_sum(weights, ids)
        else:
            divisor = math_unary.sqrt(segment_sum(math_power.pow(weights, 2), ids))
        combined = div_no_nan(combined, divisor, name=scope)
    return combined if combined.dtype == dtype else cast(combined, dtype)


@dispatched
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """As `embedding_lookup_sparse`, of ids of any rank, negative ones left out.

    Args:
      embedding_weights: The table, or a list of its parts.
      sparse_ids: A sparse tensor of shape `[..., n]`.
      sparse_weights: Weights of the same coordinates, or None. An id whose weight is not above 0
        is left out unless the combiner is "sum".
      combiner: "sum", "mean" or "sqrtn".
      default_id: The row of the table that stands for no ids; zeros if None.
      name: Name of the operations.
      partition_strategy: "mod" or "div".
      max_norm: As there.
      allow_fast_lookup: As there.

    Returns:
      `[...] + table.shape[1:]`.

    Raises:
      ValueError: There is no table.
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    tables = _as_list(embedding_weights)
    if not tables:
        raise ValueError(f"Missing embedding_weights {tables}.")
    dtype = None if sparse_weights is None else sparse_weights.dtype
    tables = [
        table
        if isinstance(table, ResourceVariable) and dtype in (None, table.dtype)
        else convert_to_tensor(table, dtype=dtype)
        for table in tables
    ]
    with name_scope(name, "embedding_lookup", [*tables, sparse_ids, sparse_weights]) as scope:
        shape = sparse_ids.dense_shape
        static_rank = dimension_value(shape.shape[0])
        rank: Any = array_shape.size(shape) if static_rank is None else static_rank
        ids, weights = _as_matrices(sparse_ids, sparse_weights, rank)
        ids, weights = _valid(ids, weights, combiner)
        ids, was_empty = sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_fill_empty_rows(weights, 1.0)
        found: Any = embedding_lookup_sparse(
            tables,
            ids,
            weights,
            combiner=combiner,
            partition_strategy=partition_strategy,
            name=None if default_id is None else scope,
            max_norm=max_norm,
            allow_fast_lookup=allow_fast_lookup,
        )
        if default_id is None:
            found = _zero_where(was_empty, found, scope)
        outer = array_slice.slice(cast(shape, dtypes.int32), [0], [rank - 1])
        inner = array_slice.slice(array_shape.shape(found), [1], [-1])
        result = array_shape.reshape(found, array_concat.concat([outer, inner], 0))
        static = TensorShape(None if static_rank is None else [None] * (static_rank - 1))
        result.set_shape(static.concatenate(found.shape[1:]))
        return result


def _as_matrices(ids: Any, weights: Any, rank: Any) -> tuple[SparseTensor, Any]:
    """Both, with all axes but the last as one."""
    shape = ids.dense_shape
    rows = reductions.reduce_prod(array_slice.slice(shape, [0], [rank - 1]))
    ids = sparse_reshape(ids, [rows, array_gather.gather(shape, rank - 1)])
    if weights is not None:
        weights = SparseTensor(ids.indices, weights.values, ids.dense_shape)
    return ids, weights


def _valid(ids: SparseTensor, weights: Any, combiner: str) -> tuple[SparseTensor, Any]:
    """Both, without negative ids and weights by which nothing can be divided."""
    is_valid = math_compare.greater_equal(ids.values, 0)
    if weights is None:
        return sparse_retain(ids, is_valid), None
    is_valid = math_compare.logical_and(
        is_valid, array_fill.ones_like(weights.values, dtype=dtypes.bool)
    )
    ids, weights = sparse_retain(ids, is_valid), sparse_retain(weights, is_valid)
    if combiner != "sum":
        is_above = math_compare.greater(weights.values, 0)
        ids, weights = sparse_retain(ids, is_above), sparse_retain(weights, is_above)
    return ids, weights


def _zero_where(was_empty: Tensor, found: Any, scope: str) -> Tensor:
    column = array_shape.reshape(was_empty, [-1, 1])
    sizes: Any = array_shape.shape(found)
    whole = array_broadcast.tile(column, array_concat.stack([1, sizes[1]]))
    zeros = array_fill.zeros_like(found)
    return array_select.where(whole, zeros, found, name=scope)

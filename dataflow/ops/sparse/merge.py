"""Sparse tensors whose values become coordinates."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor, is_sparse
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.sparse.conversion import as_sparse
from dataflow.ops.sparse.dense import sparse_tensor_to_dense
from dataflow.ops.sparse.reorder import sparse_reorder
from dataflow.values import dtypes


def sparse_merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """A sparse tensor whose last coordinates are the values of others.

    Args:
      sp_ids: A sparse tensor of integers, or several of the same coordinates: their values stand
        in the place of the last coordinate.
      sp_values: A sparse tensor of the same coordinates: the elements.
      vocab_size: The size along the new axis, or a list of sizes.
      name: Name of the operations.
      already_sorted: Whether the coordinates come out in order, and need not be sorted.

    Raises:
      TypeError: An argument is of another kind.
      ValueError: There are not as many sizes as tensors of ids.
    """
    ids, sizes = _as_lists(sp_ids, vocab_size)
    with name_scope(name, "SparseMerge", [ids, sp_values]):
        tensors = [as_sparse(each) for each in ids]
        values = as_sparse(sp_values)
        columns = []
        for each in tensors:
            numbers_ = each.values
            if each.dtype != dtypes.int64:
                numbers_ = cast(numbers_, dtypes.int64)
            columns.append(array_shape.expand_dims(numbers_, axis=1))
        new_sizes = [cast(size, dtypes.int64) for size in sizes]
        kept: Any = tensors[0].indices
        kept = kept[:, :-1]
        indices = array_concat.concat([kept, *columns], 1)
        kept_sizes: Any = tensors[0].dense_shape
        shape = array_concat.concat([kept_sizes[:-1], new_sizes], 0)
        merged = SparseTensor(indices, values.values, shape)
        if already_sorted:
            return merged
        ordered = sparse_reorder(merged)
        return SparseTensor(ordered.indices, ordered.values, shape)


def _as_lists(sp_ids: Any, vocab_size: Any) -> tuple[list[Any], list[Any]]:
    if is_sparse(sp_ids):
        if not _is_size(vocab_size):
            raise TypeError(
                f"vocab_size has to be a Tensor or Python int. Found {type(vocab_size)}"
            )
        return [sp_ids], [vocab_size]
    if not isinstance(sp_ids, Iterable):
        raise TypeError(f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}")
    if not isinstance(vocab_size, Iterable):
        raise TypeError(
            f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}"
        )
    ids, sizes = list(sp_ids), list(vocab_size)
    for size in sizes:
        if not _is_size(size):
            raise TypeError(
                f"vocab_size has to be a list of Tensors or Python ints. Found {type(size)}"
            )
    if len(ids) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    return ids, sizes


def _is_size(value: Any) -> bool:
    return isinstance(value, (Tensor, numbers.Integral))


def sparse_to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """Which numbers a sparse tensor has in each row: bool, of shape `[..., vocab_size]`.

    Args:
      sp_input: A sparse tensor of int32 or int64.
      vocab_size: One more than the greatest number.
      name: Name of the operations.
    """
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseToIndicator", [sp_input]) as scope:
        count: Any = array_shape.shape(sp_input.indices)
        ones = array_fill.fill(array_shape.expand_dims(count[0], 0), True)
        there = SparseTensor(sp_input.indices, ones, sp_input.dense_shape)
        merged = sparse_merge(sp_input, there, vocab_size, scope)
        return sparse_tensor_to_dense(
            merged, default_value=False, validate_indices=False, name=scope
        )

"""Embeddings of ragged ids."""

from __future__ import annotations

from typing import Any

from dataflow.graph import scopes
from dataflow.library.embedding import embedding_lookup as dense_lookup
from dataflow.library.embedding_sparse import embedding_lookup_sparse as sparse_lookup
from dataflow.library.embedding_sparse import safe_embedding_lookup_sparse as safe_sparse_lookup
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Any:
    """The embeddings of ragged ids, in the same rows; see `tf.nn.embedding_lookup`.

    Raises:
      ValueError: `params` is None or ids are no integers.
    """
    if params is None:
        raise ValueError("params must be specified.")
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("params should not be empty.")
    ids = as_ragged_or_tensor(ids)
    if not isinstance(ids, RaggedTensor):
        return NotImplemented
    with scopes.name_scope(name, "embedding_lookup_ragged"):
        found = dense_lookup(
            params, ids.flat_values, partition_strategy, None, validate_indices, max_norm
        )
        return ids.with_flat_values(found)


def _as_sparse(ids: Any, weights: Any) -> tuple[Any, Any]:
    """Ids and weights as sparse tensors.

    Raises:
      TypeError: Weights are not ragged though ids are.
      ValueError: Their rows differ.
    """
    if weights is None:
        return ids.to_sparse(), None
    if not isinstance(weights, RaggedTensor):
        raise TypeError("sp_weights must be a RaggedTensor if sp_ids is one")
    return ids.to_sparse(), weights.to_sparse()


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any = None,
    *args: Any,
    **options: Any,
) -> Any:
    """The embeddings of each row's ids combined; see `tf.nn.embedding_lookup_sparse`."""
    ids, weights = _as_sparse(sp_ids, sp_weights)
    return sparse_lookup(params, ids, weights, *args, **options)


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    *args: Any,
    **options: Any,
) -> Any:
    """Like `embedding_lookup_sparse`, with a default for rows without ids."""
    ids, weights = _as_sparse(sparse_ids, sparse_weights)
    return safe_sparse_lookup(embedding_weights, ids, weights, *args, **options)

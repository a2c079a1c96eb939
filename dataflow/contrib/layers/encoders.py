"""Ids as vectors: tables of embeddings, and their means."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.reductions.reduce as reductions
from dataflow.contrib.framework.variables import model_variable
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.embedding import embedding_lookup
from dataflow.library.embedding_sparse import embedding_lookup_sparse
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import gather
from dataflow.ops.array.unique import unique
from dataflow.ops.sparse.dense import from_dense
from dataflow.variables.scope import variable_scope


def embedding_lookup_unique(
    params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None
) -> Any:
    """`tf.nn.embedding_lookup` that looks each id up once; the gradient is the same.

    Args:
      params: The table, or a list of its parts.
      ids: Integers of any shape.
      partition_strategy: See there.
      name: Name of the operations.
    """
    with scopes.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = convert_to_tensor(ids)
        flat, positions = unique(array_shape.reshape(ids, [-1]))
        rows: Any = embedding_lookup(params, flat, partition_strategy)
        found = gather(rows, positions)
        size = array_shape.shape(rows)[1:]
        outputs = array_shape.reshape(found, concat([array_shape.shape(ids), size], 0))
        outputs.set_shape(ids.shape.concatenate(rows.shape[1:]))
        return outputs


def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Any:
    """A vector for each id, from the variable `embeddings`.

    Args:
      ids: Integers of shape (batch, length).
      vocab_size: How many rows the table has; if None the scope has one already.
      embed_dim: How long they are; the same.
      unique: Whether each id is looked up once.
      initializer: Of the table.
      regularizer: Makes a loss of it.
      trainable: Whether optimizers train it.
      scope: Of the variable; "EmbedSequence" if None.
      reuse: Whether it is shared.

    Raises:
      ValueError: Sizes are missing, and nothing is shared.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. Got vocab_size="
            f"{vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        table = _table(vocab_size, embed_dim, initializer, regularizer, trainable)
        return embedding_lookup_unique(table, ids) if unique else embedding_lookup(table, ids)


def bow_encoder(
    ids: Any,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Any:
    """The mean of the vectors of each row of ids.

    Args:
      ids: Integers of shape (batch, length), or a SparseTensor; 0 is no word.
      vocab_size: How many rows the table has.
      embed_dim: How long they are.
      sparse_lookup: Whether ids that are 0 are left out of the mean.
      initializer: Of the table.
      regularizer: Makes a loss of it.
      trainable: Whether optimizers train it.
      scope: Of the variable; "bow_encoder" if None.
      reuse: Whether it is shared.

    Raises:
      TypeError: `ids` is neither, or sparse where dense ones are wanted.
    """
    with variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        table = _table(vocab_size, embed_dim, initializer, regularizer, trainable)
        if sparse_lookup:
            if not isinstance(ids, SparseTensor):
                ids = from_dense(convert_to_tensor(ids))
            return embedding_lookup_sparse(table, ids, sp_weights=None, combiner="mean")
        if isinstance(ids, SparseTensor):
            raise TypeError(f"ids are expected to be dense Tensor, got: {ids}")
        return reductions.reduce_mean(embedding_lookup(table, ids), axis=1)


def _table(
    rows: int | None, size: int | None, initializer: Any, regularizer: Any, trainable: bool
) -> Any:
    shape = [rows, size] if rows and size else None
    return model_variable(
        "embeddings",
        shape=shape,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
    )

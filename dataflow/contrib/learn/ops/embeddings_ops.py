"""Embeddings of ids in any shape."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.embedding import embedding_lookup as looked_up
from dataflow.ops.array.concat import concat
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.reductions.reduce import reduce_prod
from dataflow.variables.scope import get_variable, variable_scope


def embedding_lookup(params: Any, ids: Any, name: str = "embedding_lookup") -> Tensor:
    """The rows of `params` by `ids`, whatever the shape of these.

    Args:
      params: Rows, [n, ...].
      ids: Integers of any shape.
      name: Name scope.

    Returns:
      The rows, [shape of ids..., shape of a row...].
    """
    with name_scope(name, "embedding_lookup", [params, ids]):
        params, ids = convert_to_tensor(params), convert_to_tensor(ids)
        ids_shape = shape(ids)
        flat = looked_up(params, reshape(ids, reduce_prod(ids_shape, keepdims=True)), name=name)
        found = reshape(flat, concat([ids_shape, [-1]], 0))
        found.set_shape(ids.shape.concatenate(params.shape[1:]))
        return found


def categorical_variable(tensor_in: Any, n_classes: int, embedding_size: int, name: str) -> Tensor:
    """Embeds classes by a variable of its own, which is `name/name_embeddings`.

    Args:
      tensor_in: Classes, integers of any shape.
      n_classes: How many there are.
      embedding_size: Size of an embedding.
      name: Variable scope.

    Returns:
      The embeddings, [shape of tensor_in..., embedding_size].
    """
    with variable_scope(name):
        embeddings = get_variable(f"{name}_embeddings", [n_classes, embedding_size])
        return embedding_lookup(embeddings, tensor_in)

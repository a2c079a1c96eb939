"""Tensors that depend on others: on noise or on classes."""

from __future__ import annotations

from typing import Any

from dataflow.library.embedding import embedding_lookup
from dataflow.library.layers.dense import dense
from dataflow.library.layers.flatten import flatten
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.reductions.arg import argmax
from dataflow.variables.scaled_initializers import GlorotUniform
from dataflow.variables.scope import get_variable


def condition_tensor(tensor: Any, conditioning: Any) -> Any:
    """A tensor plus a linear map of another one.

    Args:
      tensor: Of a shape that is known but for the examples.
      conditioning: Of at least two axes, the first that of the examples.

    Raises:
      ValueError: The shape is not known, or `conditioning` has one axis.
    """
    tensor.shape[1:].assert_is_fully_defined()
    if conditioning.shape.ndims < 2:
        raise ValueError(f"conditioning must be at least 2D, but saw shape: {conditioning.shape}")
    mapped = dense(
        flatten(conditioning),
        tensor.shape[1:].num_elements(),
        kernel_initializer=GlorotUniform(),
    )
    if not mapped.shape.is_compatible_with(tensor.shape):
        mapped = reshape(mapped, shape(tensor))
    return tensor + mapped


def condition_tensor_from_onehot(
    tensor: Any, one_hot_labels: Any, embedding_size: int = 256
) -> Any:
    """A tensor plus a linear map of a vector for each class.

    Args:
      tensor: See `condition_tensor`.
      one_hot_labels: The classes: a matrix, the number of whose columns is known.
      embedding_size: How long the vectors are.

    Raises:
      ValueError: The labels are no such matrix.
    """
    one_hot_labels.shape.assert_has_rank(2)
    one_hot_labels.shape[1:].assert_is_fully_defined()
    label = argmax(one_hot_labels, axis=1)
    vectors = get_variable("embedding", [one_hot_labels.shape[1], embedding_size])
    return condition_tensor(tensor, embedding_lookup(vectors, label, name="token_to_embedding"))

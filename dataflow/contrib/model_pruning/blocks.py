"""Weights by blocks: pooled ones, and masks that are as large again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.shape import expand_dims, reshape, squeeze
from dataflow.ops.array.transpose import transpose
from dataflow.ops.nn.pooling_nd import pool


def pooled(weights: Any, block: Sequence[int], pooling_type: str, by_axes: bool, name: str) -> Any:
    """What pooling makes of blocks of a matrix.

    Args:
      weights: A matrix.
      block: How high and how wide blocks are.
      pooling_type: "AVG" or "MAX".
      by_axes: Whether rows and columns are pooled one after the other.
      name: The operations' name.
    """
    if by_axes:
        return factorized_pool(weights, block, pooling_type, block, "SAME", name)
    image = expand_dims(expand_dims(weights, 0), 3)
    return squeeze(pool(image, block, pooling_type, "SAME", strides=block, name=name), [0, 3])


def factorized_pool(
    input_tensor: Any,
    window_shape: Sequence[int],
    pooling_type: str,
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Any:
    """Pools a matrix along its rows and then along its columns.

    Raises:
      ValueError: It has another rank.
    """
    if input_tensor.shape.ndims != 2:
        raise ValueError("factorized_pool() accepts tensors of rank 2 only")
    with name_scope(name, "factorized_pool"):
        found = expand_dims(expand_dims(input_tensor, 0), 0)
        for window, stride in zip(window_shape, strides, strict=True):
            found = pool(found, [1, window], pooling_type, padding, strides=[1, stride])
            found = transpose(found, perm=[0, 1, 3, 2])
        return squeeze(found, [0, 1])


def expand_tensor(tensor: Any, block_dims: Sequence[int]) -> Any:
    """A matrix each of whose elements has become a block.

    Raises:
      ValueError: It has another rank, or `block_dims` does not have two elements.
    """
    if tensor.shape.ndims != 2:
        raise ValueError("Input tensor must be rank 2")
    if len(block_dims) != 2:
        raise ValueError("block_dims must have 2 elements")
    height, width = block_dims
    rows, columns = tensor.shape.as_list()
    blocks = tile(reshape(tensor, [rows, 1, columns, 1]), [1, height, 1, width])
    return reshape(blocks, [rows * height, columns * width])


def kronecker_product(mat1: Any, mat2: Any) -> Any:
    """The Kronecker product of two matrices: the second one times each element of the first."""
    m1, n1 = mat1.get_shape().as_list()
    m2, n2 = mat2.get_shape().as_list()
    blocks = reshape(mat1, [m1, 1, n1, 1]) * reshape(mat2, [1, m2, 1, n2])
    return reshape(blocks, [m1 * m2, n1 * n2])

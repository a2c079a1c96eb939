"""Placeholders whose values are sparse tensors."""

from __future__ import annotations

from typing import Any

from dataflow.graph import constant_value as constants
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.placeholder import placeholder, placeholder_with_default
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape, dimension_value


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor that every step which needs it must feed, with a `SparseTensorValue`.

    Args:
      dtype: Element type of the values fed.
      shape: Shape of the whole: sizes, None where unknown, or an int64 tensor; None for any.
      name: Prefix of the names of the three placeholders.
    """

    def named(part: str) -> str | None:
        return None if name is None else f"{name}/{part}"

    rank: Any = None
    if shape is None:
        dense_shape = placeholder(dtypes.int64, shape=[None], name=named("shape"))
        static = constants.constant_value_as_shape(dense_shape)
    else:
        if isinstance(shape, Tensor):
            rank = shape.shape[0]
            static = constants.constant_value_as_shape(shape)
        else:
            sizes = [dimension_value(size) for size in shape]
            rank = len(sizes)
            static = TensorShape([None if size == -1 else size for size in sizes])
            shape = convert_to_tensor(
                [-1 if size is None else size for size in sizes],
                dtype=dtypes.int64,
                name=named("shape_default"),
            )
        dense_shape = placeholder_with_default(shape, shape=shape.shape, name=named("shape"))
    values = placeholder(dtype, shape=[None], name=named("values"))
    indices = placeholder(dtypes.int64, shape=[None, rank], name=named("indices"))
    result = SparseTensor(indices, values, dense_shape)
    result.set_shape(static)
    return result

"""tensorflow.python.data.util: arguments of datasets as tensors."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets.nodes import seeds as get_seed
from dataflow.values import dtypes
from dataflow.values.shapes import as_shape

__all__ = ["get_seed", "optional_param_to_tensor", "partial_shape_to_tensor"]


def optional_param_to_tensor(
    argument_name: str,
    argument_value: Any,
    argument_default: Any = 0,
    argument_dtype: Any = dtypes.int64,
) -> Tensor:
    """An argument, or its default where it is None, as a tensor of the argument's name."""
    value = argument_default if argument_value is None else argument_value
    return convert_to_tensor(value, dtype=argument_dtype, name=argument_name)


def partial_shape_to_tensor(shape_like: Any) -> Tensor:
    """A shape as a vector of int64s, with -1 for each size that is not known.

    Raises:
      ValueError: A tensor of another rank is given.
      TypeError: One of another type is given.
    """
    try:
        sizes: list[int | None] = as_shape(shape_like).as_list()
        return convert_to_tensor([-1 if n is None else n for n in sizes], dtype=dtypes.int64)
    except (TypeError, ValueError):
        given = convert_to_tensor(shape_like, dtype_hint=dtypes.int64)
    if given.shape.ndims not in (1, None):
        raise ValueError(
            f"The given shape {shape_like} must be a 1-D tensor of tf.int64 values, but the shape "
            f"was {given.shape}."
        )
    if given.dtype != dtypes.int64:
        raise TypeError(
            f"The given shape {shape_like} must be a 1-D tensor of tf.int64 values, but the "
            f"element type was {given.dtype.name}."
        )
    return given

"""A part of a tensor, drawn at random."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.assertion import Assert
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.random.stateful import random_uniform
from dataflow.values import dtypes


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of a tensor, each one of that size with the same chance.

    Args:
      value: A tensor.
      size: The size of the part, one a dimension.
      seed: Op-level seed; see `set_random_seed`.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: The tensor is smaller than the part; raised by the step.
    """
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        wanted: Any = convert_to_tensor(size, dtype=dtypes.int32, name="size")
        shape: Any = array_shape.shape(value)
        fits = Assert(
            reductions.reduce_all(shape >= wanted),
            ["Need value.shape >= size, got ", shape, wanted],
            summarize=1000,
        )
        shape = with_dependencies([fits], shape)
        limit = shape - wanted + 1
        drawn: Any = random_uniform(
            array_shape.shape(shape), dtype=wanted.dtype, maxval=wanted.dtype.max, seed=seed
        )
        return array_slice.slice(value, drawn % limit, wanted, name=scope)

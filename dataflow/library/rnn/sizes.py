"""Shapes of states and outputs: a batch, or time and batch, in front of a size."""

from __future__ import annotations

from typing import Any

from dataflow.graph.constant_value import constant_value
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import expand_dims
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape, as_shape


def joined_shape(prefix: Any, suffix: Any) -> Tensor:
    """The sizes of two parts of a shape one after the other, as a tensor.

    Args:
      prefix: A size or a shape: an integer, a `TensorShape`, a scalar or a vector.
      suffix: The same.

    Raises:
      ValueError: A part is a tensor of more than one dimension, or is not known.
    """
    first, _ = _part(prefix, "prefix")
    second, _ = _part(suffix, "suffix")
    if first is None or second is None:
        raise ValueError(f"Provided a prefix or suffix of None: {prefix} and {suffix}")
    return concat([first, second], 0)


def known_shape(prefix: Any, suffix: Any) -> TensorShape:
    """What is known of `joined_shape`, which is asked of the same parts, when building."""
    _, first = _part(prefix, "prefix")
    _, second = _part(suffix, "suffix")
    return TensorShape(first).concatenate(second)


def _part(part: Any, what: str) -> tuple[Tensor | None, Any]:
    """A part of a shape as a vector, or None if it is not known, and what is known of it."""
    if not isinstance(part, Tensor):
        shape = TensorShape(part)
        if not shape.is_fully_defined():
            return None, shape
        return constant(shape.as_list(), dtype=dtypes.int32), shape
    known = constant_value(part)
    if part.shape.rank == 0:
        return expand_dims(part, 0), None if known is None else [int(known)]
    if part.shape.rank != 1:
        raise ValueError(f"{what} tensor must be either a scalar or vector, but saw tensor: {part}")
    return part, known


def shape_of_size(size: Any) -> TensorShape:
    """The shape that a size of a state or an output stands for, as far as it is known."""
    return as_shape(constant_value(size) if isinstance(size, Tensor) else size)


def zero_states(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros for each size of a structure of sizes."""

    def zero_state(size: Any) -> Tensor:
        state = zeros(joined_shape(batch_size, size), dtype=dtype)
        state.set_shape(known_shape(batch_size, size))
        return state

    return nest.map_structure(zero_state, state_size)

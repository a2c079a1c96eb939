"""Schemas and static shapes that the ops of quantized numbers share."""

from __future__ import annotations

from typing import Final

from dataflow.ops.basic.shape_parts import size_at
from dataflow.schema.opdef import InferenceContext, ShapeFunction
from dataflow.schema.shape_functions import SCALAR, merge_dim, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape

TYPES: Final = "{qint8, quint8, qint32, qint16, quint16}"
"""The quantized element types."""


def with_range(shape: ShapeFunction, *bounds: int) -> ShapeFunction:
    """The outputs are a tensor of that shape and the two scalars of its range.

    Args:
      shape: Gives the tensor's shape.
      *bounds: Positions of the inputs that are scalars.
    """

    def ranged(c: InferenceContext) -> list[TensorShape]:
        found = shape(c)
        for index in bounds:
            with_rank(c.input(index), 0)
        assert isinstance(found, TensorShape)
        return [found, SCALAR, SCALAR]

    return ranged


def first_with_range(first: int, last: int) -> ShapeFunction:
    """The first input's shape and the two scalars of its range; the inputs from `first` to `last`
    are scalars."""
    return with_range(lambda c: c.input(0), *range(first, last + 1))


def checked_axis(c: InferenceContext) -> int:
    """The axis along which each slice has bounds of its own, or -1.

    Raises:
      ValueError: It is below -1.
    """
    axis: int = c.attr("axis")
    if axis < -1:
        raise ValueError(f"axis should be at least -1, got {axis}")
    return axis


def bounds_shape(c: InferenceContext, axis: int, *inputs: int) -> TensorShape:
    """The shape of bounds: scalars, or vectors with one element for each slice along an axis.

    It is what is known of the last of them.

    Raises:
      ValueError: The inputs at these positions do not fit.
    """
    shape = SCALAR
    for index in inputs:
        shape = with_rank(c.input(index), 0 if axis == -1 else 1)
    if axis != -1:
        tensor = with_rank_at_least(c.input(0), axis + 1)
        merge_dim(size_at(shape, 0), size_at(tensor, axis))
    return shape

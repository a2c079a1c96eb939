"""Pieces of shape functions: parts of shapes, arithmetic on sizes, scalars as sizes or axes."""

from __future__ import annotations

from dataflow.schema.opdef import InferenceContext
from dataflow.schema.shape_functions import UNKNOWN, merge, merge_dim, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape

Size = int | None
"""A size, None where it is not known."""


def vector(size: Size) -> TensorShape:
    """The shape of a vector."""
    return TensorShape.of((size,))


def unknown_of_rank(rank: Size) -> TensorShape:
    """A shape of which only the rank, or not even that, is known."""
    return UNKNOWN if rank is None else TensorShape.of((None,) * rank)


def size_at(shape: TensorShape, axis: int) -> Size:
    """A dimension's size; negative axes count from the end."""
    dims = shape.dims_tuple
    return None if dims is None else dims[axis]


def subshape(shape: TensorShape, start: int, end: int | None = None) -> TensorShape:
    """The dimensions from `start` up to `end`; negative positions count from the end.

    Raises:
      ValueError: A position is before the first dimension, or the end before the start.
    """
    dims = shape.dims_tuple
    if dims is None:
        return UNKNOWN
    rank = len(dims)
    first = start + rank if start < 0 else min(start, rank)
    stop = rank if end is None else end + rank if end < 0 else min(end, rank)
    if not 0 <= first <= stop:
        raise ValueError(
            f"Subshape must have computed start <= end, but is {first} and {stop} (computed from "
            f"start {start} and end {end} over shape with rank {rank})"
        )
    return TensorShape.of(dims[first:stop])


def replaced(shape: TensorShape, axis: int, size: Size) -> TensorShape:
    """The shape with another size along one axis."""
    dims = shape.dims_tuple
    if dims is None:
        return UNKNOWN
    axis %= len(dims)
    return TensorShape.of((*dims[:axis], size, *dims[axis + 1 :]))


def with_size(size: Size, expected: int) -> int:
    """The size, which must be `expected`.

    Raises:
      ValueError: It is known to be another one.
    """
    if size is not None and size != expected:
        raise ValueError(f"Dimension must be {expected} but is {size}")
    return expected


def multiply(a: Size, b: Size) -> Size:
    """The product of two sizes; nothing times anything is nothing."""
    if a == 0 or b == 0:
        return 0
    return None if a is None or b is None else a * b


def divide_evenly(size: Size, divisor: int) -> Size:
    """The quotient of a size.

    Raises:
      ValueError: There is a remainder.
    """
    if size is None:
        return None
    if divisor == 0 or size % divisor:
        raise ValueError(f"Dimension size must be evenly divisible by {divisor} but is {size}")
    return size // divisor


def add(a: Size, b: Size) -> Size:
    """The sum of two sizes."""
    return None if a is None or b is None else a + b


def subtract(a: Size, b: Size) -> Size:
    """The difference of two sizes.

    Raises:
      ValueError: It is negative.
    """
    if b == 0:
        return a
    if a is None or b is None:
        return None
    if b > a:
        raise ValueError(f"Negative dimension size caused by subtracting {b} from {a}")
    return a - b


def merge_prefix(shape: TensorShape, prefix: TensorShape) -> TensorShape:
    """The shape with what is known of its first dimensions from `prefix`.

    Raises:
      ValueError: The shape cannot start like that.
    """
    if shape.rank is None or prefix.rank is None:
        return shape
    with_rank_at_least(shape, prefix.rank)
    head = []
    for a, b in zip(shape.dims_tuple or (), prefix.dims_tuple or (), strict=False):
        head.append(merge_dim(a, b))
    return TensorShape.of((*head, *(shape.dims_tuple or ())[len(head) :]))


def scalar_value(c: InferenceContext, index: int) -> int | None:
    """The value of a scalar integer input, if it is known while building.

    Raises:
      ValueError: It is no scalar.
    """
    with_rank(c.input(index), 0)
    return _known_scalar(c, index)


def _known_scalar(c: InferenceContext, index: int) -> int | None:
    value = c.constant(index)
    if value is None:
        return None
    if value.ndim:
        raise ValueError(f"Input must be scalar but has rank {value.ndim}")
    return int(value)


def scalar_size(c: InferenceContext, index: int) -> Size:
    """A scalar input read as a size.

    Raises:
      ValueError: It is known to be no scalar, or negative.
    """
    value = _known_scalar(c, index)
    if value is not None and value < 0:
        raise ValueError(
            f"Dimension size, given by scalar input {index}, must be non-negative but is {value}"
        )
    return value


def scalar_axis(c: InferenceContext, index: int, rank: int | None) -> int | None:
    """A scalar input read as an axis of a tensor of that rank, counted from the front.

    Raises:
      ValueError: It is known to be no scalar, or not an axis.
    """
    value = _known_scalar(c, index)
    if value is None or (value < 0 and rank is None):
        return None
    if rank is not None:
        if not -rank <= value < rank:
            raise ValueError(
                f"Dimension size, given by scalar input {value} must be in range [-{rank}, {rank})"
            )
        value %= rank
    return value


def vector_as_shape(c: InferenceContext, index: int) -> TensorShape:
    """A vector input read as a shape, as far as it is known.

    Raises:
      ValueError: It is no vector, or an entry is known to be below -1.
    """
    with_rank(c.input(index), 1)
    return c.constant_as_shape(index)


def merged_vectors(c: InferenceContext, *indices: int) -> TensorShape:
    """The one shape of several inputs that are vectors of equal length.

    Raises:
      ValueError: They are not.
    """
    shape = with_rank(c.input(indices[0]), 1)
    for index in indices[1:]:
        shape = merge(shape, with_rank(c.input(index), 1))
    return shape

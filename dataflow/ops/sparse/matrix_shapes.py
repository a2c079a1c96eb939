"""What building knows of sparse matrices in variants: their shapes and element types."""

from __future__ import annotations

from typing import NamedTuple

from dataflow.schema.opdef import InferenceContext
from dataflow.schema.shape_functions import SCALAR, merge, with_rank, with_rank_at_least
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

Dims = tuple[int | None, ...]


class Held(NamedTuple):
    """The sizes of a matrix, or of some of one shape, and its element type."""

    dims: Dims
    dtype: DType


def held_by(c: InferenceContext, place: int) -> Held:
    """What an input holds.

    Raises:
      ValueError: It is no scalar, or nothing is known of it.
    """
    with_rank(c.input(place), 0)
    data = c.input_handle(place)
    if not data:
        raise ValueError(f"Unable to access shape and type info from variant input {place}")
    dtype, shape = data[0]
    return Held(checked(shape), dtype)


def checked(shape: TensorShape, what: str = "") -> Dims:
    """The sizes of one matrix or of several.

    Raises:
      ValueError: It has neither two dimensions nor three, or their number is unknown.
    """
    dims = shape.dims_tuple
    if dims is None or len(dims) not in (2, 3):
        rank = -1 if dims is None else len(dims)
        raise ValueError(f"Invalid rank{what}: {rank}.  Expected a known rank of either 2 or 3.")
    return dims


def holding(c: InferenceContext, held: Held) -> TensorShape:
    """The shape of a variant, of which it is said what it holds."""
    c.set_output_handle(0, ((held.dtype, TensorShape.of(held.dims)),))
    return SCALAR


def turned(dims: Dims) -> Dims:
    """The sizes of a transposed matrix."""
    return (*dims[:-2], dims[-1], dims[-2])


def product_dims(c: InferenceContext, a: Dims, b: TensorShape) -> Dims:
    """The sizes of a product, each of whose operands may be transposed.

    Raises:
      ValueError: They cannot be multiplied, or both ways of transposing one are asked for.
    """
    is_turned = []
    for name in ("a", "b"):
        adjoint, transposed = bool(c.attr(f"adjoint_{name}")), bool(c.attr(f"transpose_{name}"))
        if adjoint and transposed:
            raise ValueError(f"Only one of adjoint_{name} and transpose_{name} may be true.")
        is_turned.append(adjoint or transposed)
    left = turned(a) if is_turned[0] else a
    other = with_rank_at_least(b, 2).dims_tuple
    if other is None:
        return (*left[:-1], None)
    right = turned(other) if is_turned[1] else other
    if None not in (left[-1], right[-2]) and left[-1] != right[-2]:
        raise ValueError(f"Dimensions must be equal, but are {left[-1]} and {right[-2]}")
    batch = merge(TensorShape.of(left[:-2]), TensorShape.of(right[:-2])).dims_tuple or ()
    return (*batch, left[-2], right[-1])

"""Shape functions that many ops share, and the checks they are made of."""

from __future__ import annotations

from collections.abc import Callable

from dataflow.schema.opdef import InferenceContext
from dataflow.values.shapes import TensorShape

Dim = "int | None"
UNKNOWN = TensorShape.of(None)
SCALAR = TensorShape.of(())


def unknown(c: InferenceContext) -> list[TensorShape]:
    """Nothing is known."""
    return [UNKNOWN] * c.num_outputs


def no_outputs(c: InferenceContext) -> list[TensorShape]:
    """For ops without outputs."""
    return []


def scalar(c: InferenceContext) -> list[TensorShape]:
    """Every output is a scalar."""
    return [SCALAR] * c.num_outputs


def unchanged(c: InferenceContext) -> TensorShape:
    """The output has the first input's shape."""
    return c.input(0)


def each_unchanged(c: InferenceContext) -> list[TensorShape]:
    """Each output has the shape of the input at its place."""
    return [c.input(i) for i in range(c.num_outputs)]


def merged_inputs(c: InferenceContext) -> TensorShape:
    """All inputs have the same shape, and so has the output."""
    shape = c.input(0)
    for i in range(1, c.num_inputs):
        shape = merge(shape, c.input(i))
    return shape


def rank_at_least(rank: int) -> Callable[[InferenceContext], TensorShape]:
    """The output has the first input's shape, which has at least this rank."""

    def shape(c: InferenceContext) -> TensorShape:
        return with_rank_at_least(c.input(0), rank)

    return shape


def broadcast(c: InferenceContext) -> TensorShape:
    """Two inputs are broadcast against each other, as in numpy."""
    return broadcast_shapes(c.input(0), c.input(1))


def broadcast_shapes(x: TensorShape, y: TensorShape) -> TensorShape:
    """The shape two shapes broadcast to.

    Raises:
      ValueError: Dimensions differ and neither is 1.
    """
    a, b = x.dims_tuple, y.dims_tuple
    if a is None or b is None:
        return UNKNOWN
    if a == b and None not in a:
        return x
    size = max(len(a), len(b))
    a = (1,) * (size - len(a)) + a
    b = (1,) * (size - len(b)) + b
    return TensorShape.of(tuple(_broadcast_dim(m, n) for m, n in zip(a, b, strict=True)))


def _broadcast_dim(m: int | None, n: int | None) -> int | None:
    if m == 1:
        return n
    if n == 1:
        return m
    if m is None or n is None:
        # Unknown against n > 1 can only be 1 or n: the result is n either way. It is 0 against 0,
        # too, but there TensorFlow leaves the result unknown.
        return m or n or None
    if m == n:
        return m
    raise ValueError(f"Dimensions must be equal, but are {m} and {n}")


def merge(x: TensorShape, y: TensorShape) -> TensorShape:
    """What is known of a shape that is both `x` and `y`.

    Raises:
      ValueError: They contradict each other.
    """
    a, b = x.dims_tuple, y.dims_tuple
    if a is None:
        return y
    if b is None or a == b:
        return x
    if len(a) != len(b):
        raise ValueError(f"Shapes must be equal rank, but are {len(a)} and {len(b)}")
    for i, (m, n) in enumerate(zip(a, b, strict=True)):
        if m is not None and n is not None and m != n:
            raise ValueError(
                f"Dimension {i} in both shapes must be equal, but are {m} and {n}. "
                f"Shapes are {_text(a)} and {_text(b)}."
            )
    return TensorShape.of(tuple(n if m is None else m for m, n in zip(a, b, strict=True)))


def merge_dim(m: int | None, n: int | None) -> int | None:
    """What is known of a dimension that is both `m` and `n`.

    Raises:
      ValueError: They differ.
    """
    if m is not None and n is not None and m != n:
        raise ValueError(f"Dimensions must be equal, but are {m} and {n}")
    return n if m is None else m


def with_rank(shape: TensorShape, rank: int) -> TensorShape:
    """The shape, which must have this rank.

    Raises:
      ValueError: It has another rank.
    """
    dims = shape.dims_tuple
    if dims is None:
        return TensorShape.of((None,) * rank)
    if len(dims) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}")
    return shape


def with_rank_at_least(shape: TensorShape, rank: int) -> TensorShape:
    """The shape, which must have at least this rank.

    Raises:
      ValueError: Its rank is lower.
    """
    dims = shape.dims_tuple
    if dims is not None and len(dims) < rank:
        raise ValueError(f"Shape must be at least rank {rank} but is rank {len(dims)}")
    return shape


def with_rank_at_most(shape: TensorShape, rank: int) -> TensorShape:
    """The shape, which must have at most this rank.

    Raises:
      ValueError: Its rank is higher.
    """
    dims = shape.dims_tuple
    if dims is not None and len(dims) > rank:
        raise ValueError(f"Shape must be at most rank {rank} but is rank {len(dims)}")
    return shape


def _text(dims: tuple[int | None, ...]) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"

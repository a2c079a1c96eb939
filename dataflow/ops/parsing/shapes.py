"""Static shapes of what is read from examples."""

from __future__ import annotations

from collections.abc import Sequence

from dataflow.schema.shape_functions import UNKNOWN
from dataflow.values.shapes import TensorShape

VECTOR = TensorShape.of((None,))


def sparse_shapes(count: int, batch: TensorShape, more: int) -> list[TensorShape]:
    """Of indices, values and shapes of sparse tensors with `more` dimensions than `batch`."""
    dims = batch.dims_tuple
    rank = None if dims is None else len(dims) + more
    return (
        [TensorShape.of((None, rank))] * count
        + [VECTOR] * count
        + [TensorShape.of((rank,))] * count
    )


def dense_shapes(batch: TensorShape, shapes: Sequence[TensorShape]) -> list[TensorShape]:
    """Of dense tensors, which begin with the dimensions of `batch`."""
    return [joined(batch, shape) for shape in shapes]


def ragged_shapes(count: int, batch: TensorShape, is_nested: bool) -> list[TensorShape]:
    """Of values and row splits of so many ragged tensors."""
    dims = batch.dims_tuple
    examples = dims[0] if dims else None
    splits = TensorShape.of((None if examples is None else examples + 1,))
    return [VECTOR] * count + [splits] * count + [VECTOR] * (count if is_nested else 0)


def joined(first: TensorShape, second: TensorShape) -> TensorShape:
    """The dimensions of one shape and then of another."""
    a, b = first.dims_tuple, second.dims_tuple
    return UNKNOWN if a is None or b is None else TensorShape.of((*a, *b))


def check_inner(shapes: Sequence[TensorShape]) -> None:
    """Checks that only first sizes of features are unknown.

    Raises:
      ValueError: Another one is.
    """
    for place, shape in enumerate(shapes):
        dims = shape.dims_tuple
        if dims is None or None in dims[1:]:
            shown = "<unknown>" if dims is None else _text(dims)
            raise ValueError(
                f"dense_shapes[{place}] has unknown rank or unknown inner dimensions: {shown}"
            )


def check_lengths(*pairs: tuple[str, int, str, int]) -> None:
    """Checks that lists have the same length; each pair is (name, length, name, length).

    Raises:
      ValueError: Two have not.
    """
    for first, count, second, other in pairs:
        if count != other:
            raise ValueError(f"len({first}) != len({second})")


def _text(dims: tuple[int | None, ...]) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"

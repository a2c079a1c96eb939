"""Checks of shapes that ops of boosted trees share."""

from __future__ import annotations

from collections.abc import Iterable

from dataflow.schema.opdef import InferenceContext
from dataflow.schema.shape_functions import merge, merge_dim, with_rank
from dataflow.values.shapes import TensorShape

PAIR = TensorShape.of((2,))
VECTOR = TensorShape.of((None,))


def dim(shape: TensorShape, place: int) -> int | None:
    """A dimension; None where the rank is not known."""
    dims = shape.dims_tuple
    return None if dims is None else dims[place]


def expect_scalars(c: InferenceContext, places: Iterable[int]) -> None:
    """Checks that inputs are scalars.

    Raises:
      ValueError: One is not.
    """
    for place in places:
        with_rank(c.input(place), 0)


def expect_range(c: InferenceContext) -> None:
    """Checks that the first input is the first and last id of a range.

    Raises:
      ValueError: It is no vector of two elements.
    """
    merge(with_rank(c.input(0), 1), PAIR)


def statistics_dims(c: InferenceContext) -> tuple[int | None, int | None]:
    """How many examples there are, whose nodes, gradients and hessians the first inputs are.

    Returns:
      The number of examples, and how many numbers there are of each.

    Raises:
      ValueError: The inputs are of other ranks, or contradict each other.
    """
    nodes = with_rank(c.input(0), 1)
    gradients, hessians = with_rank(c.input(1), 2), with_rank(c.input(2), 2)
    examples = dim(nodes, 0)
    for values in (gradients, hessians):
        examples = merge_dim(dim(values, 0), examples)
    parts = dim(gradients, 1), dim(hessians, 1)
    known = [part for part in parts if part is not None]
    return examples, sum(known) if len(known) == len(parts) else None

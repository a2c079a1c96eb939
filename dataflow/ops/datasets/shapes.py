"""Shape functions of ops that give datasets or elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dataflow.schema.opdef import InferenceContext, ShapeFunction
from dataflow.schema.shape_functions import scalar, with_rank, with_rank_at_most
from dataflow.values.shapes import TensorShape

_FIRST_DEFAULT: Final = 8
"""Place of the first of `record_defaults` among the inputs of a dataset of CSV files."""


def declared(c: InferenceContext) -> list[TensorShape]:
    """The shapes of the attr `output_shapes`.

    Raises:
      ValueError: There are more or fewer of them than outputs.
    """
    shapes: list[TensorShape] = list(c.attr("output_shapes"))
    if len(shapes) != c.num_outputs:
        raise ValueError(
            "`output_shapes` must be the same length as `output_types` "
            f"({len(shapes)} vs. {c.num_outputs})."
        )
    return shapes


def vector(c: InferenceContext) -> TensorShape:
    """A vector, of any length."""
    return TensorShape([None])


def dataset(
    scalars: tuple[int, ...] = (), vectors: tuple[int, ...] = (), lists: tuple[int, ...] = ()
) -> ShapeFunction:
    """A dataset, which is a scalar, of inputs that are looked at.

    Args:
      scalars: Places of inputs that must be scalars; negative ones count from the end.
      vectors: Places of those that must be vectors.
      lists: Places of those that may be vectors or scalars.

    Returns:
      The shape function. It raises ValueError for an input of another rank.
    """

    def shape(c: InferenceContext) -> list[TensorShape]:
        for rank, places in ((0, scalars), (1, vectors)):
            for place in places:
                with_rank(c.input(place % c.num_inputs), rank)
        for place in lists:
            with_rank_at_most(c.input(place), 1)
        return scalar(c)

    return shape


def csv(c: InferenceContext) -> TensorShape | Sequence[TensorShape]:
    """A dataset of CSV files: what it is told of them are scalars, columns and defaults vectors.

    Raises:
      ValueError: An input has another rank.
    """
    return dataset(tuple(range(1, 7)), (7,), (0, *range(_FIRST_DEFAULT, c.num_inputs)))(c)

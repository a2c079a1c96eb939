"""Handles in shape inference: the shape of old ones, two strings, and what is behind sums."""

from __future__ import annotations

from typing import Any, Final

from dataflow.schema.opdef import InferenceContext
from dataflow.schema.shape_functions import merge, with_rank
from dataflow.schema.summaries import type_name
from dataflow.values.shapes import TensorShape

HANDLE: Final = TensorShape.of((2,))
"""Container and name."""


def with_handle(c: InferenceContext) -> None:
    """Checks the shape of the first input, a handle.

    Raises:
      ValueError: It is no vector of two elements.
    """
    (size,) = with_rank(c.input(0), 1).dims_tuple or (None,)
    if size not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {size}")


def merged_handles(c: InferenceContext) -> Any:
    """What is behind the sum of all inputs, as far as their handles tell.

    Raises:
      ValueError: They contradict each other.
    """
    result = None
    for index in range(c.num_inputs):
        held = c.input_handle(index)
        if not held:
            continue
        dtype, shape = held[0]
        if result is not None:
            known, before = result
            if known != dtype:
                raise ValueError(
                    f"shapes_and_types[0][0].dtype() == {type_name(known)} != "
                    f"shapes_and_types[0][0].dtype == {type_name(dtype)}"
                )
            try:
                shape = merge(before, shape)
            except ValueError as error:
                raise ValueError(
                    f"{error}\n\tFrom merging shapes_and_types[0][0].shape with "
                    "shapes_and_types[0][0].shape"
                ) from None
        result = dtype, shape
    return None if result is None else (result,)


def common_handles(c: InferenceContext) -> Any:
    """What is behind each of several handles, as far as all of them tell the same."""
    held = [c.input_handle(index) for index in range(c.num_inputs)]
    if not all(held) or len({entry[0][0] for entry in held}) > 1:
        return None
    dtype, shape = held[0][0]
    for entry in held[1:]:
        other = entry[0][1]
        if shape.rank is None or shape.rank != other.rank:
            return ((dtype, TensorShape.of(None)),)
        pairs = zip(shape.as_list(), other.as_list(), strict=True)
        shape = TensorShape.of(tuple(a if a == b else None for a, b in pairs))
    return ((dtype, shape),)

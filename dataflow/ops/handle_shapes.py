"""Handles in shape inference: the shape of old ones, two strings, and what is behind sums."""

from __future__ import annotations

from typing import Any, Final

from dataflow.op_summary import type_name
from dataflow.opdef import InferenceContext
from dataflow.shape_functions import merge, with_rank
from dataflow.shapes import TensorShape

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

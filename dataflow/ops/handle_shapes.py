"""Shapes of the handles of stacks and tensor arrays, which TensorFlow describes as two strings."""

from __future__ import annotations

from typing import Final

from dataflow.opdef import InferenceContext
from dataflow.shape_functions import with_rank
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

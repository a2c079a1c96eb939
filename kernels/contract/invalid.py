"""The error a kernel raises for inputs it cannot take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.shape_text import shape_text


def invalid(text: str) -> InvalidArgumentError:
    """An InvalidArgumentError that says so; the executor adds where."""
    return InvalidArgumentError(None, None, text)


def explained(error: BaseException, inputs: Sequence[Any]) -> BaseException:
    """The error, or, where it is that two inputs do not broadcast, one in TensorFlow's words.

    The kernels of most ops of two tensors are the array library's own functions, which check the
    shapes anyway.

    Args:
      error: What a kernel raised.
      inputs: The kernel's inputs.
    """
    if not isinstance(error, ValueError) or len(inputs) != 2 or "broadcast" not in str(error):
        return error
    first, second = (getattr(value, "shape", ()) for value in inputs)
    try:
        np.broadcast_shapes(first, second)
    except ValueError:
        return invalid(f"Incompatible shapes: {shape_text(first)} vs. {shape_text(second)}")
    return error

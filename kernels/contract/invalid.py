"""The error a kernel raises for inputs it cannot take."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values.shapes import RankError


def invalid(text: str) -> InvalidArgumentError:
    """An InvalidArgumentError that says so; the executor adds where."""
    return InvalidArgumentError(None, None, text)


def explained(error: BaseException, inputs: Sequence[Any]) -> BaseException:
    """The error, or the user's mistake that it comes from, where kernels leave that to others.

    A result may have more dimensions than the array library has. The handle of one kind of state
    may have been passed for that of another. Two inputs may not broadcast: the kernels of most ops
    of two tensors are the array library's own functions, which check the shapes anyway.

    Args:
      error: What a kernel raised.
      inputs: The kernel's inputs.
    """
    if isinstance(error, AttributeError):
        return _wrong_handle(error, inputs) or error
    if isinstance(error, (ValueError, RuntimeError)):
        text = str(error)
        if found := _TOO_MANY_DIMENSIONS.search(text):
            return RankError("The result, or a value on the way to it,", int(found[1]))
        if text.startswith(_TOO_LARGE):
            return invalid(f"The result would be larger than any memory: {text}")
    if isinstance(error, OverflowError):
        return invalid(f"A number is too large: {error}")
    if not isinstance(error, ValueError) or len(inputs) != 2 or "broadcast" not in str(error):
        return error
    # A variable is seen as such; its own `shape` is the one that it was declared with.
    first, second = (getattr(getattr(x, "value", x), "shape", ()) for x in inputs)
    try:
        np.broadcast_shapes(first, second)
    except ValueError:
        return invalid(f"Incompatible shapes: {shape_text(first)} vs. {shape_text(second)}")
    return error


_TOO_MANY_DIMENSIONS: Final = re.compile(
    r"(?:maximum supported dimension for an ndarray is .*found"
    r"|only supports up to \d+ dimensions but the array has) (\d+)"
)
"""What numpy says of an array of more dimensions than it, or one of its functions, takes;"""
_TOO_LARGE: Final = ("array is too big", "Maximum allowed dimension exceeded")
"""and of more elements."""


def _wrong_handle(error: AttributeError, inputs: Sequence[Any]) -> InvalidArgumentError | None:
    """The error of an input that refers to state of another kind than the kernel works with."""
    # `error.obj` is not there for an attribute that was to be set.
    _, kind, *_ = f"{error}''".split("'")
    for place, value in enumerate(inputs):
        if type(value).__name__ == kind and not isinstance(value, (np.ndarray, np.generic)):
            return invalid(
                f"Trying to access a resource using the wrong type: input {place} refers to a "
                f"{type(value).__name__}, which this op does not work with."
            )
        if isinstance(value, np.ndarray) and value.dtype == object and kind == "numpy.ndarray":
            return invalid(
                f"Trying to access a resource using the wrong type: input {place} is an array of "
                f"shape {shape_text(value.shape)}, and this op works with one handle."
            )
    return None

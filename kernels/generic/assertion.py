"""Kernel of Assert, and the way it prints tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dataflow.kernels.invalid import invalid
from dataflow.kernels.registry import KernelNode, kernel
from dataflow.kernels.shape_text import shape_text


@kernel("Assert", host_inputs=("condition", "data"))
def assert_(node: KernelNode, xp: Any) -> Callable[..., Any]:
    limit = node.attr("summarize")

    def run(condition: Any, *data: Any) -> None:
        if np.ndim(condition):
            raise invalid(f"In[0] should be a scalar: {shape_text(condition.shape)}")
        if not condition:
            shown = " ".join(f"[{summarize(np.asarray(array), limit)}]" for array in data)
            raise invalid(f"assertion failed: {shown}")

    return run


def summarize(array: np.ndarray, limit: int) -> str:
    """The first elements of an array in row-major order, inner rows in brackets.

    Args:
      array: Numbers or byte strings.
      limit: Number of elements to show, "..." standing for the others; negative for all.
    """
    if array.dtype.kind == "c":
        return "?"
    limit = array.size if limit < 0 else limit
    elements = iter([_element(value) for value in array.reshape(-1)[:limit]])
    if not array.size:
        return ""
    text = "".join(_rows(array.shape or (1,), elements, [limit]))
    if array.ndim < 2:
        text = text.removesuffix("...")
    return text + ("..." if array.size > limit else "")


def _rows(shape: tuple[int, ...], elements: Iterator[str], left: list[int]) -> Iterator[str]:
    """The pieces of the text of a row; `left` counts the elements that may still be shown."""
    for index in range(shape[0]):
        if not left[0]:
            if len(shape) == 1:
                yield "..."
            return
        if len(shape) > 1:
            yield "["
            yield from _rows(shape[1:], elements, left)
            yield "]"
        else:
            left[0] -= 1
            yield f" {next(elements)}" if index else next(elements)


def _element(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1").encode("unicode_escape").decode()
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, np.integer):
        return str(value)
    short, exact = (15, 17) if value.dtype == np.float64 else (6, 9)
    text = f"{float(value):.{short}g}"
    return text if type(value)(text) == value else f"{float(value):.{exact}g}"

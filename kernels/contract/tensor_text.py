"""How tensors look in messages and printed lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

_ESCAPES = {'"': '\\"', "'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    """A text made here as any stream can show it: bytes that are no UTF-8 as `\\xff`."""
    return to_bytes(text).decode("utf-8", "backslashreplace")


def to_bytes(text: str) -> bytes:
    """A text made here with the bytes of its strings as they were."""
    return text.encode("utf-8", "surrogateescape")


def from_bytes(value: bytes) -> str:
    """Bytes as part of a text, such that `to_bytes` gives them back."""
    return value.decode("utf-8", "surrogateescape")


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


def summarize_ends(array: np.ndarray, limit: int) -> str:
    """The elements of an array, of each dimension only the first and the last.

    Args:
      array: Numbers or byte strings.
      limit: How many to show at each end, "..." standing for those between; negative for all.
    """
    if array.dtype == bool and not array.size:
        return ""
    ends = array.size if limit < 0 else min(limit, array.size)
    return "".join(_ends(array, ends, 0))


def _ends(array: Any, ends: int, depth: int) -> Iterator[str]:
    if not np.ndim(array):
        value = array[()] if isinstance(array, np.ndarray) else array
        if depth == 0 and ends == 0:
            yield "..."
            return
        text = _element(value)
        yield f'"{text}"' if isinstance(value, bytes) else text
        return
    below = np.ndim(array) - 1
    gap = "\n" * below + " " * (depth + 1) if below else " "
    count = len(array)
    yield "["
    for index in range(min(ends, count)):
        yield gap if index else ""
        yield from _ends(array[index], ends, depth + 1)
    if count > 2 * ends:
        yield gap + "..."
    for index in range(max(ends, count - ends), count):
        yield gap
        yield from _ends(array[index], ends, depth + 1)
    yield "]"


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
        return "".join(map(_escaped, from_bytes(value)))
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, np.integer):
        return str(value)
    if value.dtype.kind == "c":
        return "?"
    if value.dtype != np.float64:
        value = np.float32(value)
    short, exact = (15, 17) if value.dtype == np.float64 else (6, 9)
    text = f"{float(value):.{short}g}"
    return text if type(value)(text) == value else f"{float(value):.{exact}g}"


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    return f"\\{code:03o}" if code < 32 or code == 127 else character

"""Coordinates of sparse tensors: whether they are in bounds and in order, and putting them so."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text

_LARGEST: Final = 2**63 - 1
_MANY: Final = 512
"""Coordinates from which on they are sorted as numbers."""


def check_parts(indices: Any, values: Any, shape: Any) -> None:
    """Raises an error unless the three have the ranks and sizes of a sparse tensor's parts."""
    for name, array, rank in (("indices", indices, 2), ("values", values, 1), ("shape", shape, 1)):
        if array.ndim != rank:
            raise invalid(f"Sparse {name} must be rank {rank} but is rank {array.ndim}")
    if len(indices) != values.size:
        raise invalid(
            f"Number of elements in indices ({len(indices)}) and values ({values.size}) do not "
            "match"
        )
    if indices.shape[1] != shape.size:
        raise invalid(f"Index rank ({indices.shape[1]}) and shape rank ({shape.size}) do not match")


def sizes_of(shape: Any) -> tuple[int, ...]:
    """The sizes of a shape that came as a tensor.

    Raises:
      InvalidArgumentError: One is negative, or the whole has too many elements to count them.
    """
    sizes: tuple[int, ...] = tuple(shape.tolist())
    for size in sizes:
        if size < 0:
            raise invalid(f"Expected shape dimensions to be non-negative, got {size}")
    if math.prod(sizes) > _LARGEST:
        raise invalid(f"Encountered overflow from large input shape {shape_text(sizes)}.")
    return sizes


def outside(indices: Any, shape: Any) -> Any:
    """Which rows are no coordinates in an array of this shape."""
    return ((indices < 0) | (indices >= shape)).any(axis=1)


def check_order(indices: Any, shape: Any, beyond: Any) -> None:
    """Raises an error for the first row that is out of bounds, or not behind the one before it.

    Args:
      indices: Coordinates.
      shape: Shape of the whole.
      beyond: Which rows are out of bounds.
    """
    if not beyond.any() and is_ascending(indices, shape):
        return
    steps = np.diff(indices, axis=0)
    if steps.size:
        decisive = np.take_along_axis(steps, (steps != 0).argmax(axis=1)[:, None], axis=1)[:, 0]
        wrong = np.flatnonzero(decisive <= 0)
        if wrong.size and not beyond[: wrong[0] + 2].any():
            _refuse_order(indices, int(wrong[0]) + 1, not decisive[wrong[0]])
    check_bounds(indices, shape, beyond)


def is_ascending(indices: Any, shape: Any) -> bool:
    """Whether coordinates, which are in bounds, are sure to stand in order, none of them twice."""
    sizes = tuple(shape.tolist())
    if math.prod(sizes) > _LARGEST:
        return False
    places = flat(indices, sizes)
    return bool((places[1:] > places[:-1]).all())


def check_bounds(indices: Any, shape: Any, beyond: Any) -> None:
    """Raises an error for the first row that is out of bounds."""
    if beyond.any():
        place = int(beyond.argmax())
        raise invalid(
            f"indices[{place}] = {shape_text(indices[place])} is out of bounds: need 0 <= index "
            f"< {shape_text(shape)}"
        )


def check_within(indices: Any, shape: Any) -> None:
    """Raises an error for the first coordinates that are out of bounds."""
    beyond = outside(indices, shape)
    if beyond.any():
        place = int(beyond.argmax())
        shown = ", ".join(map(str, indices[place].tolist()))
        raise invalid(f"Sparse index tuple indices[{place}, :] = [{shown}] is out of bounds")


def _refuse_order(indices: Any, place: int, is_repeated: bool) -> None:
    text = f"indices[{place}] = {shape_text(indices[place])} is "
    if is_repeated:
        raise invalid(f"{text}repeated")
    raise invalid(
        f"{text}out of order. Many sparse ops require sorted indices.\n"
        "    Use `tf.sparse.reorder` to create a correctly ordered copy."
    )


def row_major(indices: Any) -> Any:
    """The order that sorts coordinates, equal ones as they come."""
    count, columns = indices.shape
    if not columns:
        return np.arange(count)
    if count >= _MANY:
        least, most = ([int(f(column)) for column in indices.T] for f in (np.min, np.max))
        sizes = tuple(high - low + 1 for low, high in zip(least, most, strict=True))
        if math.prod(sizes) <= _LARGEST:
            # Of what is in order in parts, as it mostly is, numbers take a fraction of the time.
            return np.argsort(flat(indices - np.array(least), sizes), kind="stable")
    return np.lexsort(indices.T[::-1])


def flat(indices: Any, sizes: tuple[int, ...]) -> Any:
    """The places of coordinates in an array of these sizes that is seen as a vector."""
    places = np.zeros(len(indices), np.int64)
    for column, size in enumerate(sizes):
        places *= size
        places += indices[:, column]
    return places


def unflat(places: Any, sizes: tuple[int, ...]) -> Any:
    """The coordinates of places in an array of these sizes that is seen as a vector."""
    indices = np.empty((len(places), len(sizes)), np.int64)
    for column in range(len(sizes) - 1, 0, -1):
        places, indices[:, column] = np.divmod(places, max(sizes[column], 1))
    if sizes:
        indices[:, 0] = places
    return indices

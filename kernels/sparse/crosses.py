"""Combinations of one element of every column's row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.errors import ResourceExhaustedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text

_MOST: Final = 1 << 27
_MULTIPLIER: Final = np.uint64(0xC6A4A7935BD1E995)
_SHIFT: Final = np.uint64(47)


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The elements of a column, row behind row."""

    elements: Any
    starts: Any
    counts: Any
    is_sparse: bool


def columns_of(
    indices: Sequence[Any], values: Sequence[Any], shapes: Sequence[Any], dense: Sequence[Any]
) -> list[Column]:
    """The columns that sparse tensors are, and then those that matrices are.

    Raises:
      InvalidArgumentError: One is no matrix, or they have not the same number of rows.
    """
    for place, part in enumerate(indices):
        if part.ndim != 2:
            raise invalid(
                f"Input indices should be a matrix but received shape {shape_text(part.shape)} at "
                f"position {place}"
            )
        if part.shape[1] != 2:
            raise invalid(f"Expected D2 of index to be 2 got {part.shape[1]} at position {place}")
    for place, (part, where) in enumerate(zip(values, indices, strict=True)):
        if np.ndim(part) != 1:
            raise invalid(
                "Input values should be a vector but received shape "
                f"{shape_text(np.shape(part))} at position {place}"
            )
        if len(where) != len(part):
            raise invalid(
                f"Expected size of values to be {len(where)} got {len(part)} at position {place}"
            )
    for place, part in enumerate(shapes):
        if part.ndim != 1:
            raise invalid(
                f"Input shapes should be a vector but received shape {shape_text(part.shape)} at "
                f"position {place}"
            )
        if part.size != 2:
            raise invalid(
                f"shape should imply a 2D tensor, but got {shape_text(part.shape)} at position "
                f"{place}"
            )
    for place, part in enumerate(dense):
        if np.ndim(part) != 2:
            raise invalid(
                "Dense inputs should be a matrix but received shape "
                f"{shape_text(np.shape(part))} at position {place}"
            )
    rows = row_count(shapes, dense)
    for place, part in enumerate(shapes):
        if part[0] != rows:
            raise invalid(f"Expected batch size {rows} got {part[0]} at position {place}")
    for place, part in enumerate(dense):
        if len(part) != rows:
            raise invalid(f"Expected batch size {rows} got {len(part)} at dense tensor {place}")
    if rows < 0:
        raise invalid(f"Expected shape dimensions to be non-negative, got {rows}")
    _check_size(rows)
    sparse = [_sparse_column(*each, rows) for each in zip(indices, values, strict=True)]
    return [*sparse, *(_dense_column(np.asarray(part)) for part in dense)]


def row_count(shapes: Sequence[Any], dense: Sequence[Any]) -> int:
    """How many rows the columns have."""
    if shapes:
        return int(shapes[0][0])
    return len(dense[0]) if dense else 0


def _sparse_column(indices: Any, values: Any, rows: int) -> Column:
    places = indices[:, 0]
    # Rows count as far as they are in order.
    wrong = (places < 0) | (places >= rows)
    wrong[1:] |= places[1:] < places[:-1]
    if wrong.any():
        places = places[: int(wrong.argmax())]
    starts = np.searchsorted(places, np.arange(rows), side="left")
    ends = np.searchsorted(places, np.arange(rows), side="right")
    return Column(np.asarray(values), starts, ends - starts, True)


def _dense_column(matrix: Any) -> Column:
    rows, width = matrix.shape
    return Column(matrix.ravel(), np.arange(rows) * width, np.full(rows, width), False)


def combinations(columns: Sequence[Column], rows: int) -> tuple[Any, Any, list[Any]]:
    """Where combinations stand in a sparse matrix, its shape, and whose elements they are.

    Returns:
      Coordinates, the shape, and for each column the places of its elements.

    Raises:
      ResourceExhaustedError: There are too many.
    """
    counts = np.ones(rows, np.float64)
    for column in columns:
        counts *= column.counts
    _check_size(counts.sum())
    exact = counts.astype(np.int64)
    total = int(exact.sum())
    row = np.repeat(np.arange(rows), exact)
    within = np.arange(total) - np.repeat(np.cumsum(exact) - exact, exact)
    picked: list[Any] = []
    rest = within
    for column in reversed(columns):
        rest, place = np.divmod(rest, np.maximum(column.counts, 1)[row])
        picked.insert(0, column.starts[row] + place)
    shape = np.array([rows, exact.max(initial=0)], np.int64)
    return np.stack([row, within], axis=1).astype(np.int64), shape, picked


def _check_size(count: float) -> None:
    if count > _MOST:
        raise ResourceExhaustedError(
            None, None, f"There would be {count:.0f} rows or combinations, at most {_MOST} may be"
        )


def joined_hashes(hashes: Any, others: Any) -> Any:
    """FarmHash's way to make one hash of two (https://github.com/google/farmhash)."""
    with np.errstate(over="ignore"):
        product = others * _MULTIPLIER
        result = hashes ^ _MULTIPLIER
        result = (result ^ ((product ^ (product >> _SHIFT)) * _MULTIPLIER)) * _MULTIPLIER
        result = (result ^ (result >> _SHIFT)) * _MULTIPLIER
        return result ^ (result >> _SHIFT)


def in_buckets(hashes: Any, count: int) -> Any:
    """The buckets of hashes; 0 stands for as many as there are numbers that are not negative."""
    return (hashes % np.uint64(count if count > 0 else 2**63 - 1)).astype(np.int64)

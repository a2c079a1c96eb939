"""What kernels on batches of matrices share: checks of shapes, and calls matrix by matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import COMPLEX
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.threads.parallel import current, split
from dataflow.kernels.threads.stopping import look
from dataflow.values import dtypes

TYPES: Final = (dtypes.float32, dtypes.float64, *COMPLEX)
"""The element types that LAPACK has."""
_WORTH: Final = 200_000
"""Multiplications, as many as rows times the square of columns, that are worth a thread: LAPACK
takes 50 to 500 us."""


def check_matrices(*arrays: Any) -> None:
    """Refuses arrays that are no batches of matrices of one batch shape."""
    rank = np.ndim(arrays[0])
    if rank < 2:
        raise invalid(f"Input tensor 0 must have rank >= 2, got {rank}")
    for array in arrays[1:]:
        if np.ndim(array) != rank:
            raise invalid("All input tensors must have the same rank.")
        if array.shape[:-2] != arrays[0].shape[:-2]:
            raise invalid("All input tensors must have the same outer dimensions.")


def check_square(array: Any, text: str = "Input matrix must be square.") -> None:
    """Refuses what is no batch of square matrices."""
    check_matrices(array)
    if array.shape[-2] != array.shape[-1]:
        raise invalid(text)


def broadcast_batch(matrix: Any, rhs: Any) -> tuple[int, ...]:
    """The batch shape that a matrix and a right-hand side broadcast to."""
    for which, array in enumerate((matrix, rhs)):
        if np.ndim(array) < 2:
            raise invalid(f"In[{which}] ndims must be >= 2: {np.ndim(array)}")
    try:
        return np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    except ValueError:
        raise invalid(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{shape_text(matrix.shape)} vs. {shape_text(rhs.shape)}"
        ) from None


def each(compute: Callable[..., Any], out: Any, *arrays: Any) -> Any:
    """Fills `out` with what a function makes of each matrix of batches, one after the other."""
    for place in np.ndindex(arrays[0].shape[:-2]):
        look()
        out[place] = compute(*(array[place] for array in arrays))
    return out


def together(compute: Callable[..., Any], *arrays: Any, worth: int = _WORTH) -> Any:
    """What a function of numpy's makes of batches, whose matrices several threads share.

    Args:
      compute: Takes batches, and gives an array, or a tuple of arrays, of as many rows.
      *arrays: Batches of one batch shape.
      worth: Multiplications, as many as rows times the square of columns, that are worth a thread.
    """
    first = arrays[0]
    batch = first.shape[:-2]
    count = math.prod(batch)
    grain = max(1, worth // max(1, first.size // max(1, count) * first.shape[-1]))
    if current.helpers is None or count < 2 * grain:
        return compute(*arrays)
    flat = [array.reshape(count, *array.shape[-2:]) for array in arrays]
    made: dict[int, Any] = {}

    def piece(start: int, stop: int) -> None:
        with np.errstate(all="ignore"):
            made[start] = compute(*[array[start:stop] for array in flat])

    split(count, grain, piece)
    rows = [made[start] for start in sorted(made)]
    if isinstance(rows[0], tuple):
        return tuple(_joined(parts, batch) for parts in zip(*rows, strict=True))
    return _joined(rows, batch)


def _joined(parts: Sequence[Any], batch: tuple[int, ...]) -> Any:
    return np.concatenate(parts).reshape(*batch, *parts[0].shape[1:])


def unsuccessful(dtype: Any) -> Any:
    """What stands in the place of results that there are not: C++ has no complex NaN, and
    TensorFlow fills in zeros."""
    return 0 if np.dtype(dtype).kind == "c" else np.nan


def adjoint(array: Any) -> Any:
    """The conjugate transposes."""
    return np.conj(np.swapaxes(array, -1, -2))


def or_each(
    whole: Callable[[Any], Any], failed: Callable[[Any], Any], array: Any, parts: int
) -> tuple[Any, ...]:
    """What a function of numpy's makes of a batch; matrices that it fails for are taken apart.

    Args:
      whole: Takes the batch, or a part of it, and returns a tuple of arrays.
      failed: What stands in the place of the results for a matrix that LAPACK gives up on.
      array: The batch.
      parts: How many arrays there are.
    """
    try:
        return tuple(together(whole, array))
    except np.linalg.LinAlgError:
        if array.ndim == 2:
            return tuple(failed(array))
    flat = array.reshape(-1, *array.shape[-2:])
    rows = []
    for matrix in flat:
        look()
        rows.append(or_each(whole, failed, matrix, parts))
    stacked = [np.stack([row[i] for row in rows]) for i in range(parts)]
    return tuple(each.reshape(*array.shape[:-2], *each.shape[1:]) for each in stacked)

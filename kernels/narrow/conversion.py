"""Whole arrays of 16-bit floats to float32 and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import ml_dtypes
import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.orders import in_line
from dataflow.kernels.narrow import bfloats, halves
from dataflow.kernels.threads.parallel import grain_of, split

HALF: Final = np.dtype(np.float16)
BFLOAT16: Final = np.dtype(ml_dtypes.bfloat16)
WIDE: Final = np.dtype(np.float32)
BLOCK: Final = 1 << 16
"""Elements that are taken through all passes at a time."""
LEAST: Final = 1 << 13
"""Elements from which blocks take less time than numpy and ml_dtypes do."""
_SECONDS: Final = 8e-10
"""What an element takes, about."""


def widen(array: Any) -> Any:
    """An array or number as float32."""
    if type(array) is not np.ndarray or array.dtype != HALF or array.size < LEAST:
        return array.astype(WIDE)
    return _by_blocks(halves.widen, array, WIDE)


def narrow(array: Any, dtype: Any) -> Any:
    """An array or number as one of a type of 16-bit floats, rounded if it is of float32."""
    if type(array) is not np.ndarray or array.dtype != WIDE or array.size < LEAST:
        return array.astype(dtype)
    return _by_blocks(halves.narrow if dtype == HALF else bfloats.narrow, array, np.dtype(dtype))


def widen_block(block: Any, wide: np.ndarray) -> None:
    """Fills a contiguous float32 array with the numbers of a block."""
    if block.dtype == HALF:
        halves.widen(block, wide)
    else:
        np.copyto(wide, block)


def narrow_block(wide: np.ndarray, block: Any) -> None:
    """Rounds a contiguous float32 array to a block of 16-bit floats."""
    (halves if block.dtype == HALF else bfloats).narrow(wide, block)


def _by_blocks(convert: Callable[[Any, Any], None], array: np.ndarray, dtype: Any) -> Any:
    result = np.empty_like(array, dtype)
    vectors = in_line(array, result)
    if vectors is None or not array.flags.aligned:
        return array.astype(dtype)
    if array.flags.c_contiguous:
        # Where others may want it, memory lies as they like it.
        result = aligned.empty(array.shape, dtype)
        vectors[1] = result.reshape(-1)
    given, made = vectors

    def run(first: int, last: int) -> None:
        for start in range(first * BLOCK, min(given.size, last * BLOCK), BLOCK):
            block = slice(start, start + BLOCK)
            convert(given[block], made[block])

    count = -(-given.size // BLOCK)
    split(count, grain_of(count, given.size * _SECONDS), run)
    return result

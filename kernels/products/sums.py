"""Whether several threads of oneDNN add up the terms of a product as one does: to the same bits.

Where there are more threads than parts of the result, each thread adds up some of the terms of each
sum. A product that had the team in one step and not in the next one would have two results.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from dataflow.kernels.onednn import trial
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import FLOAT32, Library, Threads

_FEW_THREADS: Final = 4
_LEAST: Final = 16
_TERMS: Final = 768
"""Threads at most, rows and columns at least, and terms at most where only the second matrix is
transposed, for which it is so with AVX-512: found with several thousand random shapes. With 8
threads it is not."""
_TRIED: Final = 200_000_000
"""Multiplications up to which it is tried where it is not known: a few milliseconds, once."""
_KEPT: Final = 1024
"""Kinds of products for which it is remembered."""


def keep_bits(
    library: Library, threads: int, turned: tuple[bool, bool], sizes: tuple[int, int, int]
) -> bool:
    """Whether a product by so many threads has the bits of one by a single thread.

    Args:
      library: The library.
      threads: How many.
      turned: Whether the first matrix is transposed, and the second one.
      sizes: Rows of the result, terms of a sum, columns of the result.
    """
    rows, inner, columns = sizes
    if not library.has_avx512:
        # There parts of a product have other bits too, by whomever they are computed.
        return False
    if threads <= _FEW_THREADS:
        return min(rows, columns) >= _LEAST and (turned != (False, True) or inner <= _TERMS)
    return rows * inner * columns <= _TRIED and _agree(library, threads, turned, sizes)


@functools.lru_cache(maxsize=_KEPT)
def _agree(
    library: Library, threads: int, turned: tuple[bool, bool], sizes: tuple[int, int, int]
) -> bool:
    """Tries it."""
    rows, inner, columns = sizes
    a, b = trial.numbers(rows * inner), trial.numbers(inner * columns, backwards=True)
    steps = (rows if turned[0] else inner, inner if turned[1] else columns)
    names = [b"T" if is_turned else b"N" for is_turned in turned]
    results = np.zeros((2, rows * columns), FLOAT32)
    for count, result in zip((1, threads), results, strict=True):
        with Threads(library, count):
            status = library.sgemm(
                *names,
                *(rows, columns, inner),
                1.0,
                *(address_of(a), steps[0]),
                *(address_of(b), steps[1]),
                0.0,
                *(address_of(result), columns),
            )
        if status:
            return False
    return bool(np.array_equal(*results))

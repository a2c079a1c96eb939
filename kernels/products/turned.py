"""Products with a transposed matrix and long sums, by code that oneDNN makes for their sizes.

oneDNN's general function copies such a matrix against the grain: with sums of 2048 terms it takes
up to six times as long on two threads.
"""

from __future__ import annotations

import functools
import math
from typing import Final

from dataflow.kernels.onednn.library import MATMUL, Library, OneDnnError, Threads
from dataflow.kernels.onednn.primitive import (
    RESULT,
    SOURCE,
    WEIGHTS,
    Description,
    Layout,
    Primitive,
)
from dataflow.kernels.onednn.team import WAKING
from dataflow.kernels.threads.parallel import current, run_alone

_KEPT: Final = 256
"""Products whose code is kept."""


def multiply_turned(
    library: Library, sizes: tuple[int, int, int], addresses: tuple[int, int, int]
) -> bool:
    """Multiplies, on all idle threads together or on this one.

    The results are the same bits, with AVX-512 for 1 to 16 threads on several hundred shapes. With
    gaps between the lines they would not be.

    Args:
      library: The library.
      sizes: Rows of the result, terms of a sum, columns of the result.
      addresses: Of both and of the result. Rows of the first one and of the result and columns of
        the second one lie side by side.

    Returns:
      False if oneDNN has no fast code for it, or none that has the same bits on any number of
      threads; then nothing is done.
    """
    helpers = current.helpers
    if helpers is not None and not library.has_avx512:
        # There each number of threads has other bits.
        return False
    is_done = True

    def run() -> None:
        nonlocal is_done
        code = _code(library, sizes, library.threads())
        if code is None:
            is_done = False
        else:
            code.run_together(*addresses)

    is_brief = math.prod(sizes) < WAKING
    if helpers is None or not library.team.run(helpers, ("turned", *sizes), run, is_brief):
        with Threads(library, 1):
            if helpers is None:
                run()
            else:
                run_alone(run)
    return is_done


@functools.lru_cache(maxsize=_KEPT)
def _code(library: Library, sizes: tuple[int, int, int], threads: int) -> Primitive | None:
    """The code for so many threads, which OpenMP must be set to; None if there is none."""
    rows, inner, columns = sizes
    source = Layout(library, (rows, inner), (inner, 1))
    weights = Layout(library, (inner, columns), (1, inner))
    result = Layout(library, (rows, columns), (columns, 1))
    try:
        described = Description(library, MATMUL, source, weights, None, result)
        return Primitive(described, ((SOURCE, source), (WEIGHTS, weights), (RESULT, result)))
    except OneDnnError:
        return None

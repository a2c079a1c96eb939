"""Softmax of the rows of float32 matrices by oneDNN, some rows on each thread."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import FLOAT32, INFERENCE, SOFTMAX, Library, compiled
from dataflow.kernels.onednn.primitive import (
    RESULT,
    SOURCE,
    Description,
    Layout,
    Primitive,
    are_float32,
    plain,
)
from dataflow.kernels.threads.parallel import grain_of, items_of_call, split

_NARROW: Final = 16
"""Columns below which it is slow."""
_SECONDS: Final = 4e-10
"""What a number takes, about."""
_KEPT: Final = 256
"""Codes that are kept."""
_ACCURATE: Final = 0x30000


def softmax(rows: Any, otherwise: Callable[[Any], Any]) -> Any:
    """The softmax of each row; None if oneDNN cannot.

    Args:
      rows: A matrix, not empty.
      otherwise: Computes it for rows that have NaN or infinity in them.
    """
    count, columns = rows.shape
    if columns < _NARROW or not are_float32(rows):
        return None
    seconds = rows.size * _SECONDS
    step = items_of_call(count, seconds)
    main = _primitive(step, columns)
    rest = main if count % step == 0 else _primitive(count % step, columns)
    if main is None or rest is None:
        return None
    rows = plain(rows)
    result = aligned.empty(rows.shape, FLOAT32)

    def run(first: int, last: int) -> None:
        for start in range(first * step, min(count, last * step), step):
            part = slice(start, min(count, start + step))
            chosen = main if part.stop - start == step else rest
            target = result[part]
            chosen.run(address_of(rows[part]), address_of(target))
            # Of a row with NaN oneDNN makes NaN in some places only.
            flat = target.reshape(-1)
            if np.isnan(flat.dot(flat)):
                target[...] = otherwise(rows[part])

    calls = -(-count // step)
    split(calls, grain_of(calls, seconds), run)
    return result


@functools.lru_cache(maxsize=_KEPT)
def _primitive(rows: int, columns: int) -> Primitive | None:
    def make(library: Library) -> Primitive:
        layout = Layout(library, (rows, columns), (columns, 1))
        described = Description(library, SOFTMAX, INFERENCE, _ACCURATE, layout, layout, 1)
        return Primitive(described, ((SOURCE, layout), (RESULT, layout)))

    return compiled(make)

"""float32 rounded to bfloat16 by oneDNN, which has an instruction of the processor for it.

That makes 0 of numbers below 2**-126, as TensorFlow's threads do.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import ml_dtypes
import numpy as np

from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import Library, OneDnnError, Threads, find
from dataflow.kernels.onednn.primitive import BFLOAT16, Layout, Primitive, reorder

_KEPT: Final = 64
"""Codes that are kept."""


def narrow(wide: np.ndarray, bfloats: Any) -> None:
    """Rounds a contiguous float32 array to a bfloat16 array of its shape."""
    library = find()
    code = None
    if library is not None and bfloats.flags.carray and _is_exact(library):
        code = _rounding(library, wide.size)
    if code is None:
        np.copyto(bfloats, wide, casting="unsafe")
    else:
        code.run(address_of(wide), address_of(bfloats))


@functools.lru_cache(maxsize=_KEPT)
def _rounding(library: Library, size: int) -> Primitive | None:
    wide, bfloats = (Layout(library, (size,), (1,), *kind) for kind in ((), (BFLOAT16,)))
    try:
        with Threads(library, 1):
            return reorder(library, wide, bfloats)
    except OneDnnError:
        return None


@functools.cache
def _is_exact(library: Library) -> bool:
    """Whether it is quick, and rounds numbers of all kinds as ml_dtypes does."""
    if not library.has_avx512:
        return False
    highs = np.arange(1 << 16, dtype=np.uint32) << 16
    bits = np.concatenate([highs + low for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)])
    wide = bits.view(np.float32)
    found = np.empty(wide.shape, ml_dtypes.bfloat16)
    code = _rounding(library, wide.size)
    if code is None:
        return False
    code.run(address_of(wide), address_of(found))
    with np.errstate(invalid="ignore"):
        expected = wide.astype(ml_dtypes.bfloat16)
    same = found.view(np.uint16) == expected.view(np.uint16)
    same |= np.isnan(found) & np.isnan(expected)
    same |= (np.absolute(wide) < np.finfo(np.float32).tiny) & (found == 0)
    return bool(same.all())

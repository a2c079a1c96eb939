"""float32 to 16-bit floats and back by oneDNN, where the processor has instructions for it."""

from __future__ import annotations

import functools
from typing import Any, Final

import ml_dtypes
import numpy as np

from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import Library, OneDnnError, Threads, find
from dataflow.kernels.onednn.primitive import BFLOAT16, FLOAT16, Layout, Primitive, reorder

_KEPT: Final = 64
"""Codes that are kept."""
_WIDE: Final = np.dtype(np.float32)
_TYPES: Final[dict[np.dtype[Any], tuple[int, ...]]] = {
    _WIDE: (),
    np.dtype(np.float16): (FLOAT16,),
    np.dtype(ml_dtypes.bfloat16): (BFLOAT16,),
}


def convert(source: Any, result: Any) -> bool:
    """Fills an array with the numbers of one of another type, of which one is float32.

    Returns:
      False if that is not done here; nothing has changed then.
    """
    library = find()
    if library is None or not (
        source.flags.c_contiguous and source.flags.aligned and result.flags.carray
    ):
        return False
    if not _is_exact(library, source.dtype, result.dtype):
        return False
    code = _code(library, source.dtype, result.dtype, source.size)
    if code is None:
        return False
    code.run(address_of(source), address_of(result))
    return True


@functools.lru_cache(maxsize=_KEPT)
def _code(library: Library, source: Any, result: Any, size: int) -> Primitive | None:
    given, made = (Layout(library, (size,), (1,), *_TYPES[dtype]) for dtype in (source, result))
    try:
        with Threads(library, 1):
            return reorder(library, given, made)
    except OneDnnError:
        return None


@functools.cache
def _is_exact(library: Library, source: np.dtype[Any], result: np.dtype[Any]) -> bool:
    """Whether it is quick, and makes of numbers of all kinds what numpy and ml_dtypes do.

    Where a processor has no instruction, oneDNN goes number by number, and loses signs of zeros.
    It makes 0 of bfloat16's numbers below 2**-126, as TensorFlow's threads do.
    """
    if not library.has_avx512:
        return False
    highs = np.arange(1 << 16, dtype=np.uint32) << 16
    lows = (0, 1, 0xFFF, 0x1000, 0x1001, 0x1FFF, 0x3000, 0x7FFF, 0x8000, 0x8001, 0xF000, 0xFFFF)
    if source == _WIDE:
        numbers = np.concatenate([highs + low for low in lows]).view(np.float32)
    else:
        numbers = np.arange(1 << 16, dtype=np.uint16).view(source)
    found = np.empty(numbers.shape, result)
    code = _code(library, source, result, numbers.size)
    if code is None:
        return False
    code.run(address_of(numbers), address_of(found))
    with np.errstate(all="ignore"):
        expected = numbers.astype(result)
    bits = np.dtype(f"u{result.itemsize}")
    same = found.view(bits) == expected.view(bits)
    same |= np.isnan(found) & np.isnan(expected)
    if result == ml_dtypes.bfloat16:
        same |= (np.absolute(numbers) < np.finfo(np.float32).tiny) & (found == 0)
    return bool(same.all())

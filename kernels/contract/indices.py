"""Checks of indices that cost little where there are few of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

_UNSIGNED: Final[Mapping[Any, Any]] = {
    np.dtype(np.int32): np.uint32,
    np.dtype(np.int64): np.uint64,
}
_FEW: Final = 32
"""Indices that are looked at faster one by one."""


def are_below(indices: Any, limit: int) -> bool:
    """True if it is certain that all of these numbers are from 0 on and below a limit.

    Seen as unsigned, negative numbers are beyond any limit.
    """
    unsigned = _UNSIGNED.get(indices.dtype)
    if type(indices) is not np.ndarray or unsigned is None:
        return False
    if indices.size <= _FEW:
        numbers = indices.ravel().tolist()
        return not numbers or (min(numbers) >= 0 and max(numbers) < limit)
    return not np.count_nonzero(indices.view(unsigned) >= unsigned(limit))

"""Products of integer matrices by the BLAS, where floating-point numbers hold every sum exactly.

numpy multiplies integers one by one: 128 x 128 matrices take 50 times as long as floats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

LEAST: Final = 1 << 12
"""Multiplications from which looking at the numbers pays."""
_EXACT: Final = ((np.float32, 1 << 24), (np.float64, 1 << 53))
"""Types, and up to where they hold every integer."""


def product_by_floats(multiply: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """The product of integer matrices, or of batches of them, computed with floats.

    Args:
      multiply: The product of floats.
      a: Array of shape [..., n, k], not empty.
      b: Array of shape [..., k, m], of the same type, not empty.

    Returns:
      The product, which wraps around as that of integers does; None if a sum may be too large.

    Raises:
      ValueError: What `multiply` raises where they do not fit to each other.
    """
    bound = _greatest(a) * _greatest(b) * a.shape[-1]
    kind = next((kind for kind, most in _EXACT if bound <= most), None)
    if kind is None:
        return None
    found = multiply(a.astype(kind), b.astype(kind))
    if bound > np.iinfo(a.dtype).max:
        found = found.astype(np.int64)
    return found.astype(a.dtype)


def _greatest(x: Any) -> int:
    """The greatest absolute value."""
    return max(int(x.max()), -int(x.min()))

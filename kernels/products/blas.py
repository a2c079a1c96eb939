"""What is known of the BLAS that numpy computes products with."""

from __future__ import annotations

import functools
from typing import Final

import threadpoolctl

_QUICK: Final = frozenset({"SkylakeX", "Cooperlake", "SapphireRapids"})
"""What OpenBLAS calls the processors that it has code for small products for: those with AVX-512,
AMD's among them."""


@functools.cache
def is_quick_with_small() -> bool:
    """Whether it has code of its own for products of up to a million multiplications."""
    libraries = [one for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]
    return bool(libraries) and all(one.get("architecture") in _QUICK for one in libraries)

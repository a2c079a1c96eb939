"""What new code is tried on before it is used: whether its bits are right, and no NaN is lost."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.onednn.library import FLOAT32

_DIFFERENT: Final = 4099
"""A prime number, so that lines of an array do not begin alike."""


def numbers(*shape: int, backwards: bool = False) -> Any:
    """Different numbers again and again; backwards for what others are multiplied with."""
    drawn = _drawn()
    return np.resize(drawn[::-1] if backwards else drawn, shape)


@functools.cache
def _drawn() -> Any:
    return np.random.default_rng(0).standard_normal(_DIFFERENT, FLOAT32)


def tells_of_nans(run: Callable[[float], bool]) -> bool:
    """Whether NaNs that become 0 raise the flag of invalid operations, and nothing else does.

    Args:
      run: Runs code that rectifies its results on ones and this number; tells whether the flag is
        up then.
    """
    return [run(odd) for odd in (-1.0, np.nan, -1.0)] == [False, True, False]

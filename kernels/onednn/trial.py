"""What new code is tried on before it is used: whether its bits are right."""

from __future__ import annotations

import functools
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

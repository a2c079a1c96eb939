"""Functions of single strings, applied to all of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def each(function: Callable[[bytes], Any], value: Any, dtype: Any = object) -> Any:
    """What a function makes of each string of a tensor."""
    array = np.asarray(value, object)
    made = np.fromiter(map(function, array.ravel().tolist()), dtype, array.size)
    return made.reshape(array.shape)

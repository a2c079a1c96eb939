"""The shape that a random op is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError


def sizes_of(value: Any) -> tuple[int, ...]:
    """The sizes, which are 0 or more, of a vector."""
    array = np.asarray(value)
    if array.ndim > 1:
        raise InvalidArgumentError(
            None, None, f"shape must be a vector of {{int32,int64}}, got shape {list(array.shape)}"
        )
    sizes = tuple(int(n) for n in array.reshape(-1))
    for size in sizes:
        if size < 0:
            raise InvalidArgumentError(None, None, f"Dimension {size} must be >= 0")
    return sizes

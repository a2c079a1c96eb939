"""What an element is outside of a pipeline: arrays, as kernels take them."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_arrays(element: tuple[Any, ...]) -> tuple[Any, ...]:
    """An element with arrays in the place of the strings that files give as they are."""
    if bytes not in map(type, element):
        return element
    return tuple(np.array(value, object) if type(value) is bytes else value for value in element)

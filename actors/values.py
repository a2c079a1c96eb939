"""Values at the border of a step: feeds that no kernel can write to, fetches that the user owns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def guard_feed(value: Any) -> Any:
    """A fed value as kernels see it: a read-only view, or a numpy scalar for shape [].

    Strings keep their array, also for shape [].
    """
    if type(value) is not np.ndarray:
        return value
    if not value.ndim and value.dtype != object:
        return value[()]
    if value.flags.writeable:
        value = value.view()
        value.flags.writeable = False
    return value


def own_fetch(value: Any, retained: bool = False) -> Any:
    """A fetched value as the user gets it: an array to write to, or a scalar for shape [].

    Args:
      value: What the kernel returned.
      retained: Something else may hold on to the value, so that it must be copied.
    """
    if type(value) is not np.ndarray:
        return value
    if not value.ndim:
        return value[()]
    base = value.base
    if (
        retained
        or not value.flags.writeable
        or (base is not None and not (type(base) is np.ndarray and base.flags.writeable))
    ):
        return value.copy()
    return value


def own_fetches(values: Sequence[Any], retained: Sequence[bool]) -> list[Any]:
    """Fetched values as the user gets them, no two of them sharing memory."""
    owned = [own_fetch(v, r) for v, r in zip(values, retained, strict=True)]
    seen: set[int] = set()
    for i, value in enumerate(owned):
        if type(value) is np.ndarray:
            owner = id(value if value.base is None else value.base)
            if owner in seen:
                owned[i] = value.copy()
            seen.add(owner)
    return owned

"""Values at the border of a step: feeds that no kernel can write to, fetches that the user owns."""

from __future__ import annotations

from collections.abc import Sequence
from sys import getrefcount
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.carriers import carried
from dataflow.kernels.memory.packing import packed


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


def held_elsewhere(slots: Sequence[Any], slot: int) -> bool:
    """False if it is certain that nothing but one place of `slots` holds the memory of a value."""
    value_count = getrefcount(slots[slot])
    return value_count > _HELD_ONCE or getattr(slots[slot], "base", None) is not None


def _references(values: Sequence[Any]) -> int:
    return getrefcount(values[0])


_HELD_ONCE: Final = _references([np.empty(1)])
"""References to what only a sequence holds, seen as above."""


def own_fetch(value: Any, retained: bool = False) -> Any:
    """A fetched value as the user gets it: an array to write to, or a scalar for shape [].

    Of quantized elements the user gets the integers that carry them.

    Args:
      value: What the kernel returned.
      retained: Something else may hold on to the value, so that it must be copied.
    """
    if type(value) is not np.ndarray:
        return carried(value)[()] if type(value) is np.void else value
    if value.dtype.kind == "V":
        value = carried(value)
    if not value.ndim:
        return value[()]
    base = value.base
    if (
        retained
        or not value.flags.writeable
        or (base is not None and not (type(base) is np.ndarray and base.flags.writeable))
    ):
        return packed(value)
    return value


def own_fetches(values: Sequence[Any], retained: Sequence[bool]) -> list[Any]:
    """Fetched values as the user gets them, no two of them sharing memory."""
    owned = [own_fetch(v, r) for v, r in zip(values, retained, strict=True)]
    seen: set[int] = set()
    for i, value in enumerate(owned):
        if type(value) is np.ndarray:
            owner = id(value if value.base is None else value.base)
            if owner in seen:
                owned[i] = packed(value)
            seen.add(owner)
    return owned

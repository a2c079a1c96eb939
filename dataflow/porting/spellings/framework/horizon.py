"""tensorflow.python.compat.compat: since when graphs may hold what older readers do not know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

_horizon = date(2019, 8, 21)
"""TensorFlow 1.15's."""


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether a change that was made on a day may be used in graphs."""
    return (_horizon.year, _horizon.month, _horizon.day) > (year, month, day)


@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """A context in which another day is the last whose changes readers may not know yet."""
    global _horizon
    before, _horizon = _horizon, date(year, month, day)
    try:
        yield
    finally:
        _horizon = before

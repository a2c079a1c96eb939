"""Shapes of arrays as TensorFlow prints them in errors."""

from __future__ import annotations

from collections.abc import Iterable


def shape_text(shape: Iterable[int]) -> str:
    """`[2,3]`."""
    return f"[{','.join(map(str, shape))}]"

"""How much building knows of the shapes of inputs, in levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Knowledge = Callable[[int, Sequence[int]], Any]
"""`f(input, shape)`: what a placeholder for the input of this position and shape is told."""


def static(_input: int, shape: Sequence[int]) -> Any:
    """Everything."""
    return list(shape)


def partial(_input: int, shape: Sequence[int]) -> Any:
    """The rank."""
    return [None] * len(shape)


def unknown(_input: int, _shape: Sequence[int]) -> Any:
    """Nothing."""
    return None


def mixed(index: int, shape: Sequence[int]) -> Any:
    """Every other dimension: those that the next input does not know."""
    return [size if (index + axis) % 2 else None for axis, size in enumerate(shape)]


def mixed_otherwise(index: int, shape: Sequence[int]) -> Any:
    """The dimensions that `mixed` leaves out."""
    return mixed(index + 1, shape)


def even_inputs(index: int, shape: Sequence[int]) -> Any:
    """All of the first, third, ... input, nothing of the others."""
    return None if index % 2 else list(shape)


def odd_inputs(index: int, shape: Sequence[int]) -> Any:
    """What `even_inputs` leaves out."""
    return even_inputs(index + 1, shape)


STATIC, PARTIAL, UNKNOWN = static, partial, unknown
MIXED = (mixed, mixed_otherwise, even_inputs, odd_inputs)
LEVELS = (STATIC, PARTIAL, *MIXED, UNKNOWN)

"""Generators whose state is a variable: 128 bits of a place in the stream, and 64 of a key."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.resources import Variable
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.random.fills import BLOCKS_PER_OUTPUT
from dataflow.kernels.random.keys import CHOOSE, PHILOX
from dataflow.kernels.random.philox import Philox
from dataflow.values import dtypes

_THREEFRY: Final = 2
STATE_SIZE: Final = 3
"""Words of a state that count; a variable may hold more."""
_MASK: Final = 2**64 - 1


def check_algorithm(algorithm: Any, name: str) -> None:
    """Refuses an algorithm that is not Philox.

    Raises:
      InvalidArgumentError: It is no scalar, or there is no such algorithm.
      UnimplementedError: It is ThreeFry, which CPUs have not in TensorFlow either.
    """
    check_scalar(algorithm, name)
    number = int(algorithm)
    if number == _THREEFRY:
        text = "Non-XLA devices don't support the ThreeFry algorithm."
        raise UnimplementedError(None, None, text)
    if number not in (PHILOX, CHOOSE):
        raise invalid(f"Unsupported algorithm id: {number}")


def check_scalar(value: Any, name: str) -> None:
    """Refuses what is no scalar."""
    if np.ndim(value):
        raise invalid(f"{name} must be of shape [], not {shape_text(np.shape(value))}")


def take(cell: Variable, numbers: int, first: int = 0) -> tuple[np.ndarray, Philox]:
    """Takes so many numbers of a generator's stream: its state before, and where they begin.

    Args:
      cell: The variable.
      numbers: How many.
      first: Words of the variable before the state; if there is one, it names the algorithm.

    Raises:
      InvalidArgumentError: The variable holds no state.
      UnimplementedError: See `check_algorithm`.
    """
    before: list[Any] = []

    def change(state: Any, owned: bool) -> Any:
        _check(cell, state, first)
        # The variable may lie on any device.
        words: list[int] = state.tolist()
        before.append(words)
        low, high = (word & _MASK for word in words[first : first + 2])
        place = low + (high << 64) + numbers * BLOCKS_PER_OUTPUT
        moved = np.array([place & _MASK, place >> 64 & _MASK], np.uint64).view(np.int64)
        after = state.copy()
        after[first], after[first + 1] = moved.tolist()
        return after

    cell.update(change)
    (state,) = before
    low, high, key = (word & _MASK for word in state[first : first + STATE_SIZE])
    return np.array(state, np.int64), Philox(key, high, low)


def _check(cell: Variable, state: Any, first: int) -> None:
    if cell.dtype is not dtypes.int64:
        raise invalid(f"dtype of RNG state variable must be int64, not {type_name(cell.dtype)}")
    if np.ndim(state) != 1:
        raise invalid(
            f"RNG state must have one and only one dimension, not {np.ndim(state)}",
        )
    if first:
        if not len(state):
            raise invalid(f"Size of tensor must be at least {first}")
        check_algorithm(state[0], "algorithm")
    if len(state) < first + STATE_SIZE:
        raise invalid(
            f"For the Philox algorithm, the size of state must be at least {first + STATE_SIZE}; "
            f"got {len(state)}",
        )

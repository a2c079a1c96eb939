"""Draws of classes whose logits are given."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.random import philox
from dataflow.kernels.random.fills import BLOCKS_PER_OUTPUT
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.threads.stopping import look

_COMPARED: Final = 1 << 12
"""Comparisons up to which making them all is faster than a search for each row."""


def blocks_of_classes(rows: int, count: int) -> int:
    """Blocks of the stream that an invocation takes: two words make a double, and rows start at a
    whole block."""
    return rows * (-(-count // 4) * 4) * 2 * BLOCKS_PER_OUTPUT


def chosen_classes(logits: Any, places: np.ndarray, dtype: Any) -> np.ndarray:
    """The classes that numbers from 0 to 1 fall on.

    Args:
      logits: Shape [rows, classes].
      places: The numbers, shape [rows, draws].
      dtype: The type of the classes.
    """
    totals, are_finite = _running_weights(np.asarray(logits).astype(np.float64))
    targets = places * totals[:, -1:]
    if are_finite and places.shape[1] * totals.size <= _COMPARED:
        # How many totals a target has reached is its place among them.
        reached = totals[:, None, :] <= targets[:, :, None]
        counted: np.ndarray = np.add.reduce(reached, 2, dtype)
        return counted
    picks = np.empty(places.shape, dtype)
    for pick, total, target in zip(picks, totals, targets, strict=True):
        look()
        pick[:] = total.searchsorted(target, "right")
    return picks


def doubles(stream: Philox, count: int) -> np.ndarray:
    """Doubles in [0, 1), each of the next two words."""
    words = stream.words(2 * count)
    return philox.uniform_float64(words[0::2], words[1::2])


def _running_weights(logits: np.ndarray) -> tuple[np.ndarray, bool]:
    """Running sums of the classes' weights, and whether all are finite.

    Logits that are not finite weigh nothing.
    """
    # Minus infinity alone needs no care: its exponential is 0.
    largest = np.maximum.reduce(logits, axis=1, keepdims=True, initial=-np.inf)
    totals = np.add.accumulate(np.exp(logits - largest), 1)
    if _is_finite(totals[:, -1]):
        return totals, True
    logits = np.where(np.isfinite(logits), logits, -np.inf)
    largest = logits.max(axis=1, keepdims=True, initial=-np.inf)
    totals = np.cumsum(np.exp(logits - largest), axis=1)
    return totals, _is_finite(totals[:, -1])


def _is_finite(vector: np.ndarray) -> bool:
    return math.isfinite(vector.dot(vector))


def check_classes(logits: Any, num_samples: Any) -> None:
    """Refuses what is no matrix of logits with a number of draws."""
    if np.ndim(logits) != 2:
        raise InvalidArgumentError(
            None, None, f"logits should be a matrix, got shape {list(np.shape(logits))}"
        )
    if np.ndim(num_samples) != 0:
        raise InvalidArgumentError(
            None, None, f"num_samples should be a scalar, got shape {list(np.shape(num_samples))}"
        )
    if num_samples < 0:
        raise InvalidArgumentError(
            None, None, f"num_samples should be non-negative, got {num_samples}"
        )
    if logits.shape[1] <= 0:
        raise InvalidArgumentError(
            None, None, f"num_classes should be positive, got {logits.shape[1]}"
        )

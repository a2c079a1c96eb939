"""What a benchmark program is: a function that builds a graph and gives the step to time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Step = Callable[[], Any]
Build = Callable[[Any, Any], Step]
"""`build(library, session)` builds into the default graph and gives the step.

The library is `dataflow` or `tensorflow.compat.v1`.
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A program and the most that its time may be of TensorFlow's.

    A program without a limit is no target; it shows what work outside of the targets costs.
    """

    name: str
    build: Build
    limit: float | None = None


def floats(seed: int, *shape: int, scale: float = 1.0) -> np.ndarray:
    """Normally distributed float32 numbers, the same on every run."""
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def dense(tf: Any, x: Any, rows: int, columns: int, seed: int) -> Any:
    """x times a trained [rows, columns] matrix, plus a trained bias."""
    weights = tf.Variable(floats(seed, rows, columns, scale=rows**-0.5))
    return tf.matmul(x, weights) + tf.Variable(np.zeros(columns, np.float32))

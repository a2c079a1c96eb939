"""A series, and windows of it."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow as tf

TIMES = np.arange(30)
VALUES = np.sin(TIMES * 0.3) + TIMES * 0.05
SERIES = {"times": TIMES, "values": VALUES}


def windows(size: int, count: int) -> dict[str, Any]:
    """The first windows of a size, each a time later."""
    return {
        "times": tf.constant(np.stack([TIMES[i : i + size] for i in range(count)]), tf.int64),
        "values": tf.constant(
            np.stack([VALUES[i : i + size, None] for i in range(count)]), tf.float32
        ),
    }


def fill_variables(session: Any) -> None:
    """Gives all trained variables known values, by name."""
    for variable in sorted(tf.trainable_variables(), key=lambda each: str(each.name)):
        shape = variable.shape.as_list()
        count = int(np.prod(shape))
        variable.load((0.3 * np.sin(np.arange(count) + 1.0)).reshape(shape), session)

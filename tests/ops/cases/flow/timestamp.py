"""Rows for the time of day."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.program import Inputs, Program, Step, infers, run


def _time(tf: Any, v: Inputs) -> Iterator[Step]:
    """It is after 2020, and rises."""
    first = tf.timestamp()
    with tf.control_dependencies([first]):
        second = tf.timestamp(name="later")
    yield infers(first)
    yield run(first > 1.6e9, second >= first)


PROGRAMS = [Program("Timestamp", _time, ("float64",))]

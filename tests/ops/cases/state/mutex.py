"""Rows for locks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.program import Inputs, Program, Step, run

ONE = ("float32",)


def _in_turns(tf: Any, v: Inputs) -> Iterator[Step]:
    """Nothing comes between reading and adding."""
    total = v.variable(1, True)
    mutex = tf.raw_ops.MutexV2(shared_name="rows_of_mutexes", container="")

    def read_and_add() -> Any:
        lock = tf.raw_ops.MutexLock(mutex=mutex)
        with tf.control_dependencies([lock]):
            before = total.read_value() * 1
        with tf.control_dependencies([before]):
            added = total.assign_add(before, read_value=False)
        with tf.control_dependencies([added]):
            end = tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
        with tf.control_dependencies([end]):
            return tf.identity(before)

    found = tf.sort(tf.stack([read_and_add() for _ in range(4)]))
    yield run(total.initializer)
    yield run(found)
    yield run(found)
    yield run(total.read_value())


PROGRAMS = [Program("MutexV2 MutexLock ConsumeMutexLock", _in_turns, ONE)]

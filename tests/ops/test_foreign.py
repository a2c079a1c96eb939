"""What the host computes for a device whose arrays are not numpy's."""

from __future__ import annotations

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.plan.bind_node import _done_with
from tests.ops.foreign import ForeignArray, foreign_device


def test_numpy_does_not_take_the_arrays() -> None:
    array = ForeignArray(np.ones(3, np.float32))
    for mix in (np.asarray, lambda a: np.ones(3) + a, lambda a: a + np.ones(3)):
        with pytest.raises(TypeError, match=r"Implicit conversion|numpy\.ndarray"):
            mix(array)
    assert float((array * 2.0).sum()) == 6.0


def test_conditions_and_sizes_of_int32_stay_with_the_host() -> None:
    with tf.Graph().as_default():
        limit = tf.placeholder(tf.int32, [])
        x = tf.placeholder(tf.float32, [2])
        count, total = tf.while_loop(
            lambda i, v: tf.logical_and(i < limit, i >= 0), lambda i, v: (i + 1, v + x), [0, x]
        )
        compared = tf.less(limit, 8)
        with foreign_device() as moved, tf.Session() as session:
            assert session.run(compared, {limit: 7})
            assert moved == []
            found = session.run([count, total], {limit: 5, x: [1.0, 2.0]})
    assert found[0] == 5
    np.testing.assert_array_equal(found[1], [6.0, 12.0])
    assert not [each for each in moved if each.dtype == np.int32]


def test_a_copy_that_fails_behind_a_blocking_kernel_fails_the_step() -> None:
    def plain(result: object) -> object:
        raise MemoryError("The device is full.")

    told: list[object] = []
    run = _done_with(lambda step, done: done("made"), plain)
    run(None, lambda result=None, *, error=None: told.append((result, type(error))))
    assert told == [(None, MemoryError)]

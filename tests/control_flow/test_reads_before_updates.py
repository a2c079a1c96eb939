"""A branch or a loop reads a variable before an update made after it, which waits for nothing.

The values are those that TensorFlow 1.15 gave in almost all steps; it promises none of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.conftest import SessionFactory


def _steps(session: Any, fetches: Any, count: int = 5) -> list[Any]:
    session.run(tf.global_variables_initializer())
    return [session.run(fetches)[0] for _ in range(count)]


def test_a_branch_before_an_addition(session_factory: SessionFactory) -> None:
    step = tf.Variable(1.0)
    chosen = tf.cond(step < 4.0, lambda: step * 2.0, lambda: step * 100.0)
    added = tf.assign_add(step, 1.0)
    assert _steps(session_factory(), [chosen, added.op]) == [2.0, 4.0, 6.0, 400.0, 500.0]


def test_a_rate_that_warms_up(session_factory: SessionFactory) -> None:
    step = tf.Variable(0, trainable=False)
    weight = tf.Variable(1.0)
    rate = tf.cond(step < 2, lambda: tf.to_float(step + 1) / 4.0, lambda: 1.0 / tf.to_float(step))
    train = tf.train.GradientDescentOptimizer(rate).minimize(weight * 2.0, global_step=step)
    assert _steps(session_factory(), [rate, train], 5) == [0.25, 0.5, 0.5, np.float32(1 / 3), 0.25]


def test_nested_branches(session_factory: SessionFactory) -> None:
    step = tf.Variable(1.0)

    def inner() -> Any:
        return tf.cond(step < 3.0, lambda: tf.identity(step) + 0.5, lambda: step - 0.5)

    chosen = tf.cond(step < 5.0, inner, lambda: step * 0.0)
    added = tf.assign_add(step, 1.0)
    assert _steps(session_factory(), [chosen, added.op]) == [1.5, 2.5, 2.5, 3.5, 0.0]


def test_an_update_that_the_branch_waits_for(session_factory: SessionFactory) -> None:
    step = tf.Variable(1.0)
    added = tf.assign_add(step, 1.0)
    with tf.control_dependencies([added]):
        chosen = tf.cond(step < 100.0, lambda: step * 2.0, lambda: step)
    assert _steps(session_factory(), [chosen, added.op], 3) == [4.0, 6.0, 8.0]


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_loop_before_an_addition(session_factory: SessionFactory, use_resource: bool) -> None:
    step = tf.get_variable("step", initializer=1.0, use_resource=use_resource)
    _, total = tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, s + step), [0, 0.0])
    added = tf.assign_add(step, 1.0)
    assert _steps(session_factory(), [total, added.op]) == [3.0, 6.0, 9.0, 12.0, 15.0]


def test_a_loop_in_a_loop_before_an_addition(session_factory: SessionFactory) -> None:
    step = tf.Variable(1.0)
    rows = tf.map_fn(lambda row: tf.map_fn(lambda x: x * step, row), tf.ones([2, 2]))
    added = tf.assign_add(step, 1.0)
    assert _steps(session_factory(), [tf.reduce_sum(rows), added.op], 3) == [4.0, 8.0, 12.0]


def test_a_loop_after_an_addition_it_waits_for(session_factory: SessionFactory) -> None:
    step = tf.Variable(1.0)
    added = tf.assign_add(step, 1.0)
    with tf.control_dependencies([added]):
        _, total = tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, s + step), [0, 0.0])
    assert _steps(session_factory(), [total, added.op], 3) == [6.0, 9.0, 12.0]

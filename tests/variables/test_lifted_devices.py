"""Which device scopes reach a variable that is made inside a colocation scope: TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest

from tests.differentiation.both import assert_same_graph

CPU0, CPU1 = "/device:CPU:0", "/device:CPU:1"


def hidden(tf: Any, x: Any) -> Any:
    with tf.device(CPU1), tf.colocate_with(x):
        return tf.Variable(2.0)


def hidden_from_get_variable(tf: Any, x: Any) -> Any:
    with tf.device(CPU1), tf.colocate_with(x), tf.name_scope("a", values=[x]):
        return tf.get_variable("v", [2])


def hidden_twice(tf: Any, x: Any) -> Any:
    with tf.device(CPU1), tf.colocate_with(x), tf.device(CPU0), tf.colocate_with(x):
        return tf.Variable(2.0)


def hidden_inside(tf: Any, x: Any) -> Any:
    with tf.colocate_with(x), tf.device(CPU1), tf.colocate_with(x):
        return tf.Variable(2.0)


def lifted_twice(tf: Any, x: Any) -> Any:
    with tf.device(CPU1), tf.colocate_with(x), tf.init_scope(), tf.colocate_with(x):
        return tf.Variable(2.0)


def lifted_from_nowhere(tf: Any, x: Any) -> Any:
    with tf.init_scope(), tf.device(CPU1), tf.colocate_with(x):
        return tf.Variable(2.0)


def lifted_from_a_device(tf: Any, x: Any) -> Any:
    with tf.device(CPU0), tf.init_scope(), tf.device(CPU1), tf.colocate_with(x):
        return tf.Variable(2.0)


def lifted_from_behind(tf: Any, x: Any) -> Any:
    with (
        tf.device(CPU0),
        tf.colocate_with(x),
        tf.init_scope(),
        tf.device(CPU1),
        tf.colocate_with(x),
    ):
        return tf.Variable(2.0)


def slots(tf: Any, x: Any) -> Any:
    w = tf.Variable([1.0], name="w")
    with tf.device(CPU1):
        return tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(w * w))


def averages(tf: Any, x: Any) -> Any:
    with tf.device(CPU1):
        w = tf.Variable([1.0], name="w")
    v = tf.Variable([1.0], name="v")
    with tf.device(CPU0):
        return tf.train.ExponentialMovingAverage(0.9).apply([w, v])


PROGRAMS = [
    hidden,
    hidden_from_get_variable,
    hidden_twice,
    hidden_inside,
    lifted_twice,
    lifted_from_nowhere,
    lifted_from_a_device,
    lifted_from_behind,
    slots,
    averages,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_same_devices(program: Any) -> None:
    assert_same_graph(lambda tf: program(tf, tf.constant(1.0)), values=False)

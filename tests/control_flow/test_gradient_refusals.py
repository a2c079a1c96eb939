"""What gradients of control flow refuse, and how they say it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_flow.programs import place, times
from tests.gradients.both import assert_same_refusal


def second_order_through_loop_for_invariant(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    first = tf.gradients(times(tf, 3, lambda i, v: v * w, x), w)
    return tf.gradients(first, w)


def inside_of_body_for_initial_value(tf: Any) -> Any:
    x = place(tf, 2)
    return times(tf, 3, lambda i, v: v + tf.gradients(v * v, x)[0], x)


def inside_of_body_before_initial_value(tf: Any) -> Any:
    x = place(tf, 2)
    start = tf.exp(x) * 2.0
    return times(tf, 3, lambda i, v: v + tf.gradients(v * v, x)[0], start)


def wrong_shape_of_gradient(tf: Any) -> Any:
    x = place(tf, 2)

    @tf.custom_gradient
    def wrong(a: Any) -> Any:
        return a * 2.0, lambda grad: tf.ones([3])

    return tf.gradients(times(tf, 3, lambda i, v: wrong(v), x), x)


PROGRAMS = [
    second_order_through_loop_for_invariant,
    inside_of_body_for_initial_value,
    inside_of_body_before_initial_value,
    wrong_shape_of_gradient,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_refusals_are_those_of_tensorflow(program: Any) -> None:
    assert_same_refusal(program)

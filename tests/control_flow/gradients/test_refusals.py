"""What gradients of control flow refuse, and how they say it."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow
from tests.control_flow.programs.programs import inside_of_loop, place, times
from tests.differentiation.both import assert_same_refusal


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


def outside_loop_differentiated_inside_of_loop(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    z = times(tf, 2, lambda i, v: v * w, x)
    return times(tf, 3, lambda i, v: v + tf.gradients(z, x)[0], x)


def inside_of_inner_body_for_outer_value(tf: Any) -> Any:
    x = place(tf, 2)

    def body(i: Any, v: Any) -> Any:
        return times(tf, 2, lambda j, u: u + tf.gradients(tf.sin(u), v)[0], v)

    return times(tf, 2, body, x)


def second_order_inside_of_body(tf: Any) -> Any:
    def body(i: Any, v: Any) -> Any:
        y = times(tf, 2, lambda j, u: u * v, v)
        return v + tf.gradients(tf.gradients(y, v), v)[0]

    return times(tf, 2, body, place(tf, 2))


def y_inside_of_loop(tf: Any) -> Any:
    x, inside, _ = inside_of_loop(tf, None)
    return tf.gradients(inside, x)


def given_gradient_inside_of_loop(tf: Any) -> Any:
    x, inside, y = inside_of_loop(tf, 2)
    return tf.gradients(y, x, grad_ys=[inside])


PROGRAMS = [
    second_order_through_loop_for_invariant,
    inside_of_body_for_initial_value,
    inside_of_body_before_initial_value,
    wrong_shape_of_gradient,
    outside_loop_differentiated_inside_of_loop,
    inside_of_inner_body_for_outer_value,
    second_order_inside_of_body,
    y_inside_of_loop,
    given_gradient_inside_of_loop,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_refusals_are_those_of_tensorflow(program: Any) -> None:
    assert_same_refusal(program)


def test_loop_that_came_in_a_graph_def_is_named() -> None:
    # TensorFlow fails here with an AttributeError of its own making.
    tf = dataflow
    graph = tf.Graph()
    with graph.as_default():
        name = times(tf, 3, lambda i, v: v * v, place(tf, 2)).name
    with tf.Graph().as_default():
        x, y = tf.import_graph_def(graph.as_graph_def(), return_elements=["x:0", name])
        with pytest.raises(ValueError, match="MetaGraphDef: 'import/while/Exit_1' comes from"):
            tf.gradients(y, x)

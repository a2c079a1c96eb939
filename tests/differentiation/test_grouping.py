"""group, tuple and with_dependencies make TensorFlow's nodes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.differentiation.both import assert_same_graph, assert_same_refusal


def group_on_one_device(tf: Any) -> Any:
    x = tf.constant(1.0)
    return [tf.group(x, tf.no_op(), name="both"), tf.group([x, {"a": x}]), tf.group()]


def group_over_devices(tf: Any) -> Any:
    with tf.device("/cpu:0"):
        a = tf.constant(1.0)
    with tf.device("/job:worker/task:1"):
        b = tf.constant(2.0)
    tf.group(b, a, tf.constant(3.0), name="all")
    return []


def tuple_of_tensors(tf: Any) -> Any:
    x, y = tf.constant(1.0), tf.constant(2.0)
    late = tf.tuple([x, None, y], control_inputs=[tf.no_op(name="before")])
    return [late, tf.tuple([y], name="named")]


def tuple_of_operations(tf: Any) -> Any:
    x = tf.constant(1.0)
    tensor, op = tf.tuple([x, tf.no_op()])
    assert type(op).__name__ == "Operation"
    return [tensor]


def tuple_of_values(tf: Any) -> Any:
    return tf.tuple([3.0, tf.constant(2)])


def tuple_of_slices(tf: Any) -> Any:
    values, shape = tf.constant([[1.0]]), tf.constant([4, 1])
    return tf.tuple([tf.IndexedSlices(values, tf.constant([2]), shape), tf.constant(2.0)])


PROGRAMS = [
    group_on_one_device,
    group_over_devices,
    tuple_of_tensors,
    tuple_of_operations,
    tuple_of_values,
    tuple_of_slices,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_same_nodes_and_values(program: Any) -> None:
    assert_same_graph(program)


REFUSED = {
    "keyword": lambda tf: tf.group(tf.constant(1.0), names="x"),
    "no tensor": lambda tf: tf.group(tf.constant(1.0), 3),
    "nothing": lambda tf: tf.tuple([None]),
    "control input": lambda tf: tf.tuple([tf.constant(1.0)], control_inputs=["x"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_same_refusal(case: str) -> None:
    assert_same_refusal(REFUSED[case])

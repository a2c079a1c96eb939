"""Loops around reference variables, whose memory all iterations share: what one writes, the next
reads. What an iteration reads comes before or after what it writes, as TensorFlow promises no order
otherwise, and iterations follow each other."""

from __future__ import annotations

from typing import Any

from tests.control_flow.both import programs_of


def _counted(tf: Any, v: Any, body: Any) -> Any:
    """Four iterations of `s = body(s)`, and then the variable."""
    _, total = tf.while_loop(
        lambda i, s: i < 4, lambda i, s: (i + 1, body(s)), [0, 0.0], parallel_iterations=1
    )
    with tf.control_dependencies([total]):
        return tf.stack([total, v.read_value()])


def read_then_assigned(tf: Any) -> Any:
    v = tf.Variable(1.0, use_resource=False)

    def body(s: Any) -> Any:
        read = s + v
        with tf.control_dependencies([read]):
            written = tf.assign(v, v * 2.0)
        with tf.control_dependencies([written]):
            return tf.identity(read)

    return _counted(tf, v, body)


def written_then_read(tf: Any) -> Any:
    v = tf.Variable([1.0, 2.0], use_resource=False)

    def body(s: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, [1.0, 2.0])]):
            return s + tf.reduce_sum(tf.identity(v)) + tf.reduce_sum(v.read_value())

    _, total = tf.while_loop(
        lambda i, s: i < 4, lambda i, s: (i + 1, body(s)), [0, 0.0], parallel_iterations=1
    )
    return total


def in_the_condition(tf: Any) -> Any:
    v = tf.Variable(1.0, use_resource=False)

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, 1.0)]):
            return i + 1

    return tf.while_loop(lambda i: v * 1.0 < 5.0, body, [0], parallel_iterations=1)


def in_a_nested_loop(tf: Any) -> Any:
    v = tf.Variable(1.0, use_resource=False)

    def body(s: Any) -> Any:
        def inner(j: Any, t: Any) -> Any:
            read = t + v
            with tf.control_dependencies([read]):
                written = tf.assign_add(v, 1.0)
            with tf.control_dependencies([written]):
                return j + 1, tf.identity(read)

        return tf.while_loop(lambda j, t: j < 2, inner, [0, s], parallel_iterations=1)[1]

    return _counted(tf, v, body)


def in_a_branch(tf: Any) -> Any:
    v = tf.Variable(1.0, use_resource=False)

    def body(s: Any) -> Any:
        read = tf.cond(s < 2.0, lambda: s + v, lambda: s - v)
        with tf.control_dependencies([read]):
            written = tf.assign_add(v, 1.0)
        with tf.control_dependencies([written]):
            return tf.identity(read)

    return _counted(tf, v, body)


def only_read(tf: Any) -> Any:
    v = tf.Variable(3.0, use_resource=False)
    return _counted(tf, v, lambda s: s * 2.0 + v)


REFERENCE_PROGRAMS = programs_of(globals())

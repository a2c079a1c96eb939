"""Programs whose ys and xs lie in unusual places, or are of unusual types."""

from __future__ import annotations

from typing import Any

from tests.control_flow.programs.programs import flag, inside_of_loop, place, program, times


@program
def y_inside_of_loop(tf: Any) -> Any:
    x, inside, y = inside_of_loop(tf, 2)
    assert len(tf.gradients(inside, x)) == 1
    return y


@program
def x_inside_of_loop(tf: Any) -> Any:
    x, inside, y = inside_of_loop(tf, None)
    return tf.gradients(y, [inside, x])[1]


@program
def y_inside_of_branch(tf: Any) -> Any:
    x = place(tf, None)
    inside = []

    def branch() -> Any:
        inside.append(tf.exp(x))
        return inside[0] * 2.0

    y = tf.cond(flag(tf, x), branch, lambda: x)
    assert len(tf.gradients(inside, x)) == len(tf.gradients(y, inside)) == 1
    return y


@program
def outside_value_differentiated_inside_of_loop(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    z = x * w
    return times(tf, 3, lambda i, v: v + tf.gradients(z, x)[0], x)


@program
def outside_loop_differentiated_inside_of_branch(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    z = times(tf, 2, lambda i, v: v * w, x)
    return tf.cond(flag(tf, x), lambda: tf.gradients(z, x)[0], lambda: x)


@program
def outside_cond_differentiated_inside_of_loop(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    z = tf.cond(flag(tf, x), lambda: x * w, lambda: x)
    return times(tf, 3, lambda i, v: v + tf.gradients(z, x)[0], x)


@program
def complex_numbers(tf: Any) -> Any:
    x, w = (place(tf, 2, dtype="complex64", name=name) for name in ("x", "w"))
    y = times(tf, 3, lambda i, v: v * w, x)
    return tf.gradients(tf.real(y), [x, w])


@program
def halves(tf: Any) -> Any:
    x, w = place(tf, 2, dtype="float16"), place(tf, None, dtype="float16", name="w")
    shapes = (tf.TensorShape([]), tf.TensorShape([None]))
    return tf.gradients(times(tf, 3, lambda i, v: v * w, x, shape_invariants=shapes), [x, w])


@program
def imported_cond(tf: Any) -> Any:
    graph = tf.Graph()
    with graph.as_default():
        x = place(tf, 2)
        name = tf.cond(flag(tf, x), lambda: x * x, lambda: tf.exp(x)).name
    ends = tf.import_graph_def(graph.as_graph_def(), return_elements=["x:0", name], name="")
    return tf.gradients(ends[1], ends[0])


@program
def loop_starts_from_variable(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0], name="w")
    return tf.gradients(times(tf, 3, lambda i, v: v * w, w), w)


@program
def trained_through_loop(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0], name="w")
    y = times(tf, 3, lambda i, v: v * w, place(tf, 2))
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_sum(y), gate_gradients=2, colocate_gradients_with_ops=True)
    with tf.control_dependencies([train]):
        return w + 0.0


@program
def lookup_trained_through_loop(tf: Any) -> Any:
    w = tf.get_variable("w", [5, 2], initializer=tf.ones_initializer())
    y = times(tf, 3, lambda i, v: v * tf.nn.embedding_lookup(w, i), place(tf, 2))
    with tf.control_dependencies([tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(y))]):
        return w + 0.0

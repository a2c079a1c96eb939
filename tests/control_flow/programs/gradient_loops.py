"""Programs that take gradients through loops."""

from __future__ import annotations

from typing import Any

from tests.control_flow.programs.programs import place, program, times


@program
def loop(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.gradients(times(tf, 3, lambda i, v: v * v, x), x)


@program
def loop_of_unknown_shape(tf: Any) -> Any:
    x = place(tf, ...)
    return tf.gradients(times(tf, 3, lambda i, v: tf.sin(v) * 2.0, x), x)


@program
def loop_that_never_runs(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, None, name="w")
    return tf.gradients(times(tf, 0, lambda i, v: v * tf.reduce_sum(w), x), [x, w])


@program
def loop_without_counter(tf: Any) -> Any:
    x = place(tf, 2)
    y = tf.while_loop(lambda v: tf.reduce_sum(tf.abs(v)) < 20.0, lambda v: v * 1.5, [x])
    return tf.gradients(y, x)


@program
def loop_with_invariant(tf: Any) -> Any:
    x, w = place(tf, 2, 3), place(tf, 3, 3, name="w")
    return tf.gradients(times(tf, 3, lambda i, v: tf.tanh(tf.matmul(v, w)), x), [x, w])


@program
def loop_with_invariant_of_unknown_shape(tf: Any) -> Any:
    x, w = place(tf, None, None), place(tf, None, None, name="w")
    return tf.gradients(times(tf, 3, lambda i, v: tf.tanh(tf.matmul(v, w)), x), [x, w])


@program
def loop_with_computed_invariant(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    scale = tf.exp(w)
    return tf.gradients(times(tf, 3, lambda i, v: v * scale + w, x), [x, w, scale])


@program
def loop_uses_counter(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.gradients(times(tf, 4, lambda i, v: v * tf.cast(i + 1, tf.float32), x), x)


@program
def loop_of_several_variables(tf: Any) -> Any:
    x, z = place(tf, 2), place(tf, 2, name="z")
    _, a, b = tf.while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * b, tf.sin(a) + b), (0, x, z)
    )
    return tf.gradients([a, b], [x, z]), tf.gradients(a, x), tf.gradients(b, [x, z])


@program
def loop_variable_without_reader(tf: Any) -> Any:
    x, z = place(tf, 2), place(tf, None, name="z")
    _, a, _ = tf.while_loop(
        lambda i, a, b: i < 3,
        lambda i, a, b: (i + 1, a * tf.reduce_sum(b), b * 1.1),
        (0, x, z),
    )
    return tf.gradients(a, [x, z])


@program
def loop_variable_not_from_itself(tf: Any) -> Any:
    x, z = place(tf, 2), place(tf, 2, name="z")
    _, a, b = tf.while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b * 2.0, tf.sin(b)), (0, x, z)
    )
    return tf.gradients(a + b, [x, z])


@program
def loop_variable_replaced(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    return tf.gradients(times(tf, 3, lambda i, v: w * w, x), [x, w])


@program
def loop_variable_replaced_of_unknown_shape(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, None, name="w")
    shapes = (tf.TensorShape([]), tf.TensorShape([None]))
    return tf.gradients(times(tf, 3, lambda i, v: w * w, x, shape_invariants=shapes), [x, w])


@program
def loop_variable_passed_on(tf: Any) -> Any:
    x, z = place(tf, 2), place(tf, 2, name="z")
    _, a, b = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * b, b), (0, x, z))
    return tf.gradients(a + b, [x, z])


@program
def loop_of_changing_shape(tf: Any) -> Any:
    x = place(tf, 1, 2)
    shapes = (tf.TensorShape([]), tf.TensorShape([None, 2]))
    y = times(tf, 3, lambda i, v: tf.concat([v, v * v], 0), x, shape_invariants=shapes)
    return tf.gradients(y, x)


@program
def loop_of_changing_shape_reduced(tf: Any) -> Any:
    x, w = place(tf, 1, 2), place(tf, 2, name="w")
    shapes = (tf.TensorShape([]), tf.TensorShape([None, 2]))

    def body(i: Any, v: Any) -> Any:
        return tf.concat([v * w, tf.reduce_mean(v, 0, keepdims=True)], 0)

    return tf.gradients(times(tf, 3, body, x, shape_invariants=shapes), [x, w])


@program
def loop_not_prepared_for_gradients(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.gradients(times(tf, 3, lambda i, v: v * v, x, back_prop=False), x)


@program
def loop_one_iteration_at_a_time(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    y = times(tf, 3, lambda i, v: v * w, x, parallel_iterations=1, swap_memory=True)
    return tf.gradients(y, [x, w])


@program
def loop_of_limited_length(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    y = times(tf, 10, lambda i, v: v * w, x, maximum_iterations=4, name="limited")
    return tf.gradients(y, [x, w])


@program
def loop_after_loop(tf: Any) -> Any:
    x = place(tf, 2)
    y = times(tf, 2, lambda i, v: v * v, x)
    z = times(tf, 3, lambda i, v: v * y, y * 0.5)
    return tf.gradients(z, [x, y])


@program
def loops_side_by_side(tf: Any) -> Any:
    x = place(tf, 2)
    y = times(tf, 2, lambda i, v: v * v, x)
    z = times(tf, 3, lambda i, v: tf.sin(v) * x, x)
    return tf.gradients(y * z, x)


@program
def loop_differentiated_again_and_again(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    y = times(tf, 3, lambda i, v: v * w, x)
    return tf.gradients(y, x), tf.gradients(y, w), tf.gradients(y * y, [x, w])


@program
def loop_with_variable(tf: Any) -> Any:
    x = place(tf, 2)
    w = tf.Variable([1.0, 2.0], name="w")
    return tf.gradients(times(tf, 3, lambda i, v: v * w, x), [x, w])


@program
def loop_with_resource_variable(tf: Any) -> Any:
    x = place(tf, 2)
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
    return tf.gradients(times(tf, 3, lambda i, v: v * w, x), [x, w])


@program
def loop_with_variable_made_inside(tf: Any) -> Any:
    x = place(tf, 2)

    def body(i: Any, v: Any) -> Any:
        with tf.variable_scope("body", reuse=tf.AUTO_REUSE):
            return v * tf.get_variable("w", initializer=lambda: tf.constant([1.5, 2.0]))

    y = times(tf, 3, body, x)
    return tf.gradients(y, [x, *tf.trainable_variables()])


@program
def loop_with_lookup(tf: Any) -> Any:
    x = place(tf, 2)
    table = tf.Variable(tf.ones([5, 2]), name="table")
    y = times(tf, 3, lambda i, v: v * tf.gather(table, [i, i + 1])[0], x)
    return tf.gradients(y, [x, table])


@program
def loop_with_embedding(tf: Any) -> Any:
    x = place(tf, 2)
    table = tf.get_variable("table", initializer=tf.ones([5, 2]))
    ids = tf.constant([[0, 1], [3, 3], [4, 0]])

    def body(i: Any, v: Any) -> Any:
        return v + tf.reduce_sum(tf.nn.embedding_lookup(table, ids[i]) * v, 0)

    return tf.gradients(times(tf, 3, body, x), [x, table])


@program
def loop_with_lookup_of_unknown_number(tf: Any) -> Any:
    x, table = place(tf, 2), place(tf, 6, 2, name="table")

    def body(i: Any, v: Any) -> Any:
        return v + tf.reduce_sum(tf.gather(table, tf.range(i + 1)) * v, 0)

    return tf.gradients(times(tf, 3, body, x), [x, table])


@program
def loop_reduces(tf: Any) -> Any:
    x, w = place(tf, None, 3), place(tf, 3, name="w")

    def body(i: Any, v: Any) -> Any:
        return v - tf.reduce_mean(v * w, axis=1, keepdims=True) + tf.reduce_sum(v)

    return tf.gradients(times(tf, 3, body, x), [x, w])


@program
def loop_slices_and_joins(tf: Any) -> Any:
    x, w = place(tf, 4, None), place(tf, 4, None, name="w")

    def body(i: Any, v: Any) -> Any:
        a, b = tf.split(v, 2, 0)
        return tf.concat([b * w[:2], a[:, :] + w[2:]], 0)

    return tf.gradients(times(tf, 3, body, x), [x, w])


@program
def loop_with_convolution(tf: Any) -> Any:
    x, w = place(tf, 1, 4, 4, 2), place(tf, 3, 3, 2, 2, name="w")
    y = times(tf, 2, lambda i, v: tf.nn.relu(tf.nn.conv2d(v, w, [1, 1, 1, 1], "SAME")), x)
    return tf.gradients(y, [x, w])


@program
def loop_with_stopped_gradient(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    return tf.gradients(times(tf, 3, lambda i, v: tf.stop_gradient(v) * w + v, x), [x, w])


@program
def loop_with_stopped_invariant(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    scale = tf.exp(w)
    y = times(tf, 3, lambda i, v: v * scale, x)
    return tf.gradients(y * scale, [x, w], stop_gradients=[scale])


@program
def loop_colocated_and_gated(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    with tf.device("/cpu:0"):
        y = times(tf, 3, lambda i, v: v * w / (v + 1.0), x)
    return tf.gradients(y, [x, w], colocate_gradients_with_ops=True, gate_gradients=True)


@program
def loop_with_given_gradient(tf: Any) -> Any:
    x = place(tf, 2)
    y = times(tf, 3, lambda i, v: v * v, x)
    return tf.gradients(y, x, grad_ys=[place(tf, 2, name="g")])


@program
def loop_of_doubles(tf: Any) -> Any:
    x, w = place(tf, 2, dtype="float64"), place(tf, 2, dtype="float64", name="w")
    return tf.gradients(times(tf, 3, lambda i, v: v * w, x), [x, w])


@program
def loop_unconnected(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    y = times(tf, 3, lambda i, v: v * v, x)
    return tf.gradients(y, [x, w], unconnected_gradients="zero")


@program
def gradient_of_counter(tf: Any) -> Any:
    x = place(tf, 2)
    i, _ = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), (0, x))
    return tf.gradients(tf.cast(i, tf.float32), x)


@program
def several_ys_from_loop(tf: Any) -> Any:
    x = place(tf, 2)
    i, y = tf.while_loop(lambda i, v: i < 3.0, lambda i, v: (i + 1.0, v * i), (0.5, x))
    return tf.gradients([i, y, y * i], x)


@program
def loop_with_control_dependencies(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    with tf.control_dependencies([tf.identity(w, name="first")]):
        y = times(tf, 3, lambda i, v: v * tf.ones([2]) * w, x)
        with tf.name_scope("outer"), tf.device("/cpu:0"):
            return tf.gradients(y, [x, w])


@program
def loop_body_with_control_dependencies(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        with tf.control_dependencies([tf.exp(v), tf.identity(w)]):
            return v * tf.identity(w) + tf.constant([0.1, 0.2])

    return tf.gradients(times(tf, 3, body, x), [x, w])


@program
def loop_with_custom_gradient(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    @tf.custom_gradient
    def twice(a: Any, b: Any) -> Any:
        return a * b, lambda grad: (grad * b * 2.0, grad * a)

    return tf.gradients(times(tf, 3, lambda i, v: twice(v, w), x), [x, w])


@program
def loop_with_scalar_variable_and_sum(tf: Any) -> Any:
    x = place(tf, None, 3)
    w = tf.get_variable("w", initializer=tf.ones([3, 3]))
    b = tf.get_variable("b", initializer=tf.zeros([3]))

    def body(i: Any, h: Any, total: Any) -> Any:
        h = tf.nn.relu(tf.nn.bias_add(tf.matmul(h, w), b))
        return i + 1, h, total + tf.reduce_mean(tf.square(h))

    _, _, loss = tf.while_loop(lambda i, h, t: i < 3, body, (0, x, 0.0))
    return tf.gradients(loss, [x, w, b])


@program
def loop_with_lookup_that_never_runs(tf: Any) -> Any:
    # The slices start with a row of zeros and the shape 0, which fails where they become dense.
    x, table = place(tf, 2), place(tf, 5, 2, name="table")
    n = tf.cast(x[0] > 0.0, tf.int32)
    (grad,) = tf.gradients(times(tf, n, lambda i, v: v * tf.gather(table, i), x), table)
    return grad, tf.convert_to_tensor(grad)

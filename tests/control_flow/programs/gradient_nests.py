"""Programs that take gradients of nests of loops and conditionals, inside of them, and twice."""

from __future__ import annotations

from typing import Any

from tests.control_flow.programs.programs import flag, place, program, times


@program
def loop_with_embedding_in_resource_variable(tf: Any) -> Any:
    x = place(tf, 2)
    table = tf.get_variable("table", initializer=tf.ones([5, 2]), use_resource=True)
    ids = tf.constant([[0, 1], [3, 3], [4, 0]])

    def body(i: Any, v: Any) -> Any:
        return v + tf.reduce_sum(tf.nn.embedding_lookup(table, ids[i]) * v, 0)

    return tf.gradients(times(tf, 3, body, x), [x, table])


@program
def loop_summed_in_pairs(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    y = times(tf, 3, lambda i, v: v * w + tf.sin(w) * v + tf.exp(w), x)
    return tf.gradients(y, [x, w], aggregation_method=1)


@program
def gradients_inside_of_body(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        return v - 0.1 * tf.gradients(tf.reduce_sum(v * v * w), v)[0]

    return times(tf, 3, body, x)


@program
def gradients_inside_of_body_of_invariant(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    return times(tf, 3, lambda i, v: v + tf.gradients(tf.sin(w) * v, w)[0], x)


@program
def gradients_of_gradients_inside_of_body(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        return v - 0.1 * tf.gradients(tf.reduce_sum(v * v * w), v)[0]

    return tf.gradients(times(tf, 3, body, x), [x, w])


@program
def loop_in_loop(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    inner = lambda i, v: times(tf, 2, lambda j, u: u * w, v)  # noqa: E731
    return tf.gradients(times(tf, 3, inner, x), [x, w])


@program
def loop_in_loop_of_unknown_shape(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, None, name="w")
    inner = lambda i, v: times(tf, 2, lambda j, u: tf.sin(u) * w, v)  # noqa: E731
    return tf.gradients(times(tf, 3, inner, x), [x, w])


@program
def loop_in_loop_of_different_lengths(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        return times(tf, i, lambda j, u: u * w + tf.cast(i + j, tf.float32), v)

    return tf.gradients(times(tf, 4, body, x), [x, w])


@program
def loop_in_loop_uses_outer_values(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        scale = tf.sin(v) * 0.5 + w
        return times(tf, 2, lambda j, u: u * scale, v) + scale

    return tf.gradients(times(tf, 3, body, x), [x, w])


@program
def loop_in_loop_uses_outer_values_of_unknown_shape(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, None, name="w")

    def body(i: Any, v: Any) -> Any:
        scale = tf.sin(v) * 0.5 + w
        return times(tf, 2, lambda j, u: u * scale, v) + scale

    return tf.gradients(times(tf, 3, body, x), [x, w])


@program
def loop_in_loop_with_unread_variable(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        _, a, _ = tf.while_loop(
            lambda j, a, b: j < 2,
            lambda j, a, b: (j + 1, a * tf.reduce_sum(b), b * w),
            (0, v, w),
        )
        return a

    return tf.gradients(times(tf, 3, body, x), [x, w])


@program
def loop_in_loop_in_loop(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        return times(tf, 2, lambda j, u: times(tf, j + 1, lambda k, t: t * w, u) * v, v)

    return tf.gradients(times(tf, 2, body, x), [x, w])


@program
def loop_in_loop_with_lookup(tf: Any) -> Any:
    x = place(tf, 2)
    table = tf.Variable(tf.ones([5, 2]), name="table")

    def body(i: Any, v: Any) -> Any:
        return times(tf, 2, lambda j, u: u * tf.gather(table, i + j), v)

    return tf.gradients(times(tf, 3, body, x), [x, table])


@program
def cond_in_loop(tf: Any) -> Any:
    x = place(tf, 2)

    def body(i: Any, v: Any) -> Any:
        return tf.cond(tf.equal(i % 2, 0), lambda: v * v, lambda: tf.sin(v))

    return tf.gradients(times(tf, 4, body, x), x)


@program
def cond_in_loop_of_unknown_shape(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, None, name="w")

    def body(i: Any, v: Any) -> Any:
        return tf.cond(tf.equal(i % 2, 0), lambda: v * w, lambda: tf.sin(v))

    return tf.gradients(times(tf, 4, body, x), [x, w])


@program
def cond_in_loop_with_invariant(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        return tf.cond(flag(tf, v), lambda: v * w * 0.5, lambda: tf.exp(w) + v)

    return tf.gradients(times(tf, 4, body, x), [x, w])


@program
def cond_in_loop_on_invariant(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    pred = flag(tf, w)
    y = times(tf, 3, lambda i, v: tf.cond(pred, lambda: v * w, lambda: v + w), x)
    return tf.gradients(y, [x, w])


@program
def cond_in_loop_uses_outer_values(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, None, name="w")

    def body(i: Any, v: Any) -> Any:
        scale = tf.sin(v)
        return tf.cond(i < 2, lambda: scale * w * v, lambda: scale)

    return tf.gradients(times(tf, 4, body, x), [x, w])


@program
def cond_in_cond_in_loop(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        inner = lambda: tf.cond(i < 1, lambda: v * w, lambda: tf.exp(v) * 0.1)  # noqa: E731
        return tf.cond(i < 2, inner, lambda: tf.sin(v) * w)

    return tf.gradients(times(tf, 4, body, x), [x, w])


@program
def cond_with_lookup_in_loop(tf: Any) -> Any:
    x = place(tf, 2)
    table = tf.Variable(tf.ones([5, 2]), name="table")

    def body(i: Any, v: Any) -> Any:
        return tf.cond(i < 2, lambda: v * tf.gather(table, i), lambda: v)

    return tf.gradients(times(tf, 4, body, x), [x, table])


@program
def cond_with_resource_variable_in_loop(tf: Any) -> Any:
    x = place(tf, 2)
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
    y = times(tf, 3, lambda i, v: tf.cond(i < 1, lambda: v * w, lambda: v), x)
    return tf.gradients(y, [x, w])


@program
def loop_in_cond(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    y = tf.cond(flag(tf, x), lambda: times(tf, 3, lambda i, v: v * w, x), lambda: tf.exp(x))
    return tf.gradients(y, [x, w])


@program
def loop_in_cond_of_unknown_shape(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, None, name="w")
    y = tf.cond(
        flag(tf, x),
        lambda: times(tf, 3, lambda i, v: tf.sin(v) * w, x),
        lambda: times(tf, 2, lambda i, v: v * v, w),
    )
    return tf.gradients(y, [x, w])


@program
def loop_in_cond_in_loop(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        return tf.cond(i < 2, lambda: times(tf, i + 1, lambda j, u: u * w, v), lambda: tf.sin(v))

    return tf.gradients(times(tf, 3, body, x), [x, w])


@program
def cond_in_loop_in_cond(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        return tf.cond(i < 1, lambda: v * w, lambda: tf.sin(v))

    y = tf.cond(flag(tf, x), lambda: times(tf, 3, body, x), lambda: x * w)
    return tf.gradients(y, [x, w])


@program
def cond_in_loop_in_loop(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        inner = lambda j, u: tf.cond(j < i, lambda: u * w, lambda: tf.sin(u) * v)  # noqa: E731
        return times(tf, 3, inner, v)

    return tf.gradients(times(tf, 3, body, x), [x, w])


@program
def gradients_of_loop_inside_of_body(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        y = times(tf, i + 1, lambda j, u: u * w, v)
        return v - 0.1 * tf.gradients(y, v)[0]

    return times(tf, 3, body, x)


@program
def gradients_of_loop_inside_of_branch(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, 2, name="w")

    def branch() -> Any:
        return tf.gradients(times(tf, 3, lambda j, u: u * w, x), [x, w])

    return tf.cond(flag(tf, x), branch, lambda: [x, w])


@program
def gradients_of_cond_inside_of_body(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        y = tf.cond(i < 2, lambda: v * w, lambda: tf.sin(v))
        return v - 0.1 * tf.gradients(y, v)[0]

    shapes = (tf.TensorShape([]), tf.TensorShape([None]))
    return times(tf, 3, body, x, shape_invariants=shapes)


@program
def cond_twice_differentiated_inside_of_body(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, v: Any) -> Any:
        y = tf.cond(i < 2, lambda: v * v * w, lambda: tf.sin(v))
        return v - 0.1 * tf.gradients(tf.gradients(y, v), v)[0]

    return times(tf, 3, body, x)


@program
def gradient_for_value_inside_of_loop(tf: Any) -> Any:
    x = place(tf, 2)
    inside = []

    def body(i: Any, v: Any) -> Any:
        inside.append(tf.sin(v))
        return inside[0] * v

    y = times(tf, 3, body, x)
    assert len(tf.gradients(y, inside)) == 1
    return y


@program
def loop_of_nested_structure(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")

    def body(i: Any, state: Any) -> Any:
        return i + 1, {"a": state["a"] * w, "b": (state["b"][0] + state["a"],)}

    start = {"a": x, "b": (x * 0.5,)}
    _, end = tf.while_loop(lambda i, _: i < 3, body, (0, start))
    return tf.gradients(end["b"][0], [x, w])


@program
def second_order_through_loop(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.gradients(tf.gradients(times(tf, 3, lambda i, v: v * v, x), x), x)


@program
def second_order_mixed(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    first = tf.gradients(times(tf, 3, lambda i, v: v * w, x), w)
    return tf.gradients(first, x)


@program
def second_order_through_loop_in_cond(tf: Any) -> Any:
    x = place(tf, 2)
    loop = lambda: times(tf, 3, lambda i, v: v * v, x)  # noqa: E731
    y = tf.cond(tf.reduce_sum(x) > 1.0, loop, lambda: x)
    return tf.gradients(tf.gradients(y, x), x)


@program
def second_order_through_cond_in_loop(tf: Any) -> Any:
    x = place(tf, 2)

    def body(i: Any, v: Any) -> Any:
        return tf.cond(i < 1, lambda: v * v, lambda: tf.sin(v))

    return tf.gradients(tf.gradients(times(tf, 3, body, x), x), x)


@program
def second_order_through_loop_in_loop(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    y = times(tf, 3, lambda i, v: times(tf, 2, lambda j, u: u * w, v), x)
    return tf.gradients(tf.gradients(y, x), x)

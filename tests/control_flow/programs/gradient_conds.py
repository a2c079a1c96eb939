"""Programs that take gradients through conditionals."""

from __future__ import annotations

from typing import Any

from tests.control_flow.programs.programs import flag, place, program

# Conditionals


@program
def cond(tf: Any) -> Any:
    x = place(tf, 3)
    y = tf.cond(flag(tf, x), lambda: x * x, lambda: tf.exp(x))
    return tf.gradients(y, x)


@program
def cond_of_unknown_shape(tf: Any) -> Any:
    x = place(tf, ...)
    y = tf.cond(flag(tf, x), lambda: x * 3.0, lambda: tf.sin(x))
    return tf.gradients(y, x)


@program
def cond_branches_use_different_values(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    y = tf.cond(flag(tf, x), lambda: x * 2.0, lambda: w * w)
    return tf.gradients(y, [x, w])


@program
def cond_branches_use_different_values_of_unknown_shape(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, None, name="w")
    y = tf.cond(flag(tf, x), lambda: x * 2.0, lambda: w * w)
    return tf.gradients(y, [x, w])


@program
def cond_passes_on(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    return tf.gradients(tf.cond(flag(tf, x), lambda: x, lambda: w), [x, w])


@program
def cond_of_constant_branch(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.gradients(tf.cond(flag(tf, x), lambda: x * x, lambda: tf.zeros([2])), x)


@program
def cond_of_two_outputs(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    a, _ = tf.cond(flag(tf, x), lambda: [x * w, x], lambda: [x - w, tf.exp(w)])
    return tf.gradients(a, [x, w])


@program
def cond_of_integers_and_floats(tf: Any) -> Any:
    x = place(tf, 2)
    n = place(tf, dtype="int32", name="n")
    k, y = tf.cond(flag(tf, x), lambda: (n + 1, x * 2.0), lambda: (n, x))
    return tf.gradients(y * tf.cast(k, tf.float32), x)


@program
def cond_in_cond(tf: Any) -> Any:
    x = place(tf, 2)
    y = tf.cond(
        flag(tf, x),
        lambda: tf.cond(x[0] > 1.0, lambda: x * x, lambda: tf.exp(x)),
        lambda: tf.cond(x[1] > 1.0, lambda: tf.sin(x), lambda: x),
    )
    return tf.gradients(y, x)


@program
def cond_after_cond(tf: Any) -> Any:
    x = place(tf, 2)
    y = tf.cond(flag(tf, x), lambda: x * x, lambda: x + 1.0)
    z = tf.cond(y[0] > 1.0, lambda: tf.sin(y), lambda: y * x)
    return tf.gradients(z, [x, y])


@program
def cond_twice_differentiated(tf: Any) -> Any:
    x = place(tf, 2)
    y = tf.cond(flag(tf, x), lambda: x * x * x, lambda: tf.exp(x))
    (first,) = tf.gradients(y, x)
    return first, tf.gradients(first, x)


@program
def cond_in_cond_twice_differentiated(tf: Any) -> Any:
    x = place(tf, 2)
    y = tf.cond(
        flag(tf, x),
        lambda: tf.cond(x[0] > 1.0, lambda: x * x * x, lambda: tf.exp(x)),
        lambda: tf.sin(x),
    )
    return tf.gradients(tf.gradients(y, x), x)


@program
def cond_thrice_differentiated(tf: Any) -> Any:
    x = place(tf, 2)
    y = tf.cond(flag(tf, x), lambda: x * x * x, lambda: tf.exp(x))
    return tf.gradients(tf.gradients(tf.gradients(y, x), x), x)


@program
def cond_with_variable(tf: Any) -> Any:
    x = place(tf, 2)
    w = tf.Variable([1.0, 2.0], name="w")
    return tf.gradients(tf.cond(flag(tf, x), lambda: x * w, lambda: x), [x, w])


@program
def cond_with_resource_variable(tf: Any) -> Any:
    x = place(tf, 2)
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
    return tf.gradients(tf.cond(flag(tf, x), lambda: x * w, lambda: x), [x, w])


@program
def cond_with_resource_variable_in_both(tf: Any) -> Any:
    x = place(tf, 2)
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
    return tf.gradients(tf.cond(flag(tf, x), lambda: x * w, lambda: x + w), [x, w])


@program
def cond_with_lookup(tf: Any) -> Any:
    x = place(tf, 2)
    table = tf.Variable(tf.ones([5, 2]), name="table")
    y = tf.cond(flag(tf, x), lambda: tf.gather(table, [1, 3, 1]), lambda: tf.gather(table, [0]))
    return tf.gradients(y * x, [x, table])


@program
def cond_with_lookup_in_one_branch(tf: Any) -> Any:
    x = place(tf, 2)
    table = tf.Variable(tf.ones([5, 2]), name="table")
    y = tf.cond(flag(tf, x), lambda: tf.gather(table, [1, 3]), lambda: table * x)
    return tf.gradients(y, [x, table])


@program
def cond_colocated_and_gated(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    with tf.device("/cpu:0"):
        y = tf.cond(flag(tf, x), lambda: x * w, lambda: x / w)
    return tf.gradients(y, [x, w], colocate_gradients_with_ops=True, gate_gradients=True)


@program
def gradients_inside_of_branch(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.cond(
        flag(tf, x), lambda: tf.gradients(x * x, x)[0], lambda: tf.gradients(tf.exp(x), x)[0]
    )


@program
def gradients_of_cond_inside_of_branch(tf: Any) -> Any:
    x = place(tf, 2)

    def branch() -> Any:
        y = tf.cond(x[0] > 1.0, lambda: x * x, lambda: tf.exp(x))
        return tf.gradients(y, x)[0]

    return tf.cond(flag(tf, x), branch, lambda: x)


@program
def case(tf: Any) -> Any:
    x = place(tf, 2)
    pairs = [(x[0] > 1.2, lambda: x * x), (x[1] > 1.0, lambda: tf.exp(x))]
    return tf.gradients(tf.case(pairs, default=lambda: tf.sin(x)), x)


@program
def switch_and_merge_without_context(tf: Any) -> Any:
    x = place(tf, 2)
    no, yes = tf.raw_ops.Switch(data=x, pred=flag(tf, x))
    y, _ = tf.raw_ops.Merge(inputs=[no * no, tf.exp(yes)])
    return tf.gradients(y, x)


# Loops


# Nests


@program
def cond_twice_differentiated_of_unknown_shape(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, None, name="w")
    y = tf.cond(flag(tf, x), lambda: x * x * w, lambda: tf.exp(x))
    (first,) = tf.gradients(y, x)
    return tf.gradients(first, [x, w])


@program
def hessians_through_cond(tf: Any) -> Any:
    x = place(tf, 3)
    y = tf.cond(flag(tf, x), lambda: tf.reduce_sum(x * x * x), lambda: tf.reduce_prod(x))
    return tf.hessians(y, x)


@program
def cond_with_custom_gradient(tf: Any) -> Any:
    x = place(tf, 2)

    @tf.custom_gradient
    def twice(a: Any) -> Any:
        return a * a, lambda grad: grad * a * 4.0

    return tf.gradients(tf.cond(flag(tf, x), lambda: twice(x), lambda: x), x)


@program
def split_with_unread_part(tf: Any) -> Any:
    x = place(tf, 4)
    first, second = tf.split(x, 2)
    return tf.gradients(tf.exp(first), [x, first, second])


@program
def split_with_unread_part_only(tf: Any) -> Any:
    first, second = tf.split(place(tf, 4), 2)
    return tf.gradients(tf.exp(first), [first, second])

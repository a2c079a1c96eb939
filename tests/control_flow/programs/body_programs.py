"""Programs with loops whose bodies hold state, scopes, devices, arrays and imported graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.control_flow.both import programs_of


def scalar(tf: Any, name: str = "x", dtype: str = "float32") -> Any:
    return tf.placeholder(dtype, [], name=name)


def vector(tf: Any, name: str = "v") -> Any:
    return tf.placeholder("float32", [2], name=name)


def assignment_in_the_body(tf: Any) -> Any:
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(w, 2.0)]):
            return i + 1

    with tf.control_dependencies([tf.while_loop(lambda i: i < 3, body, [0])]):
        return tf.identity(w.read_value())


def reference_variable_read(tf: Any) -> Any:
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * w), [0, w])


def resource_variable_read(tf: Any) -> Any:
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer(), use_resource=True)
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * w), [0, w])


def resource_variable_assigned(tf: Any) -> Any:
    w = tf.get_variable("w", [], initializer=tf.ones_initializer(), use_resource=True)

    def body(i: Any) -> Any:
        with tf.control_dependencies([w.assign_add(2.0)]):
            return i + 1

    with tf.control_dependencies([tf.while_loop(lambda i: i < 3, body, [0])]):
        return w.read_value()


def variable_made_in_the_body(tf: Any) -> Any:
    x = scalar(tf)

    def body(i: Any, a: Any) -> Any:
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(2.0))
        return i + 1, a * w

    return tf.while_loop(lambda i, a: i < 3, body, [0, x])


def layers_in_the_body(tf: Any) -> Any:
    x = tf.placeholder("float32", [2, 3])
    w = tf.get_variable("w", [3, 3], initializer=tf.ones_initializer())
    b = tf.get_variable("b", [3], initializer=tf.zeros_initializer())

    def body(i: Any, h: Any) -> Any:
        return i + 1, tf.tanh(tf.nn.bias_add(tf.matmul(h, w), b)) + tf.reduce_mean(x, 0)

    return tf.while_loop(lambda i, h: i < 3, body, [0, x])


def devices(tf: Any) -> Any:
    x = scalar(tf)
    with tf.device("/cpu:0"):
        y = x * 2.0

    def body(i: Any, a: Any) -> Any:
        with tf.device("/device:CPU:1"):
            return i + 1, a + y

    return tf.while_loop(lambda i, a: i < 3, body, [0, x])


def scopes_inside(tf: Any) -> Any:
    x = scalar(tf)

    def body(i: Any, a: Any) -> Any:
        with tf.name_scope("inner"):
            return i + 1, tf.add_n([a, x, a * x])

    with tf.name_scope("outer"):
        return tf.while_loop(lambda i, a: i < 3, body, [0, x])


def shapes_inside(tf: Any) -> Any:
    x = tf.placeholder("float32", [None, 3])

    def body(i: Any, a: Any) -> Any:
        rows = tf.shape(x)[0]
        return i + 1, a + tf.cast(rows, tf.float32) * tf.ones([3]) + tf.zeros(tf.shape(a))

    return tf.while_loop(lambda i, a: i < 3, body, [0, tf.zeros([3])])


def slices_inside(tf: Any) -> Any:
    x = tf.placeholder("float32", [5, 3])
    return tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a + x[i, 1:] + x[i + 1][:2]), [0, tf.zeros([2])]
    )


def random_inside(tf: Any) -> Any:
    tf.set_random_seed(3)

    def body(i: Any, a: Any) -> Any:
        return i + 1, a + tf.zeros_like(tf.random_uniform([2]))

    return tf.while_loop(lambda i, a: i < 3, body, [0, vector(tf)])


def assertion_inside(tf: Any) -> Any:
    x = scalar(tf)

    def body(i: Any, a: Any) -> Any:
        with tf.control_dependencies([tf.Assert(a < 100.0, [a])]):
            return i + 1, a + x

    return tf.while_loop(lambda i, a: i < 3, body, [0, x])


def switch_by_case_inside(tf: Any) -> Any:
    x = scalar(tf)

    def body(i: Any, a: Any) -> Any:
        pairs = [(tf.equal(i, 0), lambda: a + 1.0), (tf.equal(i, 1), lambda: a * x)]
        return i + 1, tf.case(pairs, default=lambda: a, exclusive=True)

    return tf.while_loop(lambda i, a: i < 4, body, [0, x])


def imported_inside(tf: Any) -> Any:
    with tf.Graph().as_default() as other:
        tf.multiply(tf.placeholder("float32", [], name="in"), tf.constant(2.0), name="out")
    x = scalar(tf)

    def body(i: Any, a: Any) -> Any:
        (out,) = tf.import_graph_def(
            other.as_graph_def(), input_map={"in": a}, return_elements=["out:0"], name="imp"
        )
        return i + 1, out

    return tf.while_loop(lambda i, a: i < 3, body, [0, x])


def loop_imported_into_a_loop(tf: Any) -> Any:
    with tf.Graph().as_default() as other:
        start = tf.placeholder("float32", [], name="in")
        tf.while_loop(lambda j, b: j < 3, lambda j, b: (j + 1, b * 2.0), [0, start])
    x = scalar(tf)

    def body(i: Any, a: Any) -> Any:
        (out,) = tf.import_graph_def(
            other.as_graph_def(),
            input_map={"in": a},
            return_elements=["while/Exit_1:0"],
            name="imp",
        )
        return i + 1, tf.reshape(out, [])

    return tf.while_loop(lambda i, a: i < 3, body, [0, x])


def loop_imported_into_a_branch(tf: Any) -> Any:
    with tf.Graph().as_default() as other:
        start = tf.placeholder("float32", [], name="in")
        tf.while_loop(lambda j, b: j < 3, lambda j, b: (j + 1, b * 2.0), [0, start])
    x = scalar(tf)

    def true_fn() -> Any:
        (out,) = tf.import_graph_def(
            other.as_graph_def(),
            input_map={"in": x},
            return_elements=["while/Exit_1:0"],
            name="imp",
        )
        return out

    return tf.cond(x > 0.0, true_fn, lambda: x)


def loops_one_after_the_other(tf: Any) -> Any:
    x = scalar(tf)
    first = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * first[1]), first)


def arrays_as_variables(tf: Any) -> Any:
    import numpy as np

    start = (np.int32(0), np.ones([2], np.float32))
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + a), start)


def partial_body(tf: Any) -> Any:
    x = scalar(tf)

    class Adder:
        def __call__(self, i: Any, a: Any) -> Any:
            return i + 1, a + x

    return tf.while_loop(lambda *variables: variables[0] < 3, Adder(), (0, x))


def dictionary_of_variables_in_a_list(tf: Any) -> Any:
    x = scalar(tf)
    (result,) = tf.while_loop(
        lambda d: d["i"] < 3,
        lambda d: [{"i": d["i"] + 1, "a": d["a"] * x}],
        [{"i": 0, "a": x}],
    )
    return [result["i"], result["a"]]


def array_variable(tf: Any) -> Any:
    x = scalar(tf)
    start = tf.TensorArray("float32", 4, clear_after_read=False)

    def body(i: Any, array: Any) -> Any:
        return i + 1, array.write(i, x * tf.cast(i, tf.float32))

    _, filled = tf.while_loop(lambda i, array: i < 4, body, [0, start])
    assert isinstance(filled, tf.TensorArray)
    return [filled.stack(), filled.read(2), filled.size()]


def array_read_in_the_body(tf: Any) -> Any:
    x = tf.placeholder("float32", [3, 2])
    rows = tf.TensorArray("float32", 3).unstack(x)

    def body(i: Any, total: Any) -> Any:
        return i + 1, total + rows.read(i)

    return tf.while_loop(lambda i, total: i < 3, body, [0, tf.zeros([2])])


def array_grows(tf: Any) -> Any:
    x = scalar(tf)
    start = tf.TensorArray("float32", 0, dynamic_size=True)

    def body(state: Any) -> Any:
        i, array = state["i"], state["array"]
        return [{"i": i + 1, "array": array.write(i, x)}]

    (state,) = tf.while_loop(lambda s: s["i"] < 4, body, [{"i": 0, "array": start}])
    return [state["i"], state["array"].stack()]


def array_in_branches_in_a_loop(tf: Any) -> Any:
    x = scalar(tf)
    start = tf.TensorArray("float32", 4)

    def body(i: Any, array: Any) -> Any:
        array = tf.cond(i < 2, lambda: array.write(i, x), lambda: array.write(i, tf.constant(7.0)))
        return i + 1, array

    _, filled = tf.while_loop(lambda i, array: i < 4, body, [0, start])
    return filled.stack()


def exit_decides(tf: Any) -> Any:
    x = scalar(tf)

    def inner() -> Any:
        go = [0, tf.constant(True)]
        return tf.while_loop(lambda i, p: tf.logical_and(p, i < 3), lambda i, p: (i + 1, x > 0), go)

    def body(j: Any, y: Any) -> Any:
        i, positive = inner()
        return j + 1, tf.cond(positive, lambda: y + tf.cast(i, tf.float32), lambda: y * 2.0)

    i, positive = inner()
    outer = tf.while_loop(lambda j, y: j < 3, body, [0, x])
    return [tf.cond(positive, lambda: i + 1, lambda: i), *outer]


def assigned_variable_is_the_next_value(tf: Any) -> Any:
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer(), use_resource=False)
    x = vector(tf)

    def add(i: Any, y: Any) -> Any:
        return i + 1, w.assign_add(y)

    def body(j: Any, y: Any) -> Any:
        return j + 1, tf.while_loop(lambda i, y: i < 2, add, [0, y])[1] + 0.5

    return tf.while_loop(lambda j, y: j < 3, body, [0, x], parallel_iterations=1)


def numpy_type_of_what_is_mapped(tf: Any) -> Any:
    x = vector(tf)
    return tf.map_fn(lambda row: tf.cast(row, tf.float64) * 2.0, x, dtype=np.float64)


BODY_PROGRAMS = programs_of(globals(), "scalar", "vector")

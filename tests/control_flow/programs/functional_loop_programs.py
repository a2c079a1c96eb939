"""Programs with loops, for functional control flow: floats of placeholders and variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Program = Callable[[Any], Any]


def _x(tf: Any, shape: Any = (3,)) -> Any:
    return tf.placeholder(tf.float32, shape, name="x")


def _times(
    tf: Any, number: int, step: Callable[[Any, Any], Any], start: Any, **options: Any
) -> Any:
    """Repeats a step that takes the iteration and the value."""
    return tf.while_loop(
        lambda i, s: i < number, lambda i, s: (i + 1, step(i, s)), [0, start], **options
    )[1]


def captures(tf: Any) -> Any:
    x = _x(tf)
    w = tf.Variable([1.0, 2, 3], name="w")
    return _times(tf, 5, lambda i, s: tf.sin(s) * w * x, x)


def unknown_shape(tf: Any) -> Any:
    x = _x(tf, None)
    return _times(
        tf, 3, lambda i, s: tf.nn.softmax(s * 2.0) + tf.reduce_mean(s), x, maximum_iterations=2
    )


def growing(tf: Any) -> Any:
    x = _x(tf, [2])
    return tf.while_loop(
        lambda v: tf.shape(v)[0] < 8,
        lambda v: tf.concat([v, v * 0.5], 0),
        [x],
        shape_invariants=[tf.TensorShape([None])],
    )


def single_variable(tf: Any) -> Any:
    x = _x(tf, [])
    with tf.device("/cpu:0"), tf.control_dependencies([x + 1.0]):
        return tf.while_loop(lambda v: v < 10.0, lambda v: v * 2.0, [x], parallel_iterations=3)


def same_structure(tf: Any) -> Any:
    x = _x(tf, [])
    result = tf.while_loop(
        lambda v: v["a"][0] < 10.0,
        lambda v: [{"a": (v["a"][0] * 2.0,)}],
        [{"a": (x,)}],
        return_same_structure=True,
    )
    return result[0]["a"][0]


def no_back_prop(tf: Any) -> Any:
    x = _x(tf, [2])
    return tf.while_loop(lambda v: tf.reduce_sum(v) < 10.0, lambda v: v * 2.0, [x], back_prop=False)


def fed_limit(tf: Any) -> Any:
    x = _x(tf)
    n = tf.placeholder(tf.int32, [], name="n")
    return tf.while_loop(
        lambda i, s: i < 9,
        lambda i, s: (i + 1, s * tf.cast(i, tf.float32) + x),
        [tf.constant(0), x],
        maximum_iterations=n,
    )[1]


def matrix(tf: Any) -> Any:
    x = _x(tf, [2, 2])
    v = tf.get_variable("v", [2, 2], use_resource=True, initializer=tf.ones_initializer())
    return _times(tf, 3, lambda i, s: tf.tanh(tf.matmul(s, v) * 0.1 + x), x)


def loop_in_loop(tf: Any) -> Any:
    x = _x(tf, [])

    def inner(i: Any, s: Any) -> Any:
        return tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, tf.sin(t) * x), [0, s])[1]

    return _times(tf, 3, lambda i, s: inner(i, s) + s, x)


def cond_in_loop(tf: Any) -> Any:
    x = _x(tf, [])
    return _times(tf, 3, lambda i, s: tf.cond(s > 1.0, lambda: tf.sin(s) * s, lambda: s * x), x)


def stopped_cond_in_loop(tf: Any) -> Any:
    x = _x(tf, [])
    return _times(
        tf,
        3,
        lambda i, s: tf.cond(s > 1.0, lambda: tf.stop_gradient(s) * s, lambda: s * x),
        x,
    )


def cases_in_loop(tf: Any) -> Any:
    x = _x(tf)
    return _times(
        tf,
        3,
        lambda i, s: tf.switch_case(i, [lambda: s * x, lambda: tf.sin(s), lambda: tf.exp(-s)]),
        x,
    )


def loop_in_case(tf: Any) -> Any:
    x = _x(tf)
    return tf.case(
        [(x[0] > 1.0, lambda: _times(tf, 3, lambda i, s: tf.sin(s) * x, x))], default=lambda: x
    )


def loop_in_cond_in_loop(tf: Any) -> Any:
    x = _x(tf)
    c = tf.constant(2.0)

    def step(i: Any, s: Any) -> Any:
        return tf.cond(s[0] > 1.0, lambda: s * c, lambda: _times(tf, 2, lambda j, t: t + x, s))

    return _times(tf, 4, step, x, maximum_iterations=3)


def reference_variable(tf: Any) -> Any:
    w = tf.get_variable("w", [3], initializer=tf.ones_initializer())
    return _times(tf, 3, lambda i, s: s * w, _x(tf))


def rows_of_variable(tf: Any) -> Any:
    v = tf.get_variable("v", [5, 3], use_resource=True, initializer=tf.ones_initializer())
    return _times(tf, 3, lambda i, s: s * tf.reduce_sum(tf.gather(v, [i, 0]), 0), _x(tf))


def rows_of_loop_variable(tf: Any) -> Any:
    x = _x(tf, [5, 3])
    return tf.while_loop(
        lambda i, s, y: i < 3,
        lambda i, s, y: (i + 1, s * tf.gather(y, i), tf.gather(y, [1, 0, 2, 3, 4])),
        [0, x[0], x],
    )[1]


def makes_variable(tf: Any) -> Any:
    x = _x(tf, [2, 3])

    def step(i: Any, s: Any) -> Any:
        k = tf.get_variable("k", [3, 3], initializer=tf.ones_initializer())
        return tf.nn.relu(tf.matmul(s, k))

    with tf.variable_scope("rnn"):
        return _times(tf, 3, step, x)


def random_numbers(tf: Any) -> Any:
    tf.set_random_seed(1)
    return _times(tf, 3, lambda i, s: s * tf.random_uniform([3]), _x(tf))


def gradient_in_body(tf: Any) -> Any:
    x = _x(tf)
    return _times(tf, 3, lambda i, s: s - 0.1 * tf.gradients(tf.sin(s * x), s)[0], x)


def recurrent(tf: Any) -> Any:
    x = _x(tf, [4, 3])
    rows = tf.TensorArray(tf.float32, size=4, element_shape=[3]).unstack(x)
    out = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    w = tf.get_variable("w", [3, 3], use_resource=True, initializer=tf.ones_initializer())
    _, out, state = tf.while_loop(
        lambda i, o, s: i < 4,
        lambda i, o, s: (
            i + 1,
            o.write(i, s),
            tf.tanh(tf.matmul(tf.expand_dims(rows.read(i), 0) + s, w) * 0.1),
        ),
        [0, out, tf.zeros([1, 3])],
    )
    return [out.stack(), state]


def mapped(tf: Any) -> Any:
    return tf.map_fn(lambda row: tf.sin(row) * 2.0, _x(tf, [4, 3]))


def folded_and_scanned(tf: Any) -> Any:
    x = _x(tf, [4, 3])
    return [tf.foldl(lambda a, row: a + tf.sin(row), x), tf.scan(lambda a, row: a * row, x)]


def trained(tf: Any) -> Any:
    w = tf.get_variable("w", [3], use_resource=True, initializer=tf.ones_initializer())
    x = _x(tf)
    y = _times(tf, 3, lambda i, s: s * w, x)
    loss = tf.reduce_sum(tf.cond(x[0] > 0.7, lambda: y * y, lambda: y * w))
    with tf.control_dependencies([tf.train.AdamOptimizer(0.1).minimize(loss)]):
        return w.read_value() * 1.0


PROGRAMS: list[Program] = [
    captures,
    unknown_shape,
    growing,
    single_variable,
    same_structure,
    no_back_prop,
    fed_limit,
    matrix,
    loop_in_loop,
    cond_in_loop,
    stopped_cond_in_loop,
    cases_in_loop,
    loop_in_case,
    loop_in_cond_in_loop,
    reference_variable,
    rows_of_variable,
    rows_of_loop_variable,
    makes_variable,
    random_numbers,
    gradient_in_body,
    recurrent,
    mapped,
    folded_and_scanned,
    trained,
]

WITHOUT_SECOND = (loop_in_cond_in_loop,)
"""TensorFlow cannot infer the types of the optional values in its second gradient's loop."""

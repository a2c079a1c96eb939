"""Programs with conditionals, for functional control flow: floats of placeholders and variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Program = Callable[[Any], Any]


def _x(tf: Any, shape: Any = (3,), name: str = "x") -> Any:
    return tf.placeholder(tf.float32, shape, name=name)


def captures(tf: Any) -> Any:
    x = _x(tf, [2, 3])
    w = tf.constant([1.0, 2, 3], name="w")
    return tf.cond(x[0, 0] > 1.0, lambda: tf.exp(x * w) * 2.0, lambda: x - 1.0)


def one_branch_uses_it(tf: Any) -> Any:
    x, y = _x(tf, []), _x(tf, [], "y")
    return tf.cond(x > 1.0, lambda: tf.sin(x), lambda: tf.sin(y) * y)


def structures(tf: Any) -> Any:
    x = _x(tf)
    result = tf.cond(
        x[0] > 1.0,
        lambda: {"a": x * 2.0, "b": (tf.constant(2.0), tf.group(x))},
        lambda: {"a": tf.exp(x), "b": (tf.constant(5.0), tf.no_op())},
    )
    return [result["a"], result["b"][0], result["b"][1]]


def unknown_rank_predicate(tf: Any) -> Any:
    x = _x(tf)
    pred = tf.placeholder_with_default(tf.constant([True]), None)
    return tf.cond(pred, lambda: x * 2.0, lambda: x)


def nested(tf: Any) -> Any:
    x, y = _x(tf, []), _x(tf, [], "y")
    return tf.cond(
        x > 1.0,
        lambda: tf.cond(y > 1.0, lambda: tf.sin(x * y) * tf.exp(y), lambda: x * tf.exp(y)),
        lambda: tf.sin(y) * y,
    )


def by_case(tf: Any) -> Any:
    x = _x(tf, [])
    return tf.case(
        [(x < 1.0, lambda: x * 2.0), (x > 2.0, lambda: x * 3.0)],
        default=lambda: -x,
        exclusive=True,
    )


def by_switch_case(tf: Any) -> Any:
    x, y = _x(tf), _x(tf, [], "y")
    return tf.switch_case(
        tf.cast(y, tf.int32),
        [lambda: tf.sin(x) * x, lambda: tf.exp(x) * y, lambda: x],
        default=lambda: tf.sqrt(x),
    )


def by_switch_case_of_indices(tf: Any) -> Any:
    x = _x(tf)
    return tf.switch_case(tf.constant(7), {1: lambda: x * 2.0, 0: lambda: x}, name="choose")


def on_devices(tf: Any) -> Any:
    x = _x(tf, [])
    with tf.device("/cpu:0"), tf.name_scope("scope"):
        return tf.cond(x > 1.0, lambda: tf.sin(x), lambda: tf.cos(x), name="mine")


def outer_control_dependency(tf: Any) -> Any:
    x = _x(tf)
    y = x + 1.0

    def waiting() -> Any:
        with tf.control_dependencies([y]):
            return tf.identity(x)

    return tf.cond(x[0] > 1.0, waiting, lambda: x)


def makes_variable(tf: Any) -> Any:
    x = _x(tf)

    def with_weights() -> Any:
        return tf.get_variable("w", [3], initializer=tf.ones_initializer()) * x

    with tf.variable_scope("net"):
        return tf.cond(x[0] > 1.0, with_weights, lambda: x)


def resource_variable(tf: Any) -> Any:
    x = _x(tf, [2, 3])
    v = tf.get_variable("v", [3, 2], use_resource=True, initializer=tf.ones_initializer())
    return tf.cond(x[0, 0] > 1.0, lambda: tf.matmul(tf.tanh(x), v), lambda: tf.matmul(x, v) * 2.0)


def writes_variable(tf: Any) -> Any:
    v = tf.get_variable("v", [2], use_resource=True, initializer=tf.zeros_initializer())
    read = tf.cond(tf.constant(True), lambda: v.assign_add([1.0, 1.0]), lambda: v.read_value())
    return [read, tf.switch_case(tf.constant(1), [lambda: tf.constant(1.0), lambda: v[0]])]


def reads_rows(tf: Any) -> Any:
    x = _x(tf, [])
    v = tf.get_variable("v", [3, 2], use_resource=True, initializer=tf.ones_initializer())
    return tf.cond(x > 1.0, lambda: tf.gather(v, [0, 1]) * x, lambda: tf.gather(v, [2, 1]) * 2.0)


def slices_and_sparse(tf: Any) -> Any:
    x = _x(tf, [2, 3])
    first = x[0, 0] > 1.0
    slices = tf.cond(
        first,
        lambda: tf.IndexedSlices(x, tf.constant([0, 1])),
        lambda: tf.IndexedSlices(x * 2.0, tf.constant([0, 1], tf.int64)),
    )
    sparse = tf.cond(
        first,
        lambda: tf.SparseTensor([[0, 1]], [1.0], [2, 2]),
        lambda: tf.SparseTensor([[0, 0]], [2.0], [2, 2]),
    )
    return [slices, sparse.values]


def tensor_array(tf: Any) -> Any:
    x = _x(tf)
    array = tf.TensorArray(tf.float32, size=2, element_shape=[3]).write(0, x)
    array = tf.cond(x[0] > 1.0, lambda: array.write(1, x * 2.0), lambda: array.write(1, -x))
    return array.stack()


def custom_gradient(tf: Any) -> Any:
    x = _x(tf)

    @tf.custom_gradient
    def square(a: Any) -> Any:
        return a * a, lambda grad: grad * 10.0

    return tf.cond(x[0] > 0.5, lambda: square(x), lambda: x * 2.0)


def asserts(tf: Any) -> Any:
    x = _x(tf)

    def checked() -> Any:
        with tf.control_dependencies([tf.Assert(x[0] > 0.0, [x])]):
            return tf.identity(x)

    return tf.cond(x[0] > 0.5, checked, lambda: x * 2.0)


def dropout(tf: Any) -> Any:
    tf.set_random_seed(3)
    x = _x(tf)
    return tf.cond(x[0] > 1.0, lambda: tf.nn.dropout(x * x, rate=0.5), lambda: x)


def integer_output(tf: Any) -> Any:
    x = _x(tf)
    taken = tf.cond(x[0] > 0.5, lambda: (x * x, tf.constant(1)), lambda: (x, tf.constant(2)))
    return [taken[0] * tf.cast(taken[1], tf.float32)]


PROGRAMS: list[Program] = [
    captures,
    one_branch_uses_it,
    structures,
    unknown_rank_predicate,
    nested,
    by_case,
    by_switch_case,
    by_switch_case_of_indices,
    on_devices,
    outer_control_dependency,
    makes_variable,
    resource_variable,
    writes_variable,
    reads_rows,
    slices_and_sparse,
    tensor_array,
    custom_gradient,
    asserts,
    dropout,
    integer_output,
]

WITHOUT_GRADIENT = (writes_variable, slices_and_sparse, structures)
"""Slices as outputs have none in TensorFlow; the others give no floats that depend on inputs."""

WITHOUT_SECOND = (*WITHOUT_GRADIENT, reads_rows)
"""TensorFlow fails at gradients of slices that come out of a conditional."""

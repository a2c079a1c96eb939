"""Gradients make the nodes TensorFlow makes, and the same values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.differentiation.both import assert_same_graph


def place(tf: Any, *shape: Any, name: str = "x", dtype: str = "float32") -> Any:
    return tf.placeholder(dtype, None if shape == (...,) else list(shape), name=name)


def chain(tf: Any) -> Any:
    x = place(tf, 2, 3)
    return tf.gradients(tf.exp(tf.sin(x) * 2.0), x)


def scalar(tf: Any) -> Any:
    x = place(tf)
    return tf.gradients(x * x, [x])


def unknown_rank(tf: Any) -> Any:
    x = place(tf, ...)
    return tf.gradients(x * 2.0, x)


def partly_known(tf: Any) -> Any:
    x, y = place(tf, None, 3), place(tf, 3, name="y")
    return tf.gradients(x * y, [x, y])


def diamond(tf: Any) -> Any:
    x = place(tf, 3)
    a = tf.exp(x)
    b, c = tf.sin(a), tf.cos(a)
    return tf.gradients(b * c + a, [x, a])


def several_ys(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.gradients([x * 2.0, tf.exp(x), x], x)


def y_depends_on_y(tf: Any) -> Any:
    x = place(tf, 2)
    y = tf.exp(x)
    return tf.gradients([y, tf.sin(y)], [x, y])


def same_y_twice(tf: Any) -> Any:
    x = place(tf, 2)
    y = tf.exp(x)
    return tf.gradients([y, y], x)


def x_is_y(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.gradients(x, x)


def x_depends_on_x(tf: Any) -> Any:
    x = place(tf, 2)
    h = tf.exp(x)
    return tf.gradients(tf.sin(h), [x, h])


def matmul_layer(tf: Any) -> Any:
    x, w, b = place(tf, 4, 3), place(tf, 3, 2, name="w"), place(tf, 2, name="b")
    with tf.name_scope("layer"):
        hidden = tf.tanh(tf.matmul(x, w) + b, name="out")
    return tf.gradients(tf.reduce_mean(hidden), [w, b])


def given_gradients(tf: Any) -> Any:
    x = place(tf, 2)
    ys = [x * 2.0, tf.exp(x), tf.sin(x)]
    return tf.gradients(ys, x, grad_ys=[place(tf, 2, name="g"), None, [3.0, 4.0]])


def stopped(tf: Any) -> Any:
    x = place(tf)
    y = x * 2.0
    return tf.gradients(x + y, [x, y], stop_gradients=[x, y])


def stopped_midway(tf: Any) -> Any:
    x = place(tf, 2)
    h = tf.exp(x)
    return tf.gradients(tf.sin(h) + x, x, stop_gradients=h)


def stop_gradient_op(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.gradients(tf.stop_gradient(tf.exp(x)) * x, x)


def unconnected(tf: Any) -> Any:
    return tf.gradients(place(tf, 2), [place(tf, 3), place(tf, ..., name="z")])


def unconnected_zero(tf: Any) -> Any:
    ends = [place(tf, 3), place(tf, ..., name="z")]
    return tf.gradients(place(tf, 2), ends, unconnected_gradients="zero")


def partly_connected_zero(tf: Any) -> Any:
    first, second = tf.split(place(tf, 4), 2)
    zero = tf.UnconnectedGradients.ZERO
    return tf.gradients(tf.exp(first), [first, second], unconnected_gradients=zero)


def integers(tf: Any) -> Any:
    x = place(tf, 2, dtype="int32")
    return tf.gradients(x * 2, x)


def through_integers(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.gradients(tf.cast(tf.cast(x, "int32"), "float32") * x, x)


def missing_output(tf: Any) -> Any:
    x = place(tf, 4)
    first, _ = tf.split(x, 2)
    return tf.gradients(first, x)


def doubles(tf: Any) -> Any:
    x = place(tf, 2, dtype="float64")
    return tf.gradients(tf.log(x), x)


def complex_with_gradient(tf: Any) -> Any:
    x = place(tf, 2, dtype="complex64")
    return tf.gradients(x * x, x, grad_ys=[tf.constant([1 + 1j, 2 - 1j], "complex64")])


def own_name(tf: Any) -> Any:
    x = place(tf, 2)
    y = tf.exp(x)
    return [tf.gradients(y, x, name=None), tf.gradients(y, x, name="again"), tf.gradients(y, x)]


def within_scope(tf: Any) -> Any:
    x = place(tf, 2)
    with tf.name_scope("train"):
        return tf.gradients(tf.exp(x, name="deep/exp"), x)


def second_order(tf: Any) -> Any:
    x = place(tf, 2)
    (first,) = tf.gradients(tf.sin(x) * x, x)
    return tf.gradients(first, x)


def gathered(tf: Any) -> Any:
    w = place(tf, 5, 2, name="w")
    return tf.gradients(tf.gather(w, [1, 2, 1]) * 2.0, w)


def gathered_twice(tf: Any) -> Any:
    w = place(tf, 5, 2, name="w")
    return tf.gradients([tf.gather(w, [1, 2]), tf.gather(w, [0])], w)


def gathered_by_both_kinds(tf: Any) -> Any:
    w = place(tf, 5, 2, name="w")
    wide = tf.constant([0, 4], tf.int64)
    return tf.gradients([tf.gather(w, [1, 2]), tf.gather(w, wide)], w)


def gathered_and_dense(tf: Any) -> Any:
    w = place(tf, 5, 2, name="w")
    return tf.gradients([tf.gather(w, [1, 2]), w * 2.0], w)


def gathered_gradient(tf: Any) -> Any:
    w = place(tf, 5, 2, name="w")
    start = tf.IndexedSlices(place(tf, 1, 2), tf.constant([3]), tf.constant([5, 2]))
    return tf.gradients(w * 2.0, w, grad_ys=[start])


def handle(tf: Any, *shape: Any, name: str = "w") -> Any:
    shared = {"container": "", "shared_name": name, "name": name}
    return tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=list(shape), **shared)


def read(tf: Any, variable: Any) -> Any:
    return tf.raw_ops.ReadVariableOp(resource=variable, dtype=tf.float32)


def resource_handle(tf: Any) -> Any:
    variable = handle(tf, 3)
    assign = tf.raw_ops.AssignVariableOp(resource=variable, value=tf.constant([1.0, 2.0, 3.0]))
    with tf.control_dependencies([assign]):
        value = read(tf, variable)
    return tf.gradients(tf.exp(value) + value, variable)


def unconnected_handles(tf: Any) -> Any:
    ends = [handle(tf, 3), handle(tf, 0, name="v")]
    return tf.gradients(place(tf, 2), ends, unconnected_gradients="zero")


def variable(tf: Any, *start: float, resource: bool, name: str = "w") -> Any:
    return tf.Variable(list(start), name=name, use_resource=resource)


def both_kinds_of_variable(tf: Any) -> Any:
    w, v = variable(tf, 1.0, 2.0, resource=False), variable(tf, 3.0, 4.0, resource=True, name="v")
    return tf.gradients(tf.exp(w) * v + w, [w, v])


def variables_as_ys(tf: Any) -> Any:
    w, v = variable(tf, 1.0, 2.0, resource=False), variable(tf, 3.0, 4.0, resource=True, name="v")
    return tf.gradients([w, v, w * v], [w, v])


def stopped_variables(tf: Any) -> Any:
    w, v = variable(tf, 1.0, 2.0, resource=False), variable(tf, 3.0, 4.0, resource=True, name="v")
    return tf.gradients(w * v, [w, v], stop_gradients=[w, v])


def unconnected_variables(tf: Any) -> Any:
    w, v = variable(tf, 1.0, 2.0, resource=False), variable(tf, 3.0, resource=True, name="v")
    return tf.gradients(place(tf, 2), [w, v], unconnected_gradients="zero")


def gathered_variables(tf: Any) -> Any:
    w, v = variable(tf, 1.0, 2.0, resource=False), variable(tf, 3.0, 4.0, resource=True, name="v")
    return tf.gradients(tf.gather(w, [1, 1, 0]) * tf.gather(v, [0, 1, 1]), [w, v])


def colocated_with_variables(tf: Any) -> Any:
    w, v = variable(tf, 1.0, 2.0, resource=False), variable(tf, 3.0, 4.0, resource=True, name="v")
    return tf.gradients(tf.exp(w) * v + w, [w, v], colocate_gradients_with_ops=True)


PROGRAMS = [
    chain,
    scalar,
    unknown_rank,
    partly_known,
    diamond,
    several_ys,
    y_depends_on_y,
    same_y_twice,
    x_is_y,
    x_depends_on_x,
    matmul_layer,
    given_gradients,
    stopped,
    stopped_midway,
    stop_gradient_op,
    unconnected,
    unconnected_zero,
    partly_connected_zero,
    integers,
    through_integers,
    missing_output,
    doubles,
    complex_with_gradient,
    own_name,
    within_scope,
    second_order,
    gathered,
    gathered_twice,
    gathered_by_both_kinds,
    gathered_and_dense,
    gathered_gradient,
    resource_handle,
    unconnected_handles,
    both_kinds_of_variable,
    variables_as_ys,
    stopped_variables,
    unconnected_variables,
    gathered_variables,
    colocated_with_variables,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_same_nodes_and_values(program: Any) -> None:
    assert_same_graph(program)


def _towers(tf: Any, **options: Any) -> Any:
    w, v = place(tf, 2, name="w"), place(tf, 2, name="v")
    ys = []
    for factor, device in enumerate(("/cpu:0", "/cpu:1", "/cpu:1", "/cpu:0")):
        with tf.device(device):
            ys.append(tf.sin(w * v) * float(factor + 2))
    return tf.gradients(ys, [w, v], **options)


@pytest.mark.parametrize(
    "method", ["ADD_N", "DEFAULT", "EXPERIMENTAL_TREE", "EXPERIMENTAL_ACCUMULATE_N"]
)
@pytest.mark.parametrize("colocate", [False, True])
@pytest.mark.parametrize("gate", [False, True])
def test_options_make_the_same_nodes(method: str, colocate: bool, gate: bool) -> None:
    assert_same_graph(
        lambda tf: _towers(
            tf,
            colocate_gradients_with_ops=colocate,
            gate_gradients=gate,
            aggregation_method=getattr(tf.AggregationMethod, method),
        ),
        # Two CPU devices are not what a session has by default.
        values=False,
    )


def test_handle_of_unknown_shape() -> None:
    def program(tf: Any) -> Any:
        variable = handle(tf, None, name="w")
        return tf.gradients(place(tf, 2), variable, unconnected_gradients="zero")

    assert_same_graph(program, values=False)


def test_passed_on_handle_gets_zeros() -> None:
    def program(tf: Any) -> Any:
        kept, used = tf.identity_n([handle(tf, None, name="w"), place(tf, 2)])
        return tf.gradients(used, kept.op.inputs[0]), tf.gradients(used, used.op.inputs[1])

    assert_same_graph(program, values=False)


def test_gated_slices() -> None:
    def program(tf: Any) -> Any:
        w, v = place(tf, 5, 2, name="w"), place(tf, 3, 2, name="v")
        both = tf.concat([tf.gather(w, [1, 2]), v], 0)
        return tf.gradients(both * tf.gather(w, [0]), [w, v], gate_gradients=True)

    assert_same_graph(program)


def test_colocation_inside_a_colocation() -> None:
    def program(tf: Any) -> Any:
        x = place(tf, 2)
        with tf.colocate_with(x.op):
            y = tf.exp(x)
        with tf.colocate_with(y.op):
            return tf.gradients(tf.sin(y), x, colocate_gradients_with_ops=True)

    assert_same_graph(program)


def test_control_dependencies_reach_the_gradients() -> None:
    def program(tf: Any) -> Any:
        x = place(tf, 2)
        y = tf.exp(x)
        with tf.control_dependencies([tf.no_op(name="first")]):
            return tf.gradients(y, x)

    assert_same_graph(program)


def test_graph_of_the_tensors_is_used() -> None:
    def program(tf: Any) -> Any:
        graph = tf.get_default_graph()
        x = place(tf, 2)
        y = tf.exp(x)
        with tf.Graph().as_default():
            found = tf.gradients(y, x)
        assert found[0].graph is graph
        return found

    assert_same_graph(program)

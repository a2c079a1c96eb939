"""Functions that bring their own gradient."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph, assert_same_refusal, oracle, refusal


def place(tf: Any, name: str = "x") -> Any:
    return tf.placeholder("float32", [2], name=name)


def one_to_one(tf: Any) -> Any:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return tf.exp(x), lambda grad: grad * 7.0

    x = place(tf)
    y = f(x)
    return [y, tf.gradients(y, x)]


def structures(tf: Any) -> Any:
    @tf.custom_gradient
    def f(x: Any, z: Any) -> Any:
        def grad_fn(first: Any, second: Any) -> Any:
            return first * 7.0, second

        return (tf.exp(x), {"product": z * x}), grad_fn

    x, z = place(tf), place(tf, "z")
    first, named = f(x, z)
    return [first, named["product"], tf.gradients(first, [x, z])]


def gives_its_input(tf: Any) -> Any:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x, lambda grad: grad * 7.0

    x = place(tf)
    return tf.gradients(f(x), x)


def gives_none(tf: Any) -> Any:
    @tf.custom_gradient
    def f(x: Any, z: Any) -> Any:
        return x * z, lambda grad: (grad, None)

    x, z = place(tf), place(tf, "z")
    return tf.gradients(f(x, z), [x, z])


def converts_arguments(tf: Any) -> Any:
    @tf.custom_gradient
    def f(x: Any, factor: Any) -> Any:
        return x * factor, lambda grad: (grad * factor, tf.reduce_sum(grad * x))

    x = place(tf)
    return tf.gradients(f(x, 3.0), x)


def nested(tf: Any) -> Any:
    @tf.custom_gradient
    def inner(x: Any) -> Any:
        return tf.sin(x), lambda grad: grad * 2.0

    @tf.custom_gradient
    def outer(x: Any) -> Any:
        return inner(x) * x, lambda grad: grad * 5.0

    x = place(tf)
    return tf.gradients(outer(x) + inner(x), x)


def twice_differentiated(tf: Any) -> Any:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return tf.exp(x), lambda grad: grad * tf.sin(x)

    x = place(tf)
    (first,) = tf.gradients(f(x), x)
    return [first, tf.gradients(first, x)]


def method(tf: Any) -> Any:
    class Layer:
        factor = 3.0

        @tf.custom_gradient
        def call(self, x: Any) -> Any:
            return x * self.factor, lambda grad: grad * self.factor * 2.0

    x = place(tf)
    return tf.gradients(Layer().call(x), x)


def called_decorator(tf: Any) -> Any:
    @tf.custom_gradient()
    def f(x: Any) -> Any:
        return tf.exp(x), lambda grad: grad

    x = place(tf)
    return tf.gradients(f(x), x)


def passed_through(tf: Any) -> Any:
    x = place(tf)
    return tf.gradients(tf.grad_pass_through(tf.round)(x * 2.0), x)


PROGRAMS = [
    one_to_one,
    structures,
    gives_its_input,
    gives_none,
    converts_arguments,
    nested,
    twice_differentiated,
    method,
    called_decorator,
    passed_through,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_same_nodes_and_values(program: Any) -> None:
    assert_same_graph(program)


def _weighted(tf: Any, gradient: Any, *, weight: Any = lambda w: w, resource: bool = True) -> Any:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        start = tf.constant_initializer(0.5)
        w = tf.get_variable("w", [2], initializer=start, use_resource=resource)
        return x * weight(w), gradient

    x = place(tf)
    y = f(x)
    return [y, tf.gradients(y, [x, *tf.trainable_variables()])]


def _of_variables(grad: Any, variables: Any = None) -> Any:
    return grad * 7.0, [grad * variable for variable in variables]


def test_variables() -> None:
    assert_same_graph(lambda tf: _weighted(tf, _of_variables))


def test_variables_behind_a_stopped_gradient() -> None:
    assert_same_graph(lambda tf: _weighted(tf, _of_variables, weight=tf.stop_gradient))


def test_variables_made_before() -> None:
    def program(tf: Any) -> Any:
        start = tf.constant_initializer(0.5)
        w = tf.get_variable("w", [2], initializer=start, use_resource=True)

        @tf.custom_gradient
        def f(x: Any) -> Any:
            return x * w, _of_variables

        x = place(tf)
        return tf.gradients(f(x), [x, w])

    assert_same_graph(program)


@pytest.mark.parametrize("resource", [True, False])
def test_value_read_before(resource: bool) -> None:
    def program(tf: Any) -> Any:
        start = tf.constant_initializer(0.5)
        w = tf.get_variable("w", [2], initializer=start, use_resource=resource)
        value = tf.exp(w)

        @tf.custom_gradient
        def f(x: Any) -> Any:
            return x * value, _of_variables

        x = place(tf)
        return tf.gradients(f(x), [x, w])

    assert_same_graph(program)


@pytest.mark.parametrize("cut", ["StopGradient", "Snapshot"])
def test_variables_without_a_gradient_are_not_asked_for(cut: str) -> None:
    def program(tf: Any) -> Any:
        start = tf.constant_initializer(0.5)
        w = tf.get_variable("w", [2], initializer=start, use_resource=False)

        @tf.custom_gradient
        def f(x: Any) -> Any:
            return x * getattr(tf.raw_ops, cut)(input=w.read_value()), lambda grad: grad * 7.0

        x = place(tf)
        return tf.gradients(f(x), [x, w])

    assert_same_graph(program)


def test_untrainable_variables_are_not_asked_for() -> None:
    def program(tf: Any) -> Any:
        start = tf.constant_initializer(0.5)
        w = tf.get_variable("w", [2], initializer=start, use_resource=True, trainable=False)

        @tf.custom_gradient
        def f(x: Any) -> Any:
            return x * w, lambda grad: grad * 7.0

        x = place(tf)
        return tf.gradients(f(x), [x, w])

    assert_same_graph(program)


def test_local_variables_are_refused() -> None:
    def program(tf: Any) -> Any:
        start = tf.constant_initializer(0.5)
        local = [tf.GraphKeys.LOCAL_VARIABLES]
        w = tf.get_variable("w", [2], initializer=start, use_resource=True, collections=local)

        @tf.custom_gradient
        def f(x: Any) -> Any:
            return x * w, _of_variables

        return f(place(tf))

    assert "Unsuccessful at finding variable w." in assert_same_refusal(program)


@pytest.mark.parametrize("resource", [True, False])
def test_variable_as_argument(resource: bool) -> None:
    def program(tf: Any) -> Any:
        @tf.custom_gradient
        def f(x: Any) -> Any:
            return tf.exp(x), lambda grad: grad * 7.0

        start = tf.constant_initializer(0.5)
        w = tf.get_variable("w", [2], initializer=start, use_resource=resource)
        return tf.gradients(f(w), w)

    assert_same_graph(program)


def test_reference_variables_are_refused() -> None:
    assert_same_refusal(lambda tf: _weighted(tf, _of_variables, resource=False))


def test_grad_fn_must_take_variables() -> None:
    assert_same_refusal(lambda tf: _weighted(tf, lambda grad: grad))


def test_every_variable_needs_a_gradient() -> None:
    assert_same_refusal(lambda tf: _weighted(tf, lambda grad, variables=None: (grad, [])))


def test_keyword_arguments_are_refused() -> None:
    def program(tf: Any) -> Any:
        @tf.custom_gradient
        def f(x: Any, factor: float = 1.0) -> Any:
            return x * factor, lambda grad: grad

        return f(place(tf), factor=2.0)

    assert_same_refusal(program)


def test_number_of_gradients() -> None:
    def program(tf: Any) -> Any:
        @tf.custom_gradient
        def f(x: Any, z: Any) -> Any:
            return x * z, lambda grad: grad

        x, z = place(tf), place(tf, "z")
        return tf.gradients(f(x, z), [x, z])

    theirs, ours = refusal(oracle, program), refusal(tf, program)
    assert type(ours) is type(theirs) is ValueError
    for error in (theirs, ours):
        assert "Num gradients 2 generated" in str(error)
        assert str(error).endswith("do not match num inputs 3")


def test_name_and_documentation_are_the_functions() -> None:
    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        """Clips."""
        return x, lambda grad: grad

    assert clipped.__name__ == "clipped"
    assert clipped.__doc__ == "Clips."
    assert tf.grad_pass_through(clipped).__name__ == "clipped"


def test_a_handle_stays_that_of_its_variable() -> None:
    shapes = []

    @tf.custom_gradient
    def updated(handle: Any, values: Any) -> Any:
        def gradient(grad: Any) -> Any:
            shapes.append(tf.get_static_value(grad.dense_shape))
            return grad, None

        return tf.identity(handle), gradient

    with tf.Graph().as_default():
        variable = tf.get_variable("v", [20], use_resource=True)
        values = tf.ones([2])
        handle = updated(variable.handle, values)
        read = tf.raw_ops.ResourceGather(resource=handle, indices=[0, 1], dtype=tf.float32)
        tf.gradients(read, values)
    assert [list(shape) for shape in shapes] == [[20]]


@pytest.mark.parametrize("functional", ["cond", "while"])
def test_variables_used_in_the_body_of_a_branch_or_loop(functional: str) -> None:
    """The body reads a captured handle, which stands for the variable's."""

    def program(tf: Any, flow: Any) -> list[Any]:
        x, factor = tf.constant(2.0), tf.Variable(1.5, use_resource=True)

        @tf.custom_gradient
        def f(v: Any) -> Any:
            def grad_fn(grad: Any, variables: Any = None) -> Any:
                assert len(variables) == 1
                return grad * 7.0 * v, [grad * v]

            return v * factor, grad_fn

        y = flow(tf, x, f)
        wanted = [y, *tf.gradients(y, [x, factor])]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(wanted)

    def flow(tf: Any, x: Any, f: Any) -> Any:
        if functional == "cond":
            return tf.cond(tf.constant(True), lambda: f(x), lambda: x)
        return tf.while_loop(lambda v: v < 4.0, f, [x])

    found = []
    for library in (tf, oracle):
        library.enable_control_flow_v2()
        try:
            with library.Graph().as_default():
                found.append(program(library, flow))
        finally:
            library.disable_control_flow_v2()
    assert found[0] == found[1]


def test_gradients_that_take_values_of_a_function_body() -> None:
    def program(tf: Any) -> Any:
        x, factor = tf.constant(3.0), tf.Variable(2.0, use_resource=True)

        @tf.custom_gradient
        def f(v: Any) -> Any:
            def grad_fn(grad: Any, variables: Any = None) -> Any:
                return grad * 7.0 * v * factor, [grad]

            return v * factor, grad_fn

        y = tf.function(lambda v: f(v * v))(x)
        wanted = [y, *tf.gradients(y, [x])]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(wanted)

    found = []
    for library in (tf, oracle):
        with library.Graph().as_default():
            found.append(program(library))
    assert found[0] == found[1] == [18.0, 756.0]


@pytest.mark.parametrize("inside", ["function", "nested", "loop"])
@pytest.mark.parametrize("twice", [False, True])
def test_gradients_that_take_what_the_function_does_not(inside: str, twice: bool) -> None:
    def program(tf: Any) -> Any:
        x, factor, handle = tf.constant(3.0), tf.constant(5.0), tf.Variable(2.0, use_resource=True)

        @tf.custom_gradient
        def f(v: Any) -> Any:
            return v * 2.0, lambda grad: grad * factor * handle.read_value()

        def looped(v: Any) -> Any:
            return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, f(a)), [0, v])[1]

        inner = tf.function(lambda v: f(v + 1.0))
        body = {"function": f, "nested": lambda v: inner(v) * 2.0, "loop": looped}[inside]
        y = tf.function(lambda v: body(v) * v)(x)
        wanted = [y, *tf.gradients(y, [x])]
        if twice:
            wanted += tf.gradients(y, [x])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(wanted)

    found = []
    for library in (tf, oracle):
        with library.Graph().as_default():
            found.append(program(library))
    assert found[0] == found[1]

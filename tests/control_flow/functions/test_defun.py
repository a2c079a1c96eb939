"""Defun: functions, their names and calls are TensorFlow's, and what they compute."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import function as oracle_function

import dataflow as tf
from dataflow.library import defun as function
from dataflow.library import defun_graph
from tests.control_flow.functional import described, functional_control_flow
from tests.differentiation.both import assert_same_value, flatten, run
from tests.words import as_in_tensorflow_1

DefunProgram = Callable[[Any, Any], Any]
"""`f(tf, Defun)` builds into the default graph and returns what is to be compared."""


def _built(
    library: Any, defun: Any, program: DefunProgram, functional: bool
) -> tuple[str, str, list[Any]]:
    context = functional_control_flow(library) if functional else nullcontext()
    with context, library.Graph().as_default() as graph:
        fetches = flatten(program(library, defun))
        data = graph.as_graph_def().SerializeToString()
        gradients = oracle.GraphDef.FromString(data).library.gradient
        named = str(sorted((each.function_name, each.gradient_func) for each in gradients))
        return described(data), named, run(library, fetches)


def _assert_same(program: DefunProgram, functional: bool) -> None:
    theirs = _built(oracle, oracle_function.Defun, program, functional)
    ours = _built(tf, function.Defun, program, functional)
    assert ours[0] == theirs[0]
    assert ours[1] == theirs[1]
    for have, want in zip(ours[2], theirs[2], strict=True):
        assert_same_value(have, want)


def _adds(tf: Any, defun: Any) -> Any:
    @defun(tf.float32, tf.float32)
    def MyAdd(x: Any, y: Any) -> Any:
        """Adds."""
        return x + y * 2.0

    a, b = tf.constant([1.0, 2.0]), tf.placeholder(tf.float32, [2], name="b")
    z = MyAdd(a, b)
    return [z, *tf.gradients(z, [a, b])]


def _captures(tf: Any, defun: Any) -> Any:
    c = tf.constant(5.0, name="c")

    @defun(tf.float32, func_name="Cap", out_names=["o1", "o2"], noinline=True)
    def cap(x: Any) -> Any:
        return x * c + tf.constant(3.0, name="three"), x

    return [cap(tf.constant(2.0), name="first"), cap(tf.constant(3.0))]


def _has_variable(tf: Any, defun: Any) -> Any:
    @defun(tf.float32)
    def scaled(x: Any) -> Any:
        return tf.get_variable("w", [2], initializer=tf.ones_initializer()) * x

    return scaled(tf.constant(2.0))


def _has_resource_variable(tf: Any, defun: Any) -> Any:
    @defun(tf.float32)
    def scaled(x: Any) -> Any:
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer(), use_resource=True)
        return w * x

    y = scaled(tf.constant(2.0))
    return [y, tf.gradients(y, tf.trainable_variables()[0])]


def _is_overloaded(tf: Any, defun: Any) -> Any:
    @defun()
    def over(x: Any, y: Any) -> Any:
        return x * y

    return [over(tf.constant(2.0), 3.0), over(tf.constant(2), 3)]


def _has_gradient_function(tf: Any, defun: Any) -> Any:
    @defun(tf.float32, tf.float32)
    def backward(x: Any, dy: Any) -> Any:
        return 2.5 * x * dy

    @defun(tf.float32, grad_func=backward)
    def square(x: Any) -> Any:
        return x * x

    x = tf.constant(3.0)
    return tf.gradients(square(x), x)


def _has_python_gradient(tf: Any, defun: Any) -> Any:
    @defun(tf.float32, python_grad_func=lambda op, grad: grad * 7.0)
    def square(x: Any) -> Any:
        return x * x

    x = tf.constant(3.0)
    return tf.gradients(square(x), x)


def _is_overloaded_with_gradient(tf: Any, defun: Any) -> Any:
    @defun(func_name="Back")
    def backward(x: Any, dy: Any) -> Any:
        return x * dy

    @defun(func_name="Forth", grad_func=backward)
    def square(x: Any) -> Any:
        return x * x

    x = tf.constant(3.0)
    return tf.gradients(square(x), x)


def _calls_another(tf: Any, defun: Any) -> Any:
    @defun(tf.float32)
    def inner(x: Any) -> Any:
        return tf.sin(x)

    @defun(tf.float32)
    def outer(x: Any) -> Any:
        return inner(x) * inner(x + 1.0)

    x = tf.placeholder(tf.float32, [2], name="x")
    return [outer(x), *tf.gradients(outer(x), x)]


def _differentiates_inside(tf: Any, defun: Any) -> Any:
    x = tf.placeholder(tf.float32, [2], name="x")

    @defun(tf.float32)
    def slopes(a: Any) -> Any:
        return tf.gradients(tf.sin(a * x), [a, x])

    return slopes(x + 1.0)


def _copies_what_it_captures(tf: Any, defun: Any) -> Any:
    c = tf.constant([3.0, 4.0]) * 2.0

    @defun(tf.float32, capture_by_value=True)
    def scaled(a: Any) -> Any:
        return a * c + c

    return scaled(tf.constant(2.0))


def _keeps_device(tf: Any, defun: Any) -> Any:
    with tf.device("/cpu:0"):

        @defun(tf.float32)
        def doubled(a: Any) -> Any:
            return a * 2.0

    return doubled(tf.constant(2.0))


def _says_shapes(tf: Any, defun: Any) -> Any:
    @defun(tf.float32, shape_func=lambda op: [op.inputs[0].get_shape()])
    def doubled(a: Any) -> Any:
        return a * 2.0

    y = doubled(tf.constant([2.0]))
    return tf.concat([y, tf.zeros(y.shape)], 0)


def _takes_any_number(tf: Any, defun: Any) -> Any:
    @defun(*[tf.float32] * 3)
    def total(*args: Any) -> Any:
        return tf.add_n(args)

    return total(1.0, 2.0, 3.0)


def _is_called_in_cond(tf: Any, defun: Any) -> Any:
    @defun(tf.float32)
    def doubled(a: Any) -> Any:
        return a * 2.0

    x = tf.placeholder(tf.float32, [], name="x")
    return tf.cond(x > 1.0, lambda: doubled(x), lambda: doubled(doubled(x)))


def _asserts(tf: Any, defun: Any) -> Any:
    @defun(tf.float32)
    def checked(a: Any) -> Any:
        with tf.control_dependencies([tf.Assert(a > 0.0, [a])]):
            return tf.identity(a)

    return checked(3.0)


def _has_no_result(tf: Any, defun: Any) -> Any:
    @defun(tf.float32)
    def nothing(a: Any) -> None:
        return None

    nothing(1.0)

    @defun()
    def constants() -> Any:
        return tf.constant(1.0), tf.constant(2)

    return constants()


def _has_control_flow(tf: Any, defun: Any) -> Any:
    @defun(tf.float32)
    def doubled_until_ten(x: Any) -> Any:
        y = tf.cond(x > 1.0, lambda: x * 2.0, lambda: x + 3.0)
        return tf.while_loop(lambda i: i < 10.0, lambda i: i + y, [x])

    return doubled_until_ten(tf.constant(2.0))


def _has_other_types(tf: Any, defun: Any) -> Any:
    @defun(tf.float32, tf.int32)
    def scaled(a: Any, b: Any) -> Any:
        return a * tf.cast(b, tf.float32), b + 1

    x = tf.constant(2.0)
    product, successor = scaled(x, tf.constant(3))
    return [product, successor, *tf.gradients(product, [x])]


_PROGRAMS = [
    _adds,
    _captures,
    _has_variable,
    _has_resource_variable,
    _is_overloaded,
    _has_gradient_function,
    _has_python_gradient,
    _is_overloaded_with_gradient,
    _calls_another,
    _differentiates_inside,
    _copies_what_it_captures,
    _keeps_device,
    _says_shapes,
    _takes_any_number,
    _is_called_in_cond,
    _asserts,
    _has_no_result,
    _has_control_flow,
    _has_other_types,
]


@pytest.mark.parametrize("functional", [False, True], ids=["v1", "v2"])
@pytest.mark.parametrize("program", _PROGRAMS, ids=lambda program: program.__name__)
def test_program(program: DefunProgram, functional: bool) -> None:
    """Nodes, functions, gradients, and what they compute."""
    _assert_same(program, functional)


def test_names_are_tensorflows() -> None:
    """The hash in a name is over the whole function, strings, devices and control edges too."""

    def names(tf: Any, defun: Any) -> list[str]:
        @defun(tf.float32, tf.float64)
        def many(x: Any, y: Any) -> Any:
            """Does several things."""
            with tf.control_dependencies([x + 1.0]), tf.device("/cpu:0"):
                flat = tf.reshape(x, [-1, 2])
            text = tf.constant(["a", "bcd" * 100, ""])
            return flat, tf.constant([], tf.int64), text, tf.cond(y > 1.0, lambda: y, lambda: -y)

        @defun()
        def nothing() -> Any:
            return []

        return [many.name, nothing.name]

    with oracle.Graph().as_default():
        theirs = names(oracle, oracle_function.Defun)
    with tf.Graph().as_default():
        ours = names(tf, function.Defun)
    assert ours == theirs


def test_properties() -> None:
    """What a program can ask a function."""

    def asked(tf: Any, defun: Any) -> list[Any]:
        c = tf.constant(5.0, name="c")

        @defun(tf.float32, func_name="Noisy")
        def noisy(x: Any) -> Any:
            return x * c + tf.random_uniform([])

        return [
            noisy.name,
            noisy.grad_func_name,
            noisy.python_grad_func,
            [tensor.name for tensor in noisy.captured_inputs],
            noisy.stateful_ops,
            [dtype.name for dtype in noisy.declared_input_types],
            noisy.definition.signature.is_stateful,
        ]

    with oracle.Graph().as_default():
        theirs = asked(oracle, oracle_function.Defun)
    with tf.Graph().as_default():
        assert asked(tf, function.Defun) == theirs


def test_surroundings() -> None:
    """Inside of a function the variables and captures so far can be asked for."""

    def asked(tf: Any, module: Any, defun: Any) -> list[Any]:
        outer = tf.constant(1.0, name="outer")
        seen: list[Any] = [module.get_extra_vars(), module.get_extra_inputs()]

        @defun(tf.float32, func_name="Seen")
        def noting(x: Any) -> Any:
            w = tf.get_variable("w", [], initializer=tf.ones_initializer())
            y = x * outer + w
            seen.append([each.name for each in module.get_extra_vars()])
            seen.append([each.name for each in module.get_extra_inputs()])
            seen.append([each.name for each in module.get_extra_args()])
            return y

        noting(1.0)
        return seen

    with oracle.Graph().as_default():
        theirs = asked(oracle, oracle_function, oracle_function.Defun)
    with tf.Graph().as_default():
        assert asked(tf, defun_graph, function.Defun) == theirs


def _twice_by_one_name(tf: Any, defun: Any) -> None:
    defun(tf.float32, func_name="Same")(lambda x: x)(tf.constant(1.0))
    defun(tf.float32, func_name="Same")(lambda x: x * 2.0)(tf.constant(1.0))


def _copies_placeholder(tf: Any, defun: Any) -> None:
    outer = tf.placeholder(tf.float32, name="outer")
    defun(tf.float32, func_name="Copies", capture_by_value=True)(lambda x: x + outer)(1.0)


def _two_gradients(tf: Any, defun: Any) -> None:
    backward = defun(tf.float32, tf.float32, func_name="B")(lambda x, dy: dy)
    settings = {"grad_func": backward, "python_grad_func": lambda op, grad: grad}
    defun(tf.float32, func_name="Both", **settings)(lambda x: x)(tf.constant(1.0))


_REFUSED: dict[str, DefunProgram] = {
    "no function": lambda tf, defun: defun(tf.float32)(3),
    "no arguments given": lambda tf, defun: defun(tf.float32, func_name="X")(lambda x: x)(),
    "type": lambda tf, defun: defun(tf.float32, func_name="X")(lambda x: x)(tf.constant(1)),
    "two types": lambda tf, defun: defun(tf.float32, tf.float64, func_name="X")(
        lambda x, y: x + 1.0
    )(tf.constant(1), tf.constant("a")),
    "keyword": lambda tf, defun: defun(tf.float32, func_name="X", foo=3)(lambda x: x).name,
    "None among results": lambda tf, defun: defun(tf.float32, func_name="X")(lambda x: [x, None])(
        tf.constant(1.0)
    ),
    "too few names": lambda tf, defun: defun(tf.float32, func_name="X", out_names=["a"])(
        lambda x: [x, x]
    )(tf.constant(1.0)),
    "same names": lambda tf, defun: defun(tf.float32, func_name="X", out_names=["a", "a"])(
        lambda x: [x, x]
    )(tf.constant(1.0)),
    "operation as result": lambda tf, defun: defun(tf.float32, func_name="X")(
        lambda x: tf.group(x)
    )(tf.constant(1.0)),
    "name of an op": lambda tf, defun: defun(tf.float32, func_name="MatMul")(lambda x: x)(1.0),
    "name of a lambda": lambda tf, defun: defun(tf.float32)(lambda x: x + 1.0)(1.0),
    "name of another": _twice_by_one_name,
    "copy of a placeholder": _copies_placeholder,
    "two gradients": _two_gradients,
}


@pytest.mark.parametrize("program", _REFUSED.values(), ids=_REFUSED)
def test_refusal(program: DefunProgram) -> None:
    """Type and text are TensorFlow's."""

    def refused(library: Any, defun: Any) -> Exception:
        with library.Graph().as_default():
            try:
                program(library, defun)
            except Exception as error:
                return error
        raise AssertionError(f"{library.__name__} builds the program")

    theirs = refused(oracle, oracle_function.Defun)
    ours = refused(tf, function.Defun)
    assert type(ours).__name__ == type(theirs).__name__
    said = as_in_tensorflow_1(getattr(theirs, "message", str(theirs)))
    assert getattr(ours, "message", str(ours)) == said


def test_declared_function_calls_itself() -> None:
    """A function is called, in its own body, before it is defined."""
    with tf.Graph().as_default():
        declared = function.Declare("Factorial", [("n", tf.int32)], [("y", tf.int32)])

        @function.Defun(tf.int32, func_name="Factorial", out_names=["y"])
        def factorial(n: Any) -> Any:
            return tf.switch_case(
                tf.cast(n > 1, tf.int32), [lambda: tf.constant(1), lambda: n * declared(n - 1)]
            )

        with tf.Session() as session:
            assert session.run(factorial(tf.constant(6))) == 720


def test_gradient_of_a_function_with_a_loop_in_it() -> None:
    """Differentiated when it runs, as it has no gradient of its own."""
    with tf.Graph().as_default(), functional_control_flow(tf):

        @function.Defun(tf.float32)
        def power(x: Any) -> Any:
            return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * x), [0, x])[1]

        x = tf.constant([2.0, 3.0])
        (slope,) = tf.gradients(power(x), x)
        assert slope.op.type == "SymbolicGradient"
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(slope), 4 * np.array([8.0, 27.0]))

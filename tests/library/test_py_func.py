"""Python functions as operations: where they run, how long they live, what reaches their device."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.conftest import SessionFactory
from tests.oracle import oracle


def test_a_function_keeps_its_state_over_steps_and_plans(session_factory: SessionFactory) -> None:
    seen: list[Any] = []

    def count(value: Any) -> Any:
        seen.append(value)
        return np.int64(len(seen))

    with tf.Graph().as_default() as graph:
        number = tf.py_func(count, [3], tf.int64)
        twice, text = number * 2, tf.py_func(lambda: "t\u00e9xt", [], tf.string)
        failing = tf.py_func(lambda: [][1], [], tf.int64)
    with session_factory(graph) as session:
        assert session.run(number) == 1
        assert session.run(twice) == 4
        assert session.run([number, text]) == [3, "t\u00e9xt".encode()]
        with pytest.raises(tf.errors.UnknownError, match="IndexError: list index out of range"):
            session.run(failing)
        assert session.run(number) == 4


def test_functions_wait_for_each_other_and_stateless_ones_run_once() -> None:
    met, numbers = threading.Barrier(2, timeout=60), iter(range(3))
    with tf.Graph().as_default(), tf.Session() as session:
        meeting = [tf.py_func(lambda: met.wait() < 2, [], tf.bool) for _ in range(2)]
        assert session.run(meeting) == [True, True]
        number = tf.py_func(lambda: next(numbers), [], tf.int64, stateful=False)
        assert [session.run(number) for _ in range(3)] == [0, 0, 0]
        nothing = tf.py_func(lambda: None, [], [], stateful=False, name="nothing")
        assert nothing == []
        assert session.graph.get_operation_by_name("nothing").type == "PyFuncStateless"


def test_what_a_function_writes_to_its_inputs_nobody_sees(session_factory: SessionFactory) -> None:
    def clear(array: Any) -> None:
        array[...] = 0

    with tf.Graph().as_default() as graph:
        x = tf.constant([1.0, 2.0]) * 2.0
        with tf.control_dependencies([tf.py_func(clear, [x], [])]):
            after = tf.identity(x)
    with session_factory(graph) as session:
        assert session.run(after).tolist() == [2.0, 4.0]


def test_a_stranger_s_token_calls_nothing(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        tf.py_func(lambda: 1, [], tf.int64, name="call")
        graph_def = graph.as_graph_def()
    graph_def.node[0].attr["token"].s = b"pyfunc_of_nobody"
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
    error, text = tf.errors.InvalidArgumentError, "Could not find callback with key"
    with session_factory(graph) as session, pytest.raises(error, match=text):
        session.run("call:0")


@pytest.mark.parametrize("target", ["ray"], indirect=True)
def test_what_cannot_travel_is_said_to(session_factory: SessionFactory) -> None:
    lock = threading.Lock()

    def held() -> Any:
        return np.int64(lock.locked())

    with tf.Graph().as_default() as graph:
        stuck, free = tf.py_func(held, [], tf.int64), tf.py_func(lambda: 2, [], tf.int64)
    with session_factory(graph) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"cannot be sent to .*held"):
            session.run(stuck)
        assert session.run(free) == 2


def test_the_graph_keeps_functions_alive() -> None:
    class Function:
        def __call__(self) -> Any:
            return np.int64(1)

    functions, zero = [Function()], np.int64(0)
    alive = weakref.ref(functions[0])
    graph = tf.Graph()
    with graph.as_default():
        made = tf.cond(
            tf.constant(True), lambda: tf.py_func(functions.pop(), [], tf.int64), lambda: zero
        )
    with tf.Session(graph=graph) as session:
        assert session.run(made) == 1
    del graph, made, session
    gc.collect()
    assert alive() is None


def test_gradients_pass_through_functions_on_values(session_factory: SessionFactory) -> None:
    def clipped(x: Any) -> Any:
        return x * x if x < 2.0 else 4.0 * x

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        y = tf.py_function(clipped, [x], tf.float32)
        (slope,) = tf.gradients(y, [x])
    with session_factory(graph) as session:
        assert session.run([y, slope], {x: 1.5}) == [2.25, 3.0]
        assert session.run([y, slope], {x: 3.0}) == [12.0, 4.0]


def test_tensors_at_hand_outlive_their_call() -> None:
    def program(library: Any) -> list[Any]:
        kept: list[Any] = []

        def keep(x: Any) -> Any:
            kept.append(x * 2.0)
            return x

        def again(y: Any) -> Any:
            return kept[0] * y, kept[0], sum(kept)

        with library.Graph().as_default(), library.Session() as session:
            x, y = (library.placeholder(library.float32, [2]) for _ in range(2))
            first = library.py_function(keep, [x], library.float32)
            with library.control_dependencies([first]):
                made = library.py_function(again, [y], [library.float32] * 3)
                slope = library.gradients(made[0], y)
            runs = [
                session.run([made, slope], {x: [1.0, number], y: [3.0, number]})
                for number in (4.0, 5.0)
            ]
        return [runs, [one.numpy() for one in kept]]

    for ours, theirs in zip(program(tf), program(oracle), strict=True):
        np.testing.assert_equal(ours, theirs)


def test_a_function_has_no_tensors_of_the_graph_around() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        outer = tf.constant(1.0)
        for function in (lambda: outer, lambda: outer + 1.0):
            made = tf.py_function(function, [], tf.float32)
            with pytest.raises(tf.errors.InvalidArgumentError, match="from the same graph"):
                session.run(made)

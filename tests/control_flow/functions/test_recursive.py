"""Functions that call themselves: depth, errors, cancellation, state, and what is left behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops

import dataflow as tf
from dataflow.actors.plan import call_limits
from tests.control_flow.placed.devices import devices_of
from tests.control_flow.programs.function_programs import (
    PROGRAMS,
    FunctionProgram,
    as_ours,
    declare,
    graph_def_of,
    oracle,
)
from tests.ray.actors import eventually


@contextmanager
def session_of(program: FunctionProgram, library: Any = tf) -> Iterator[Any]:
    graph_def = graph_def_of(program)
    with library.Graph().as_default() as graph:
        library.import_graph_def(as_ours(graph_def) if library is tf else graph_def, name="")
        with library.Session(graph=graph) as session:
            yield session


def _define(name: str, types: Any, result: Any, more: Any, end: Any) -> Any:
    """A function of n, ... that is `more` while n > 0 and then `end`."""
    named = {"out_names": ["y"]}
    again = declare(name, types, result)
    step = function.Defun(*types, func_name=f"{name}_more", **named)(
        lambda *args: more(again, *args)
    )
    stop = function.Defun(*types, func_name=f"{name}_end", **named)(end)
    choose = function.Defun(*types, func_name=name, **named)(
        lambda *args: functional_ops.If(args[0] > 0, list(args), step, stop)[0]
    )
    choose.add_to_graph(oracle.get_default_graph())
    return again


def _n() -> Any:
    return oracle.placeholder(oracle.int32, [], name="n")


def sums() -> None:
    """1 + 2 + ... + n, with work after each return."""
    call = _define(
        "sums",
        [oracle.int32],
        oracle.int32,
        lambda again, n: n + again(n - 1),
        lambda n: oracle.identity(n),
    )
    oracle.identity(call(_n()), name="y")


def test_thousands_of_levels() -> None:
    with session_of(FunctionProgram(sums)) as session:
        for n in (0, 1, 10, 3000):
            assert session.run("y:0", {"n:0": n}) == n * (n + 1) // 2
    with session_of(PROGRAMS["parity"]) as session:
        # Nothing is left to do after the calls: they must not pile up when they return either.
        assert session.run(["y:0", "z:0"], {"n:0": 4000}) == [True, False]


def test_branching_recursion_agrees_with_python() -> None:
    def python(n: int) -> int:
        return n if n < 2 else python(n - 1) + python(n - 2)

    with session_of(PROGRAMS["fibonacci"]) as session:
        assert session.run("y:0", {"n:0": 12}) == python(12)


def _failing() -> None:
    call = _define(
        "deep",
        [oracle.int32, oracle.float32],
        oracle.float32,
        lambda again, n, x: again(n - 1, x - 1.0),
        lambda n, x: oracle.check_numerics(1.0 / x, "bottom", name="check"),
    )
    x = oracle.placeholder(oracle.float32, [], name="x")
    oracle.identity(call(_n(), x), name="y")


def test_an_error_deep_inside_names_its_node_and_the_call() -> None:
    with session_of(FunctionProgram(_failing)) as session:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run("y:0", {"n:0": 500, "x:0": 500.0})
        message = str(caught.value)
        assert "bottom : Tensor had Inf" in message
        assert "check" in message
        assert "in the function that node 'deep_declared' calls" in message
        # Each call is named once, not at each of the 500 levels.
        assert len(message.splitlines()) < 20
        # The next run is as if nothing had been.
        assert session.run("y:0", {"n:0": 500, "x:0": 502.0}) == 0.5


def test_a_recursion_without_end_can_be_cancelled() -> None:
    def build() -> None:
        call = _define(
            "endless",
            [oracle.int32],
            oracle.int32,
            lambda again, n: again(n),
            lambda n: oracle.identity(n),
        )
        oracle.identity(call(_n()), name="y")

    with session_of(FunctionProgram(build)) as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run("y:0", {"n:0": 1}, tf.RunOptions(timeout_in_ms=300))
        assert session.run("y:0", {"n:0": 0}) == 0


def test_variables_change_at_every_level() -> None:
    def build() -> None:
        v = oracle.get_variable("v", initializer=1.0, use_resource=True)

        def more(again: Any, n: Any, handle: Any) -> Any:
            grown = oracle.raw_ops.AssignAddVariableOp(resource=handle, value=2.0)
            with oracle.control_dependencies([grown]):
                return again(n - 1, handle)

        call = _define(
            "grow",
            [oracle.int32, oracle.resource],
            oracle.float32,
            more,
            lambda n, handle: oracle.raw_ops.ReadVariableOp(resource=handle, dtype=oracle.float32),
        )
        oracle.identity(call(_n(), v.handle), name="y")
        oracle.global_variables_initializer()

    outcomes = []
    for library in (oracle, tf):
        with session_of(FunctionProgram(build), library) as session:
            session.run("init")
            outcomes.append([session.run("y:0", {"n:0": n}) for n in (0, 3, 1)])
    assert outcomes[1] == outcomes[0] == [1.0, 7.0, 9.0]


def test_recursion_inside_of_a_loop_and_a_loop_inside_of_recursion() -> None:
    def build() -> None:
        def more(again: Any, n: Any) -> Any:
            # n + (n - 1) + ... by a loop, times the next level.
            total = oracle.while_loop(
                lambda i, total: i > 0,
                lambda i, total: (i - 1, total + i),
                [oracle.reshape(n, []), 0],
            )[1]
            return total + again(n - 1)

        call = _define("mixed", [oracle.int32], oracle.int32, more, lambda n: n * 1)
        n = _n()
        result = oracle.while_loop(
            lambda i, total: i < n,
            lambda i, total: (i + 1, total + oracle.reshape(call(i), [])),
            [0, 0],
        )
        oracle.identity(result[1], name="y")

    def triangle(n: int) -> int:
        return n * (n + 1) // 2

    def mixed(n: int) -> int:
        return 0 if n == 0 else triangle(n) + mixed(n - 1)

    with session_of(FunctionProgram(build)) as session:
        for n in (0, 1, 7):
            assert session.run("y:0", {"n:0": n}) == sum(map(mixed, range(n)))


def test_arrays_of_any_shape_pass_through() -> None:
    def build() -> None:
        call = _define(
            "grow",
            [oracle.int32, oracle.float32],
            oracle.float32,
            lambda again, n, x: again(n - 1, oracle.concat([x, x * 2.0], 0)),
            lambda n, x: oracle.identity(x),
        )
        x = oracle.placeholder(oracle.float32, [None], name="x")
        oracle.identity(call(_n(), x), name="y")

    with session_of(FunctionProgram(build)) as session:
        grown = session.run("y:0", {"n:0": 3, "x:0": np.float32([1, 3])})
        expected = np.float32([1, 3])
        for _ in range(3):
            expected = np.concatenate([expected, expected * 2])
        np.testing.assert_array_equal(grown, expected)


def test_sessions_free_what_calls_have_made() -> None:
    with session_of(PROGRAMS["parity"]) as session:
        (device,) = devices_of(session)
        session.run("y:0", {"n:0": 50})
        plans = len(device._function_plans)
        session.run("y:0", {"n:0": 80})
        # One plan for a function, however often it is called.
        assert len(device._function_plans) == plans > 0
        assert device.steps_in_flight == 0
    assert not device._function_plans


def test_many_threads_call_the_same_function() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with session_of(FunctionProgram(sums)) as session, ThreadPoolExecutor(8) as threads:
        counts = [n % 40 for n in range(200)]
        found = threads.map(lambda n: session.run("y:0", {"n:0": n}), counts)
        assert list(found) == [n * (n + 1) // 2 for n in counts]


def _endless() -> None:
    call = _define(
        "endless",
        [oracle.int32],
        oracle.int32,
        lambda again, n: again(n) + 1,
        lambda n: oracle.identity(n),
    )
    oracle.identity(call(_n()), name="y")


def test_a_recursion_without_end_ends_with_an_error_that_names_the_function() -> None:
    with session_of(FunctionProgram(_endless)) as session:
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            session.run("y:0", {"n:0": 1})
        assert "Function 'endless" in caught.value.message
        assert f"{call_limits.MOST} calls of the step" in caught.value.message
        (device,) = devices_of(session)
        assert eventually(lambda: device.steps_in_flight == 0)
        assert session.run("y:0", {"n:0": 0}) == 0


def test_calls_leave_memory_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    # More than all of the memory can never be free.
    monkeypatch.setattr(call_limits, "RESERVE", 1.5)
    with session_of(FunctionProgram(sums)) as session:
        assert session.run("y:0", {"n:0": 20}) == 210
        with pytest.raises(tf.errors.ResourceExhaustedError, match="too little memory"):
            session.run("y:0", {"n:0": 1000})


def test_the_free_part_of_the_memory_is_a_part() -> None:
    assert 0 < call_limits.free_part() <= 1

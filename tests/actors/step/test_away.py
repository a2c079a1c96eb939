"""Steps that their callers leave: what is written, who serves others meanwhile, what ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import errors
from dataflow.graph.apply_op import apply_op
from dataflow.kernels.contract.resources import Variable
from dataflow.session.session import Session
from tests.actors import trial_ops

SECONDS = 60
SOON = tf.RunOptions(timeout_in_ms=50)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Kernels of the test wait for it."""
    event = threading.Event()
    yield event
    event.set()


def call(value: tf.Tensor, name: str, function: Any) -> Any:
    """A node that calls a function of this test."""
    trial_ops.functions[name] = function
    return apply_op("TrialCall", value, name=name)


def leave(run: Callable[[], Any], has_begun: Callable[[], bool]) -> None:
    """Runs a step whose time ends until its kernel has begun before: a busy machine may be late."""
    for _ in range(50):
        with pytest.raises(errors.DeadlineExceededError):
            run()
        if has_begun():
            return
    raise AssertionError("The kernel does not begin.")


def errands() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "dataflow-errand"]


def test_nothing_that_follows_a_kernel_that_was_left_runs(gate: threading.Event) -> None:
    began, ended = threading.Event(), threading.Event()

    def hang(value: Any) -> Any:
        if value:
            began.set()
            assert gate.wait(SECONDS)
            ended.set()
        return value

    with tf.Graph().as_default(), Session() as session:
        x = tf.placeholder(tf.float32, [])
        variable = tf.Variable(0.0)
        session.run(variable.initializer)
        update = tf.assign_add(variable, call(x, "hang", hang) + 1.0)
        # Interpreted, and as generated code.
        for runs in (1, 2, 3):
            for event in (gate, began, ended):
                event.clear()
            assert session.run(update, {x: 0.0}) == runs
            leave(lambda: session.run(update, {x: 1.0}, SOON), began.is_set)
            gate.set()
            assert ended.wait(SECONDS)
            time.sleep(0.02)
            assert session.run(variable) == runs


def test_an_update_in_place_is_waited_for(gate: threading.Event) -> None:
    """It is whole when the caller of the step that was stopped goes on."""
    cell = Variable("v", np.dtype(np.float32))
    cell.value = np.zeros(4, np.float32)
    writing = threading.Event()
    opener = threading.Timer(0.6, gate.set)

    def write(value: Any) -> Any:
        def change(old: Any, owned: bool) -> Any:
            assert owned
            old[:2] = 1.0
            writing.set()
            opener.start()
            assert gate.wait(SECONDS)
            old[2:] = 1.0
            return old

        cell.update(change)
        return value

    with tf.Graph().as_default(), Session() as session:
        x = tf.placeholder(tf.float32, [])
        late = call(x, "write", write)
        leave(lambda: session.run(late, {x: 1.0}, SOON), writing.is_set)
        assert gate.is_set()
        assert cell.value.tolist() == [1.0] * 4
        opener.join()


def test_a_variable_is_closed_to_a_step_that_was_stopped(gate: threading.Event) -> None:
    """Each way to write: what was read before the step was stopped is not stored after it."""
    cell = Variable("v", np.dtype(np.float32))
    cell.value = np.zeros(3, np.float32)
    refused: list[str] = []

    def store() -> None:
        cell.value = np.ones(3, np.float32)

    ways = {
        "store": store,
        "in place": lambda: cell.update(lambda old, owned: np.add(old, 1, out=old)),
        "anew": lambda: cell.update(lambda old, owned: old + 1),
    }

    began = threading.Event()

    def write(value: Any) -> Any:
        began.set()
        assert gate.wait(SECONDS)
        for name, way in ways.items():
            held = cell.value if name == "anew" else None
            try:
                way()
            except Exception:
                refused.append(name)
            del held
        return value

    with tf.Graph().as_default(), Session() as session:
        x = tf.placeholder(tf.float32, [])
        late = call(x, "write", write)
        leave(lambda: session.run(late, {x: 1.0}, SOON), began.is_set)
        gate.set()
        deadline = time.monotonic() + SECONDS
        while len(refused) < len(ways) and time.monotonic() < deadline:
            time.sleep(0.005)
    assert refused == list(ways)
    assert cell.value.tolist() == [0.0] * 3


def test_an_error_on_another_device_ends_the_step(gate: threading.Event) -> None:
    began = threading.Event()

    def hang(value: Any) -> Any:
        time.sleep(0.003)
        if value[0]:
            began.set()
            assert gate.wait(SECONDS)
        return value

    def fail(value: Any) -> Any:
        time.sleep(0.003)
        if value[0]:
            assert began.wait(SECONDS)
            raise errors.DataLossError(None, None, "lost")
        return value

    config = tf.ConfigProto(device_count={"CPU": 2}, inter_op_parallelism_threads=4)
    with tf.Graph().as_default(), Session(config=config) as session:
        x = tf.placeholder(tf.float32, [1])
        with tf.device("/cpu:0"):
            hung = call(x, "hang", hang)
        with tf.device("/cpu:1"):
            failed = call(x, "fail", fail)
        # Until it is known that both are worth a thread.
        for _ in range(3):
            session.run([hung, failed], {x: [0.0]})
        started = time.monotonic()
        with pytest.raises(errors.DataLossError, match="lost"):
            session.run([hung, failed], {x: [1.0]}, tf.RunOptions(timeout_in_ms=1000 * SECONDS))
        assert time.monotonic() - started < SECONDS / 2
        assert session.run(hung, {x: [0.0]}) == [0.0]


def test_threads_that_were_left_end(gate: threading.Event) -> None:
    def hang(value: Any) -> Any:
        assert gate.wait(SECONDS)
        return value

    before = errands()
    with tf.Graph().as_default():
        session = Session()
        x = tf.placeholder(tf.float32, [])
        late = call(x, "hang", hang)
        for count in (1, 2, 3):
            leave(
                lambda: session.run(late, {x: 1.0}, SOON),
                lambda count=count: len(set(errands()) - set(before)) == count,
            )
        started = time.monotonic()
        session.close()
        assert time.monotonic() - started < SECONDS / 2
        gate.set()
        for thread in set(errands()) - set(before):
            thread.join(SECONDS)
            assert not thread.is_alive()


def test_close_ends_a_partial_run(gate: threading.Event) -> None:
    began = threading.Event()

    def hang(value: Any) -> Any:
        began.set()
        assert gate.wait(SECONDS)
        return value

    config = tf.ConfigProto(inter_op_parallelism_threads=2)
    with tf.Graph().as_default():
        session = Session(config=config)
        x = tf.placeholder(tf.float32, [])
        late = call(x, "hang", hang)
        handle = session.partial_run_setup([late], [x])
        ended: list[Any] = []

        def run() -> None:
            try:
                session.partial_run(handle, late, {x: 1.0})
            except errors.CancelledError as error:
                ended.append((time.monotonic(), error))

        thread = threading.Thread(target=run)
        thread.start()
        assert began.wait(SECONDS)
        started = time.monotonic()
        session.close()
        thread.join(SECONDS)
        assert ended[0][0] - started < SECONDS / 2

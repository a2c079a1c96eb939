"""Steps of `run_async` in this process: how many run at once, and stages that overlap."""

from __future__ import annotations

import threading
from concurrent import futures
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.errors import CancelledError
from dataflow.graph.apply_op import apply_op
from dataflow.session.session import Session
from tests.actors import trial_ops

SECONDS = 60
"""More than any wait here takes."""


def call(value: tf.Tensor, name: str, function: Any) -> Any:
    """A node that calls a function of this test."""
    trial_ops.functions[name] = function
    return apply_op("TrialCall", value, name=name)


def async_threads() -> set[threading.Thread]:
    return {t for t in threading.enumerate() if t.name == "dataflow-run-async"}


def test_no_more_run_than_the_limit() -> None:
    lock, running, most = threading.Lock(), 0, 0

    def count(value: Any) -> Any:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            if running == limit:
                full.set()
        assert full.wait(SECONDS)
        # Time for one too many to come in.
        never.wait(0.01)
        with lock:
            running -= 1
        return value

    never = threading.Event()
    with tf.Graph().as_default(), Session() as session:
        x = tf.placeholder(tf.float32, [])
        y = call(x, "count", count)
        for limit in (3, 1, 5):
            most, full = 0, threading.Event()
            session.max_steps_in_flight = limit
            steps = [session.run_async(y, {x: i}) for i in range(4 * limit)]
            assert [future.result(SECONDS) for future in steps] == list(range(4 * limit))
            assert most == limit


@pytest.mark.parametrize("stages", [2, 4])
def test_stages_on_different_devices_overlap(stages: int) -> None:
    """Each stage of a step waits until the stage before it has the next step."""
    steps = 8
    began = [[threading.Event() for _ in range(steps)] for _ in range(stages)]

    def stage(number: int) -> Any:
        def run(value: Any) -> Any:
            step = int(value[0])
            began[number][step].set()
            if number and step + 1 < steps:
                assert began[number - 1][step + 1].wait(SECONDS)
            return value

        return run

    config = tf.ConfigProto(device_count={"CPU": stages})
    with tf.Graph().as_default(), Session(config=config) as session:
        x = y = tf.placeholder(tf.float32, [1])
        for number in range(stages):
            with tf.device(f"/cpu:{number}"):
                y = call(y, f"stage_{number}", stage(number))
        session.max_steps_in_flight = stages + 1
        done = [session.run_async(y, {x: [step]}) for step in range(steps)]
        assert [future.result(SECONDS).tolist() for future in done] == [[s] for s in range(steps)]


def test_an_array_that_cannot_be_written_to_is_not_copied() -> None:
    seen: list[Any] = []

    def note(value: Any) -> Any:
        seen.append(value)
        return value

    with tf.Graph().as_default(), Session() as session:
        x = tf.placeholder(tf.float32, [4])
        y = call(x, "note", note)
        array = np.arange(4, dtype=np.float32)
        session.run_async(y, {x: array}).result(SECONDS)
        array.flags.writeable = False
        session.run_async(y, {x: array}).result(SECONDS)
    assert not np.shares_memory(seen[0], array)
    assert np.shares_memory(seen[1], array)


def test_close_does_not_wait_for_a_kernel_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dataflow.session.queue._CLOSE_PATIENCE", 0.1)
    started, gate, others = threading.Event(), threading.Event(), async_threads()

    def block(value: Any) -> Any:
        started.set()
        assert gate.wait(SECONDS)
        return value

    with tf.Graph().as_default():
        session = Session()
        x = tf.placeholder(tf.float32, [])
        future = session.run_async(call(x, "block", block), {x: 1.0})
        assert started.wait(SECONDS)
        closing = threading.Thread(target=session.close)
        closing.start()
        with pytest.raises(CancelledError, match="Session was closed"):
            future.result(SECONDS)
        gate.set()
        closing.join(SECONDS)
    for thread in async_threads() - others:
        thread.join(SECONDS)
        assert not thread.is_alive()


def test_a_step_that_runs_keeps_its_session_open() -> None:
    gate = threading.Event()

    def wait(value: Any) -> Any:
        assert gate.wait(SECONDS)
        return value

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        future: futures.Future[Any] = Session().run_async(call(x, "wait", wait), {x: 3.0})
        gate.set()
        assert future.result(SECONDS) == 3.0

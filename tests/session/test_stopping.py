"""Steps end within a second of being stopped, though a kernel of theirs takes several."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import errors
from dataflow.ops.linalg.qr import qr
from dataflow.session.session import Session
from tests.conftest import SessionFactory
from tests.ray.actors import eventually

SOON = 1.0
"""Seconds within which a step that was stopped has ended for its caller."""
AFTER = tf.RunOptions(timeout_in_ms=100)


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    """What goes on after a step would take processor and memory from the tests that follow."""
    before = set(threading.enumerate())
    yield
    for thread in threading.enumerate():
        if thread.name == "dataflow-errand" and thread not in before:
            thread.join(60)


class Long:
    """A node that takes seconds if it is fed a large size, and what it is fed."""

    def __init__(self, make: Callable[[tf.Tensor], Any], large: int, device: str = "") -> None:
        with tf.device(device):
            self.size = tf.placeholder(tf.int32, [])
            self.node = make(self.size)
        self.large = {self.size: large}
        self.small = {self.size: 4}


def uniform(size: tf.Tensor) -> Any:
    return tf.reduce_max(tf.random_uniform([size]))


def seeded_normal(size: tf.Tensor) -> Any:
    return tf.reduce_max(tf.random_normal([size], seed=7))


def smallest_of_segments(size: tf.Tensor) -> Any:
    return tf.segment_min(tf.cast(tf.range(size), tf.float32), tf.range(size) // 3)


def decomposition(size: tf.Tensor) -> Any:
    """One call of LAPACK, which nothing can stop."""
    return tf.reduce_sum(qr(tf.random_uniform([size, size]))[0])


def product(size: tf.Tensor) -> Any:
    a = tf.random_uniform([size, size])
    return tf.reduce_sum(tf.matmul(a, a))


def iterations(size: tf.Tensor) -> Any:
    return tf.while_loop(lambda i: i < size, lambda i: i + 1, [0])


KERNELS = {
    "uniform": (uniform, 150_000_000),
    "normal": (seeded_normal, 40_000_000),
    "segments": (smallest_of_segments, 60_000_000),
    "qr": (decomposition, 2500),
    "product": (product, 5500),
    "loop": (iterations, 10**8),
}


def is_soon(call: Callable[[], Any]) -> bool:
    """Whether a call ends soon; what does not for its own sake, not that of a busy machine, never
    does."""

    def seconds() -> float:
        started = time.monotonic()
        call()
        return time.monotonic() - started

    return any(seconds() < SOON for _ in range(10))


def runs_out_of_time(call: Callable[[], Any]) -> None:
    with pytest.raises(errors.DeadlineExceededError):
        call()


def see_that_it_serves(session: Session) -> None:
    """Small steps are right and quick while something is left behind."""
    x = tf.placeholder(tf.float32, [2])
    y = tf.reduce_sum(x * 2.0)

    def run() -> None:
        for value in range(3):
            assert session.run(y, {x: [value, 1.0]}) == 2.0 * value + 2.0

    assert is_soon(run)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_time_out(kernel: str, session_factory: SessionFactory) -> None:
    long = Long(*KERNELS[kernel])
    session = session_factory()
    session.run(long.node, long.small)
    assert is_soon(lambda: runs_out_of_time(lambda: session.run(long.node, long.large, AFTER)))
    see_that_it_serves(session)


def test_the_time_out_of_a_session(session_factory: SessionFactory) -> None:
    long = Long(*KERNELS["qr"])
    config = tf.ConfigProto(operation_timeout_in_ms=200)
    session = session_factory(config=config)
    run = session.make_callable(long.node, [long.size])
    assert is_soon(lambda: runs_out_of_time(lambda: run(2500)))

    def serves() -> bool:
        try:
            return bool(np.isfinite(run(4)))
        except errors.DeadlineExceededError:
            return False

    assert eventually(serves)


@pytest.mark.parametrize("kernel", ["qr", "uniform"])
def test_close(kernel: str, session_factory: SessionFactory) -> None:
    long = Long(*KERNELS[kernel])
    assert any(closes_soon(session_factory(), long) for _ in range(10))


def closes_soon(session: Session, long: Long) -> bool:
    """Whether closing a session soon ends what runs in it; it does end it."""
    session.run(tf.constant(1.0))
    ended: list[float] = []
    cancelled: list[BaseException] = []

    def run() -> None:
        try:
            session.run(long.node, long.large)
        except errors.OpError as error:
            cancelled.append(error)
        except RuntimeError:
            pass  # The thread has come too late: the session was closed.
        ended.append(time.monotonic())

    thread = threading.Thread(target=run)
    thread.start()
    later = session.run_async(long.node, long.large)
    thread.join(0.2)
    started = time.monotonic()
    session.close()
    closed = time.monotonic()
    thread.join(60)
    assert all(isinstance(error, errors.CancelledError) for error in cancelled)
    assert isinstance(later.exception(0), errors.CancelledError)
    return bool(cancelled) and max(closed, ended[0]) - started < SOON


def test_an_update_of_a_step_that_was_stopped_does_not_land(
    session_factory: SessionFactory,
) -> None:
    variable = tf.Variable(1.0, name="not_to_land")
    long = Long(decomposition, 1500)
    late = tf.assign_add(variable, tf.minimum(tf.abs(long.node), 0.0) + 1.0)
    session = session_factory()
    session.run(variable.initializer)
    session.run(late.op, long.small)
    assert is_soon(lambda: runs_out_of_time(lambda: session.run(late.op, long.large, AFTER)))
    # Until the kernel that was left behind has long ended.
    for _ in range(10):
        assert session.run(variable) == 2.0
        time.sleep(0.1)
    session.run(late.op, long.small)
    assert session.run(variable) == 3.0

"""Deaths, hangs, time-outs and errors on Ray: the right error, soon, and what works afterwards."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session
from tests.ray.actors import (
    TASK,
    cluster_of,
    eventually,
    frozen,
    is_running,
    living,
    usage,
    usage_of,
)
from tests.ray.held import HeldActors, hold
from tests.ray.kills.kill_trials import SOON
from tests.ray.lanes import actor_of

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("transport")]


class Pair:
    """A session on two devices, a step that crosses from the second to the first."""

    def __init__(self, config: tf.ConfigProto) -> None:
        self.config = config
        self.x = tf.placeholder(tf.float32, [None], name="x")
        with tf.device("/cpu:1"):
            self.y = tf.identity(self.x * 2.0, name="y")
        with tf.device("/cpu:0"):
            self.z = tf.identity(self.y + 1.0, name="z")
        self.session = Session("ray", config=self.config)
        self.processes = living(cluster_of(self.session))
        assert self.run() == [3.0]

    def run(self, fetch: Any = None, **options: Any) -> Any:
        """What the step that crosses gives for 1."""
        fetch = self.z if fetch is None else fetch
        run_options = tf.RunOptions(**options) if options else None
        return self.session.run(fetch, {self.x: [1.0]}, run_options).tolist()

    def pid(self, name: str) -> int:
        """The process of an actor."""
        return self.processes[name]


@pytest.fixture
def pair(transport: str) -> Iterator[Pair]:
    """One whose actors nobody harms."""
    config = hold(tf.ConfigProto(device_count={"CPU": 2}), transport)
    with tf.Graph().as_default(), Session("ray", graph=tf.Graph(), config=config) as kept:
        before = usage(kept)
        made = Pair(config)
        assert cluster_of(made.session) == cluster_of(kept)
        yield made
        made.session.close()
        assert eventually(lambda: usage(kept) == before)


@pytest.fixture(scope="module")
def mortals() -> Iterator[HeldActors]:
    """Actors that last until one of them is killed."""
    held = HeldActors()
    yield held
    held.let_go()


@pytest.fixture
def mortal(mortals: HeldActors, transport: str) -> Iterator[Pair]:
    """A pair whose actors may be killed."""
    config = tf.ConfigProto(device_count={"CPU": 2}, intra_op_parallelism_threads=1)
    with tf.Graph().as_default():
        made = Pair(mortals.hold(config, transport))
        yield made
        made.session.close()
    mortals.bury()
    if not all(map(is_running, made.processes.values())):
        assert eventually(lambda: not any(map(is_running, made.processes.values())))


@contextmanager
def in_thread(call: Callable[[], Any]) -> Iterator[list[Any]]:
    """Makes a call on another thread; the list is empty until it has ended, then has its result or
    error, and the time that it ended."""
    results: list[Any] = []

    def work() -> None:
        try:
            results.append(call())
        except Exception as error:
            results.append(error)
        results.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    yield results
    thread.join(60)
    assert not thread.is_alive()


FIRST, SECOND = f"{TASK}/device:CPU:0", f"{TASK}/device:CPU:1"


def test_close_while_a_device_hangs(mortal: Pair, mortals: HeldActors) -> None:
    mortals.let_go()  # The session's actors end with it.
    with frozen(mortal.pid(SECOND)):
        with in_thread(mortal.run) as results:
            assert eventually(lambda: usage_of(actor_of(mortal.session, FIRST)).steps == 1)
            mortal.session.close()
        assert isinstance(results[0], errors.CancelledError)
    assert eventually(lambda: not any(map(is_running, mortal.processes.values())))


def test_death_in_a_step(mortal: Pair, mortals: HeldActors, transport: str) -> None:
    with frozen(mortal.pid(SECOND)), in_thread(mortal.run) as results:
        # The first device waits for the second one by now.
        assert eventually(lambda: usage_of(actor_of(mortal.session, FIRST)).steps == 1)
        assert results == []
        killed = time.monotonic()
        os.kill(mortal.pid(SECOND), signal.SIGKILL)
    error, ended = results
    assert isinstance(error, errors.UnavailableError)
    assert TASK in error.message
    assert ended - killed < SOON
    for fetch in (mortal.z, mortal.y):
        # A step that was prepared, and one that was not.
        with pytest.raises(errors.UnavailableError, match=TASK):
            mortal.run(fetch)
    # A new session has new actors.
    with Session("ray", config=mortals.hold(mortal.config, transport)) as fresh:
        assert fresh.run(mortal.z, {mortal.x: [2.0]}).tolist() == [5.0]
        assert cluster_of(fresh) != cluster_of(mortal.session)


def test_death_between_steps_is_an_event(mortal: Pair) -> None:
    os.kill(mortal.pid(SECOND), signal.SIGKILL)
    connection = mortal.session._link.runtime._sessions[mortal.session._link.handle].connection
    assert eventually(lambda: not connection.is_usable, SOON)
    started = time.monotonic()
    with pytest.raises(errors.UnavailableError) as raised:
        mortal.run()
    assert time.monotonic() - started < SOON
    assert SECOND in raised.value.message and "variables" in raised.value.message
    assert "Make a new session" in raised.value.message


def test_timeout_of_a_device_that_hangs(pair: Pair) -> None:
    with frozen(pair.pid(SECOND)):
        started = time.monotonic()
        with pytest.raises(errors.DeadlineExceededError):
            pair.run(timeout_in_ms=300)
        assert 0.3 <= time.monotonic() - started < SOON
    assert pair.run(timeout_in_ms=60_000) == [3.0]
    assert eventually(lambda: all(d.steps == 0 for d in usage(pair.session).values()))


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C reaches Python, also in a process that was started to ignore it, as in background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_interrupt(pair: Pair) -> None:
    sent: list[float] = []

    def interrupt() -> None:
        # The first device waits for the second one by then.
        eventually(lambda: usage_of(actor_of(pair.session, FIRST)).steps == 1)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    with frozen(pair.pid(SECOND)):
        thread = threading.Thread(target=interrupt)
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            pair.run()
            thread.join()
        assert time.monotonic() - sent[0] < SOON
    assert pair.run() == [3.0]


def test_operation_timeout(pair: Pair) -> None:
    config = tf.ConfigProto(device_count={"CPU": 2}, operation_timeout_in_ms=400)
    with Session("ray", config=config) as session:
        options = tf.RunOptions(timeout_in_ms=60_000)
        assert session.run(pair.z, {pair.x: [1.0]}, options).tolist() == [3.0]
        with frozen(pair.pid(SECOND)), pytest.raises(errors.DeadlineExceededError):
            session.run(pair.z, {pair.x: [1.0]})
        # More is allowed for this run.
        assert session.run(pair.z, {pair.x: [1.0]}, options).tolist() == [3.0]


def test_first_error_wins_and_the_next_run_works(pair: Pair) -> None:
    with tf.device("/cpu:1"):
        shape = tf.placeholder(tf.int32, [None], name="shape")
        bad = tf.reshape(pair.x, shape, name="bad")
    with tf.device("/cpu:0"):
        after = tf.identity(bad, name="after")
    good = {pair.x: [1.0, 2.0], shape: [2, 1]}
    for _ in range(3):
        with pytest.raises(errors.InvalidArgumentError) as raised:
            pair.session.run([after, pair.z], {pair.x: [1.0, 2.0], shape: [3]})
        error = raised.value
        assert error.op is not None and error.op.name == "bad"
        assert "Input to reshape is a tensor with 2 values" in error.message
        assert SECOND in error.message and "inputs: float32[2], int32[1]" in error.message
        assert "test_faults.py" in error.message
        assert pair.session.run(after, good).shape == (2, 1)
    held = usage(pair.session)
    assert eventually(lambda: all(d.steps == 0 for d in usage(pair.session).values())), held
    assert eventually(lambda: all(d.rendezvous == 0 for d in usage(pair.session).values()))


def test_many_steps_fail_while_others_go_on(pair: Pair) -> None:
    with tf.device("/cpu:1"):
        shape = tf.placeholder(tf.int32, [None])
        bad = tf.reshape(pair.x, shape)
    with tf.device("/cpu:0"):
        after = tf.identity(bad)
    failures: list[Any] = []

    def work(number: int) -> None:
        for count in range(15):
            value = float(number * 100 + count)
            try:
                if (number + count) % 3:
                    found = pair.session.run(pair.z, {pair.x: [value]})
                    assert found == [2 * value + 1]
                else:
                    with pytest.raises(errors.InvalidArgumentError):
                        pair.session.run(after, {pair.x: [value], shape: [7]})
            except BaseException as error:
                failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []

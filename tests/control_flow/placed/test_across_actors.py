"""Loops and conditionals over device actors and workers on Ray; errors and deaths within them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session
from tests.control_flow.placed.test_across_devices import X, endless
from tests.control_flow.programs import device_programs as programs
from tests.control_flow.programs.device_programs import Program, Setting, gradient_of
from tests.ray.actors import TASK, cluster_of, eventually, is_running, living, usage
from tests.ray.held import HeldActors
from tests.ray.kills.kill_trials import SOON
from tests.ray.kills.test_faults import in_thread

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]

PROGRAMS: list[Program] = [
    programs.body_over_three,
    programs.everything_elsewhere,
    programs.nested_over_devices,
    programs.order_over_devices,
    programs.variable_in_body,
    programs.branch_over_devices,
    programs.loop_in_conditional,
    programs.loop_in_conditional_in_loop,
    programs.arrays,
    gradient_of(programs.nested_over_devices),
    gradient_of(programs.conditional_in_loop),
    gradient_of(programs.loop_in_conditional),
]
RUNS: list[dict[str, Any]] = [
    {"n": n, "x": X, "p": p} for n, p in ((3, True), (0, False), (0, True), (4, False))
]
WORKER_DEVICES = [f"/job:worker/task:{task}/cpu:{index}" for task in (0, 1) for index in (0, 1)]


@pytest.fixture(scope="module")
def server(ray_cluster: None) -> Iterator[tf.train.Server]:
    """Two workers of two devices each."""
    config = tf.ConfigProto(device_count={"CPU": 2})
    opened = tf.train.Server(tf.train.ClusterSpec({"worker": 2}), config=config)
    yield opened
    opened.stop()


def _values(session: Session, at: Setting, fetches: list[Any]) -> list[Any]:
    session.run(tf.global_variables_initializer())
    return [
        session.run(fetches, {at.inputs[name]: run[name] for name in at.inputs}) for run in RUNS
    ]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_over_two_workers_as_in_one_process(program: Program, server: tf.train.Server) -> None:
    # That what one process gives is right is tested against TensorFlow.
    with tf.Graph().as_default():
        at = Setting(tf)
        fetches = program(at)
        with Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
            wanted = _values(session, at, fetches)
    with tf.Graph().as_default():
        at = Setting(tf, WORKER_DEVICES)
        fetches = program(at)
        with Session(server.target) as session:
            found = _values(session, at, fetches)
            held = usage(session)
    for ours, right in zip(found, wanted, strict=True):
        for one, other in zip(ours, right, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    assert all(device.steps == 0 and device.rendezvous == 0 for device in held.values())


class Looping:
    """A session on two device actors, and a loop over them that fails where one asks for it."""

    def __init__(self, config: tf.ConfigProto) -> None:
        self.n = tf.placeholder(tf.int32, [])
        with tf.device("/cpu:1"):
            table = tf.constant([1.0, 2.0, 3.0, 4.0])

        def body(i: Any, v: Any) -> Any:
            with tf.device("/cpu:1"):
                w = tf.gather(table, i, name="look_up")
            with tf.device("/cpu:0"):
                return i + 1, v + w

        self.v = tf.while_loop(lambda i, _: i < self.n, body, [0, 0.0])[1]
        self.endless = endless()
        self.session = Session("ray", config=config)
        self.processes = living(cluster_of(self.session))

    def run(self, trips: int) -> Any:
        """The sum of the first numbers of the table."""
        return self.session.run(self.v, {self.n: trips})


@pytest.fixture(scope="module")
def mortals(ray_cluster: None) -> Iterator[HeldActors]:
    """Actors that last until one of them is killed."""
    held = HeldActors()
    yield held
    held.let_go()


MORTAL = tf.ConfigProto(device_count={"CPU": 2}, inter_op_parallelism_threads=3)


@pytest.fixture
def looping(mortals: HeldActors) -> Iterator[Looping]:
    with tf.Graph().as_default():
        made = Looping(mortals.hold(MORTAL))
        assert made.run(4) == 10.0
        yield made
        made.session.close()


def test_an_error_in_the_middle_and_the_run_after_it(looping: Looping) -> None:
    for trips in (5, 300):
        with pytest.raises(errors.InvalidArgumentError) as caught:
            looping.run(trips)
        message = caught.value.message
        assert "indices = 4 is not in [0, 4)" in message
        assert "while/look_up" in message and f"{TASK}/device:CPU:1" in message
        assert looping.run(3) == 6.0
    with pytest.raises(errors.DeadlineExceededError):
        looping.session.run(looping.endless, options=tf.RunOptions(timeout_in_ms=300))
    assert looping.run(0) == 0.0
    assert eventually(lambda: all(d.steps == 0 for d in usage(looping.session).values()))
    assert eventually(lambda: all(d.rendezvous == 0 for d in usage(looping.session).values()))


@pytest.mark.parametrize("index", [0, 1])
def test_an_actor_that_dies_in_the_middle(
    looping: Looping, mortals: HeldActors, index: int
) -> None:
    device = f"{TASK}/device:CPU:{index}"
    with in_thread(lambda: looping.session.run(looping.endless)) as results:
        assert eventually(lambda: all(d.steps == 1 for d in usage(looping.session).values()))
        assert results == []
        killed = time.monotonic()
        os.kill(looping.processes[device], signal.SIGKILL)
    error, ended = results
    assert isinstance(error, errors.UnavailableError)
    assert TASK in error.message
    assert ended - killed < SOON
    with pytest.raises(errors.UnavailableError, match=TASK):
        looping.run(2)
    # A new session has new actors.
    with Session("ray", config=mortals.hold(MORTAL)) as fresh:
        assert fresh.run(looping.v, {looping.n: 2}) == 3.0
    looping.session.close()
    assert eventually(lambda: not any(map(is_running, looping.processes.values())))

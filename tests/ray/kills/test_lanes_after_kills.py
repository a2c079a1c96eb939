"""What a kill -9, or a cut, leaves of lanes: no socket, no shared memory, no thread."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session
from tests.ray.actors import cluster_of, eventually, is_running, living
from tests.ray.kills.kill_world import World
from tests.ray.lanes import HERE, chain, cut, lane_threads, near_sockets, segments
from tests.ray.processes import end, start_client

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]


OWN = tf.ConfigProto(device_count={"CPU": 2}, inter_op_parallelism_threads=3)
"""Options whose actors nobody holds."""


def ends(*processes: int) -> list[int]:
    """The sockets at the doors of these processes: one for each lane, and one that listens."""
    return sorted(near_sockets(*processes).values())


def test_a_killed_device_leaves_nothing_of_its_lanes() -> None:
    threads, own = set(lane_threads()), segments()
    with tf.Graph().as_default():
        x, y = chain()
        session = Session("ray", config=OWN)
        value = np.ones(200_000, np.float32)
        assert (session.run(y, {x: value}) == 4.0).all()
        first, second = (
            living(cluster_of(session))[device.name] for device in session.list_devices()
        )
        # To the first from here, to the second from here and from the first.
        assert ends(first, second) == [2, 3]
        shared = segments(second).keys()
        assert shared & segments() and shared & segments(first)
        os.kill(second, signal.SIGKILL)
        with pytest.raises(errors.UnavailableError):
            while True:
                session.run(y, {x: value})
    assert eventually(lambda: not is_running(second))
    # Their task is given up as a whole: the device that lives has its door, and nothing more.
    assert eventually(lambda: ends(first) == [1])
    # The error's frames may hold what a step gave.
    gc.collect()
    assert eventually(lambda: not shared & (segments().keys() | segments(first).keys()))
    session.close()
    assert eventually(lambda: not is_running(first))
    assert eventually(lambda: set(lane_threads()) <= threads)
    assert eventually(lambda: segments() == own)


def test_a_device_that_is_killed_between_steps_leaves_nothing_here() -> None:
    """Nobody waits for an answer, who would find the end of its lane."""
    threads, own = set(lane_threads()), segments()
    with tf.Graph().as_default(), Session("ray", config=OWN) as session:
        x, y = chain()
        assert (session.run(y, {x: np.ones(200_000, np.float32)}) == 4.0).all()
        processes = living(cluster_of(session))
        device = processes[session.list_devices()[1].name]
        assert segments() != own
        os.kill(device, signal.SIGKILL)
        assert eventually(lambda: segments() == own)
    assert eventually(lambda: set(lane_threads()) <= threads)


def test_a_cut_lane_leaves_nothing() -> None:
    threads, own = set(lane_threads()), segments()
    with tf.Graph().as_default(), Session("ray", config=OWN) as session:
        x, y = chain()
        step = partial(session.run, y, {x: np.ones(200_000, np.float32)})
        assert (step() == 4.0).all()
        first, second = (device.name for device in session.list_devices())
        for begin, end in ((HERE, first), (first, second)):
            check_cut(session, step, begin, end)
    assert eventually(lambda: set(lane_threads()) <= threads)
    assert eventually(lambda: segments() == own)


def check_cut(session: Session, step: Callable[[], Any], begin: str, end: str) -> None:
    """Of a lane that is cut nothing is left once it is open again."""
    processes = living(cluster_of(session))
    devices = [processes[device.name] for device in session.list_devices()]
    assert ends(*devices) == [2, 3]
    # Only one lane leads from the one to the other, whose segments these are.
    opener: int | str = "self" if begin == HERE else processes[begin]
    shared = segments(opener).keys() & segments(processes[end])
    assert shared
    cut(session, begin, end)
    assert eventually(lambda: runs(step))
    assert eventually(lambda: ends(*devices) == [2, 3])
    assert eventually(
        lambda: not any(shared & segments(each).keys() for each in ("self", *devices))
    )


def runs(step: Callable[[], Any]) -> bool:
    """Whether a step succeeds; it may fail of a lane that was cut and not yet opened again."""
    with suppress(errors.UnavailableError):
        return bool((step() == 4.0).all())
    return False


@pytest.fixture
def server() -> Iterator[tf.train.Server]:
    made = tf.train.Server({"worker": 1, "ps": 1})
    yield made
    made.stop()


def test_a_killed_client_leaves_nothing_of_its_lanes(server: tf.train.Server) -> None:
    world = World()
    with Session(server.target, graph=world.graph) as session:
        session.run(world.initializers)
        act = world.activity("values in flight", session, server.target)
        act()
        cluster = server.target.removeprefix("ray:").partition("/job:")[0]
        devices = [pid for name, pid in living(cluster).items() if "/device:" in name]
        assert len(devices) == 2
        opened = ends(*devices)
        client = start_client(server.target, "values in flight")
        assert sum(ends(*devices)) == sum(opened) + 2
        assert eventually(lambda: segments(client.pid))
        shared = segments(client.pid).keys()
        end(client)
        assert eventually(lambda: ends(*devices) == opened)
        assert eventually(lambda: not any(shared & segments(each).keys() for each in devices))
        act()

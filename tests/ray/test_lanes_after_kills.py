"""What a kill -9 leaves of lanes: no socket, no shared memory, no descriptor, no thread."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
import ray

import dataflow as tf
from dataflow import errors
from dataflow.session import Session
from tests.ray.actors import cluster_of, eventually, living
from tests.ray.kill_world import World

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]


def near_sockets() -> Counter[str]:
    """Sockets of this machine at which lanes begin and end: their names, one for each lane more."""
    with open("/proc/net/unix") as sockets:
        words = [word for line in sockets for word in line.split()]
    return Counter(word for word in words if word.startswith("@dataflow-"))


def segments(process: int | str = "self") -> set[int]:
    """The segments that a process has, by numbers that are the same in all processes."""
    found = set()
    for name in os.listdir(f"/proc/{process}/fd"):
        path = f"/proc/{process}/fd/{name}"
        with suppress(OSError):
            if "memfd:dataflow" in os.readlink(path):
                found.add(os.stat(path).st_ino)
    return found


def lane_threads() -> list[str]:
    """Names of this process's threads that belong to lanes."""
    names = [thread.name for thread in threading.enumerate()]
    return [name for name in names if name.startswith("dataflow")]


def test_a_killed_device_leaves_nothing_of_its_lanes() -> None:
    before, threads, own = near_sockets(), set(lane_threads()), segments()
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        with tf.device("/cpu:0"):
            there = x + 1.0
        with tf.device("/cpu:1"):
            y = there * 2.0
        session = Session("ray", config=tf.ConfigProto(device_count={"CPU": 2}))
        value = np.ones(200_000, np.float32)
        assert (session.run(y, {x: value}) == 4.0).all()
        # To the first from here, to the second from here and from the first.
        assert sorted((near_sockets() - before).values()) == [2, 3]
        first, second = (
            living(cluster_of(session))[device.name] for device in session.list_devices()
        )
        shared = segments(second)
        assert shared & segments() and shared & segments(first)
        os.kill(second, signal.SIGKILL)
        with pytest.raises(errors.UnavailableError):
            while True:
                session.run(y, {x: value})
    assert eventually(lambda: list((near_sockets() - before).values()) == [2])
    # The device that lives has nothing more but what this process feeds it through.
    assert eventually(lambda: not shared & (segments() | segments(first)))
    session.close()
    assert eventually(lambda: near_sockets() == before)
    assert eventually(lambda: set(lane_threads()) <= threads)
    assert eventually(lambda: segments() == own)


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
        opened = near_sockets()
        client = start_client(server.target)
        assert (near_sockets() - opened).total() == 2
        assert eventually(lambda: segments(client.pid))
        shared = segments(client.pid)
        client.kill()
        client.wait()
        client.stdout.close()
        assert eventually(lambda: near_sockets() == opened)
        assert eventually(lambda: not shared & set().union(*map(segments, devices)))
        act()


def start_client(target: str) -> Any:
    """A client of a server that sends large values; it has done so once."""
    address = ray.get_runtime_context().gcs_address
    command = [sys.executable, "-m", "tests.ray.kill_client", address, target, "values in flight"]
    client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None and client.stdout.readline() == "ready\n"
    return client

"""Hostile peers at a device that works: refused and logged, and nobody else takes notice."""

from __future__ import annotations

import glob
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import ray

import dataflow as tf
from dataflow.actors.ray.links.calls import NAMESPACE
from dataflow.actors.ray.links.lanes import node_id
from dataflow.actors.wire.codec import decode, encode
from dataflow.actors.wire.messages import AskLane, LaneOffer
from dataflow.session.session import Session
from tests.ray.actors import cluster_of, eventually, living
from tests.ray.hostile import ATTACKS, LEFT_OUT, insiders, strangers
from tests.ray.lanes import far_sockets, near_sockets, other_descriptors

_SPARE = 16
"""Fewer than attackers of one round."""

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]


class Target:
    """A device of a session that runs steps all the time."""

    def __init__(self) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self._x = tf.placeholder(tf.float32, [None])
            with tf.device("/cpu:0"):
                there = self._x + 1.0
            with tf.device("/cpu:1"):
                self._y = there * 2.0
        config = tf.ConfigProto(
            device_count={"CPU": 2},
            inter_op_parallelism_threads=3,  # For actors of its own.
            operation_timeout_in_ms=30_000,
        )
        self.session = Session("ray", graph=self.graph, config=config)
        self.device = self.session.list_devices()[1].name
        cluster = cluster_of(self.session)
        self.process = living(cluster)[self.device]
        self._actor = ray.get_actor(cluster + self.device, namespace=NAMESPACE)
        self.steps = 0
        self.failures: list[BaseException] = []
        self._ends = threading.Event()
        self.step()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def offer(self, way: str) -> LaneOffer:
        """Where a lane to the device is opened."""
        data = encode(AskLane(node_id() if way == "near" else ""))
        found = decode(ray.get(self._actor.answer.remote(data)))
        assert isinstance(found, LaneOffer) and found.way == way
        return found

    def step(self) -> None:
        """A step with a value that goes in line, and one in shared memory."""
        for size in (3, 50_000):
            value = np.full(size, self.steps, np.float32)
            found: Any = self.session.run(self._y, {self._x: value})
            assert (found == (value + 1) * 2).all()
        self.steps += 1

    def _work(self) -> None:
        try:
            while not self._ends.wait(0.002):
                self.step()
        except BaseException as error:
            self.failures.append(error)

    def descriptors(self, offer: LaneOffer) -> dict[str, int]:
        """What the device's process has open: at its doors, and what is no socket.

        Other sockets are Ray's, which come and go; the device's own memory of lanes stands on the
        steps that go on meanwhile.
        """
        far = far_sockets(self.process, offer.port) if offer.way == "far" else 0
        near = near_sockets(self.process).total()
        return {**other_descriptors(self.process), "near": near, "far": far}

    def strangers(self) -> int:
        """Number of threads of the device that talk to who has proved nothing."""

        def count(_: Any) -> int:
            names = [thread.name for thread in threading.enumerate()]
            return names.count("dataflow-stranger")

        found: int = ray.get(self._actor.__ray_call__.remote(count))
        return found

    def status(self, field: str) -> int:
        """A number of the process, in KB where it is memory."""
        with open(f"/proc/{self.process}/status") as status:
            (line,) = (line for line in status if line.startswith(f"{field}:"))
        return int(line.split()[1])

    def log(self) -> str:
        """What the device's process has logged."""
        logs = ray._private.worker._global_node.get_logs_dir_path()  # type: ignore[attr-defined]
        text = ""
        for path in glob.glob(f"{logs}/worker-*-{self.process}.err"):
            with open(path, errors="replace") as file:
                text += file.read()
        return text

    def close(self) -> None:
        """Ends the steps and the session."""
        self._ends.set()
        self._thread.join(60)
        self.session.close()


@pytest.fixture
def target() -> Iterator[Target]:
    made = Target()
    yield made
    made.close()


@pytest.mark.parametrize("way", ["near", "far"])
def test_a_device_outlives_hostile_peers(target: Target, way: str) -> None:
    offer = target.offer(way)
    # What the first of all costs once: threads, buffers, what errors need.
    strangers(offer, target.device)
    insiders(offer, target.device)
    assert eventually(lambda: target.strangers() == 0)
    threads, descriptors = target.status("Threads"), target.descriptors(offer)
    memory, steps = target.status("VmRSS"), target.steps
    for _ in range(3):
        strangers(offer, target.device)
        ended = insiders(offer, target.device)
        assert [name for name, over in ended.items() if not over] == []
    assert len(ended) == len(ATTACKS) - len(LEFT_OUT[way])
    assert target.failures == [] and target.steps > steps
    assert eventually(lambda: target.descriptors(offer) == descriptors), descriptors
    assert eventually(lambda: target.strangers() == 0)
    # Ray's own come and go, too.
    assert eventually(lambda: target.status("Threads") <= threads + _SPARE)
    # A few megabytes are the allocator's; one bomb alone would take more than all of this.
    assert target.status("VmRSS") < memory + 64 * 1024
    log = target.log()
    # The first of many that are refused in one second.
    assert "A connection is refused: it has closed the connection in the handshake" in log
    assert ("A frame's seal is broken" in log) == (way == "far")
    for why in ("repeated or lost", "inside of each other", "Malformed frame", "Malformed message"):
        assert "The connection from insider is refused" in log and why in log, why
    target.step()

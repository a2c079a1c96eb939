"""Steps cost the master nothing: it gets no call, and they run while it stands still."""

from __future__ import annotations

from typing import Any

import pytest
import ray
from ray._private.internal_api import node_stats

import dataflow as tf
from dataflow.session.session import Session
from tests.ray.actors import TASK, frozen, process_of

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]

MASTER = f"{TASK}/master"
STEPS = 50


def calls_of(pid: int) -> int:
    """How many calls of Ray a process has served."""
    counts = [
        worker.num_executed_tasks
        for node in ray.nodes()
        if node["Alive"]
        for worker in node_stats(
            node["NodeManagerAddress"], node["NodeManagerPort"], include_memory_info=False
        ).core_workers_stats
        if worker.pid == pid
    ]
    assert len(counts) == 1
    return int(counts[0])


def all_ways(session: Session) -> Any:
    """A function that runs a step in each way that needs no preparation."""
    x = tf.placeholder(tf.float32, [])
    with tf.device("/cpu:0"):
        near = x + 1.0
    with tf.device("/cpu:1"):
        far = near * 2.0
    prepared = session.make_callable([near, far], [x])

    def run(value: float) -> None:
        wanted = [value + 1.0, 2.0 * (value + 1.0)]
        assert session.run([near, far], {x: value}) == wanted
        assert prepared(value) == wanted
        running = [session.run_async([near, far], {x: value}) for _ in range(4)]
        assert [future.result(60) for future in running] == [wanted] * 4

    return run


def test_the_master_has_no_part_in_a_step() -> None:
    server = tf.train.Server({"worker": 1}, config=tf.ConfigProto(device_count={"CPU": 2}))
    with tf.Graph().as_default(), Session(server.target) as session:
        run = all_ways(session)
        for value in range(3):
            run(value)
        master = process_of(server.target.removeprefix("ray:").partition("/job:")[0], MASTER)
        before = calls_of(master)
        for value in range(STEPS):
            run(value)
        assert calls_of(master) == before
        with frozen(master):
            for value in range(STEPS):
                run(value)
        assert calls_of(master) == before
        # What is new is prepared there: the calls are counted.
        session.run(tf.constant(1.0) + 1.0)
        assert calls_of(master) > before
    server.stop()

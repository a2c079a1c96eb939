"""Runs out of memory, of object store, of address space; prints one outcome a line, as JSON.

Run as `python -m tests.ray.kills.kill_pressure` in a process of its own.
"""

from __future__ import annotations

import dataclasses
import json
import resource
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import ray

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session
from tests.ray.actors import all_living, is_running, living, process_of
from tests.ray.kills.kill_trials import SOON, Outcome
from tests.ray.kills.kill_world import PS

_ROW = 1_000_000
_ROWS_MORE = 50
_STORE_BYTES = 80 * 2**20
_ROOM_BYTES = 2.0e9
"""What is left when the memory monitor begins to kill."""
_FULL_DISK = {
    "automatic_object_spilling_enabled": False,
    "local_fs_capacity_threshold": 0.0001,
    "local_fs_monitor_interval_ms": 50,
    "object_store_full_delay_ms": 50,
}
"""Ray goes on in files when its store is full: only a full disk stops it."""


class Pressed:
    """A session on two tasks; steps make as many rows as they are told."""

    def __init__(self, config: Any) -> None:
        self.server = tf.train.Server({"worker": 1, "ps": 1}, config=config, max_restarts=5)
        self.rows = tf.placeholder(tf.int32, [])
        self.x = tf.placeholder(tf.float32, [None])
        with tf.device("/job:ps"):
            self.made = tf.sin(tf.ones([self.rows, _ROW], tf.float32))
            self.total = tf.reduce_sum(self.made)
            self.fed = tf.reduce_sum(self.x)
            self.trips = tf.placeholder(tf.int32, [])
            more = tf.ones([_ROWS_MORE, _ROW], tf.float32)
            grown = tf.while_loop(
                lambda i, _: i < self.trips,
                lambda i, value: (i + 1, tf.concat([value, more], 0)),
                [0, more],
                shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, _ROW])],
            )[1]
            self.last = grown[-1, -1]
        with tf.device("/job:worker"):
            self.crossed = tf.reduce_sum(self.made)
            self.small = tf.identity(self.total)
        self.session = Session(self.server.target, config=config)
        self.run(self.small, {self.rows: 1})

    def run(self, fetch: Any, feeds: Any) -> Any:
        """Runs a step that shall not hang."""
        return self.session.run(fetch, feeds, tf.RunOptions(timeout_in_ms=60_000))

    def too_much(
        self, victim: str, moment: str, fetch: Any, feeds: Any, processes: Sequence[int] = ()
    ) -> None:
        """Runs a step for which there is no room, then one for which there is.

        If one of `processes` is killed for it, the time counts from its end.
        """
        started = time.monotonic()
        ends: list[float] = []

        def watch() -> None:
            while all(map(is_running, processes)):
                time.sleep(0.01)
            ends.append(time.monotonic())

        watcher = threading.Thread(target=watch, daemon=True)
        if processes:
            watcher.start()
        try:
            self.run(fetch, feeds)
            raise AssertionError("there is room")
        except errors.ResourceExhaustedError as error:
            seconds = time.monotonic() - started
            if processes:
                # The error may be here before the watcher has looked.
                told = time.monotonic()
                watcher.join(SOON)
                seconds = max(0.0, told - ends[0])
            assert "/task:0" in error.message, error.message
            print(f"message: {error.message.splitlines()[0]}", flush=True)
        found = self.run(self.small, {self.rows: 2})
        assert abs(found - 2 * _ROW * np.sin(1.0)) < _ROW * 1e-3, found
        back = time.monotonic() - started
        outcome = Outcome(victim, moment, "ResourceExhausted", seconds, "works", back)
        print(json.dumps(dataclasses.asdict(outcome)), flush=True)

    def close(self) -> None:
        """Stops everything."""
        self.session.close()
        self.server.stop()
        assert all_living() == set()


def store() -> None:
    """Values that go through a store which is full, and files that cannot take over."""
    config = tf.ConfigProto()
    # Not by lanes.
    config.rpc_options.use_rpc_for_inprocess_master = True
    pressed = Pressed(config)
    kept = [ray.put(np.zeros(15 * 2**20, np.uint8)) for _ in range(4)]
    pressed.too_much("object store", "values in flight", pressed.crossed, {pressed.rows: 25})
    pressed.too_much("object store", "fetch", pressed.made, {pressed.rows: 25})
    pressed.too_much(
        "object store", "feed", pressed.fed, {pressed.x: np.ones(25 * _ROW, np.float32)}
    )
    del kept
    pressed.close()


def memory() -> None:
    """A kernel that asks for more than its process may have, then one for which Ray kills it."""
    pressed = Pressed(tf.ConfigProto())
    cluster = pressed.server.target.removeprefix("ray:").partition("/job:")[0]
    process = process_of(cluster, f"{PS}/device:CPU:0")
    with open(f"/proc/{process}/statm") as sizes:
        now = int(sizes.read().split()[0]) * resource.getpagesize()
    unlimited = resource.prlimit(process, resource.RLIMIT_AS)
    resource.prlimit(process, resource.RLIMIT_AS, (now + 500 * 2**20, unlimited[1]))
    pressed.too_much("address space", "kernels busy", pressed.small, {pressed.rows: 1000})
    assert living(cluster)[f"{PS}/device:CPU:0"] == process
    resource.prlimit(process, resource.RLIMIT_AS, unlimited)
    pressed.too_much(
        "memory of the machine",
        "kernels busy",
        pressed.last,
        {pressed.trips: 80},
        tuple(living(cluster).values()),
    )
    pressed.close()


def _threshold() -> float:
    """The part of the machine's memory from which on Ray kills."""
    with open("/proc/meminfo") as lines:
        told = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines}
    total = told["MemTotal"]
    used = total - told["MemAvailable"]
    return (used + _ROOM_BYTES) / total


def main() -> None:
    """Both on one Ray, whose start takes longer than they do."""
    ray.init(
        address="local",
        num_cpus=2,
        object_store_memory=_STORE_BYTES,
        include_dashboard=False,
        log_to_driver=False,
        _system_config={
            "worker_niceness": 0,
            "memory_usage_threshold": _threshold(),
            "memory_monitor_refresh_ms": 100,
            **_FULL_DISK,
        },
    )
    store()
    memory()
    ray.shutdown()


if __name__ == "__main__":
    main()

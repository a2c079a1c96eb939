"""The Ray of the soak: two simulated machines, one of which is given up now and then."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import ray
from actor_processes import descendants
from ray.cluster_utils import Cluster

from soaking.forked_workers import NAME, RAYLET, forked_workers

WAYS: Final = ("raylet killed", "raylet killed", "raylet frozen", "all frozen")
"""How a machine is given up whose processes live on."""

_NOTICED: Final = 120.0
"""Seconds in which Ray gives up a machine, on one that does much else."""
_AFTER_THAW: Final = 3.0
_STORE: Final = 2 * 10**8
_OPTIONS: Final = {
    "worker_niceness": 0,
    "memory_monitor_refresh_ms": 0,
    # What Ray remembers of the dead is none of a leak's.
    "maximum_gcs_destroyed_actor_cached_count": 100,
    "agent_register_timeout_ms": 300_000,
    # A worker that is killed while it starts is waited for so long, and keeps others from starting.
    "worker_register_timeout_seconds": 15,
    "worker_maximum_startup_concurrency": 8,
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 10_000,
    "health_check_failure_threshold": 3,
}


class Machines:
    """Two nodes of a Ray of this process alone."""

    def __init__(self) -> None:
        # A cluster that is running already is none of this one's.
        os.environ.pop("RAY_ADDRESS", None)
        os.environ.setdefault("RAY_raylet_start_wait_time_s", "300")
        node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": _STORE}
        head = node | {"include_dashboard": False, "_system_config": _OPTIONS}
        with forked_workers():
            self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self._node = node
        self._second: Any = None
        self._wanted = threading.Event()
        self._added = threading.Event()
        ray.init(address=self._cluster.address, log_to_driver=False, logging_level="ERROR")
        self.add()

    def add(self) -> None:
        """Adds the second machine; on the main thread, as Ray wants it."""
        with forked_workers():
            self._second = self._started()
        self._cluster.wait_for_nodes()
        self._added.set()

    def _started(self) -> Any:
        before = _raylets()
        try:
            return self._cluster.add_node(**self._node)
        except Exception as error:
            # Ray has half a minute for that, also on a machine that does much else.
            if "timed out during startup" not in str(error):
                raise
            for late in _raylets() - before:
                os.kill(late, signal.SIGKILL)
            return self._cluster.add_node(**self._node)

    def add_if_wanted(self) -> None:
        """Adds a machine if one was given up."""
        if self._wanted.is_set():
            self._wanted.clear()
            self.add()

    def give_up(self, chooser: random.Random) -> str:
        """Has Ray count the second machine as dead while its processes live; waits until another
        one is added; those that were frozen thaw before that.

        Returns:
          The way.
        """
        way = chooser.choice(WAYS)
        raylet = int(self._second.all_processes["raylet"][0].process.pid)
        if way == "raylet killed":
            victims = []
            os.kill(raylet, signal.SIGKILL)
        else:
            victims = [raylet, *(workers(raylet) if way == "all frozen" else ())]
        for process in victims:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGSTOP)
        end = time.monotonic() + _NOTICED
        while time.monotonic() < end and sum(node["Alive"] for node in ray.nodes()) > 1:
            time.sleep(0.2)
        for process in victims:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
        time.sleep(chooser.uniform(0.0, _AFTER_THAW))
        self._cluster.remove_node(self._second, allow_graceful=False)
        self._added.clear()
        self._wanted.set()
        self._added.wait()
        return way

    def close(self) -> None:
        """Ends both."""
        ray.shutdown()
        self._cluster.shutdown()


def workers(raylet: int | None = None) -> list[int]:
    """The processes that have been forked for workers, of one node or of all."""
    mark = "" if raylet is None else f"\0{RAYLET}={raylet}\0"
    found = [p for p in descendants(os.getpid()) if _read(p, "comm") == f"{NAME}\n"]
    origins = [p for p in found if mark in f"\0{_read(p, 'environ')}"]
    return [worker for origin in origins for worker in descendants(origin)]


def _raylets() -> set[int]:
    return {p for p in descendants(os.getpid()) if _read(p, "comm") == "raylet\n"}


def _read(process: int, what: str) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/{what}").read_text(errors="replace")
    return ""

"""What the soak runs in: a server that is killed now and then, and what its processes use."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from actor_processes import Actor, descendants, living_actors, resident_megabytes

import dataflow as tf
from soaking.attacks import freeze

CLUSTER: Final = {"worker": ["localhost:0", "localhost:1"]}
SERVER_DEVICES: Final = ("/job:worker/task:0/device:CPU:0", "/job:worker/task:1/device:CPU:0")
_START: Final = tf.ConfigProto(operation_timeout_in_ms=600_000)
"""Of servers: processes start late on a machine that does much else."""
_AFTER_DEATH: Final = 2.0
"""Seconds in which the sessions are to notice that something died."""
_FREEZES: Final = 0.3
"""The share of disturbances that kill nobody."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What there was at a moment."""

    second: float
    client_mb: float
    actors_mb: float
    ray_mb: float
    """Ray's own processes and workers that run no actor."""
    shared_mb: float
    """Files in memory that the processes share."""
    actors: int
    threads: int
    """Of this process."""
    files: int
    """Open in this process."""
    steps: int


class World:
    """The server that sessions attach to, and how often something was killed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._changed = threading.Condition()
        self._whole = False
        self._disturbances = 0
        self._server: Any = None
        self.killed: Counter[str] = Counter()
        """How often which kind of actor was killed."""
        self.frozen: Counter[str] = Counter()
        """How often which kind was stopped for a while."""
        self._start()

    def enter(self) -> tuple[str, int]:
        """The server's target and the number of disturbances so far, once nothing is broken."""
        with self._changed:
            self._changed.wait_for(lambda: self._whole)
            return self._server.target, self._disturbances

    def was_disturbed_since(self, disturbances: int) -> bool:
        """Whether something was killed after `enter` gave this number."""
        with self._changed:
            return self._disturbances != disturbances

    def disturb(self) -> None:
        """Kills an actor as the kernel would, or freezes it for a while."""
        # Those that are being started have no process: the kernel takes 0 for this one's group.
        while not (victims := [actor for actor in living_actors() if actor.pid > 0]):
            time.sleep(0.1)
        victim = self._random.choice(victims)
        if self._random.random() < _FREEZES:
            self.frozen[_kind(victim)] += 1
            freeze(victim.pid, self._random)
        else:
            self._kill(victim)

    def _kill(self, victim: Actor) -> None:
        """Kills an actor and puts another server in the place of a broken one."""
        with self._changed:
            self._whole = False
            self._disturbances += 1
        self.killed[_kind(victim)] += 1
        os.kill(victim.pid, signal.SIGKILL)
        time.sleep(_AFTER_DEATH)
        self._server.stop()
        self._start()

    def stop(self) -> None:
        """Stops the server."""
        self._server.stop()

    def _start(self) -> None:
        self._server = tf.train.Server(CLUSTER, config=_START)
        with self._changed:
            self._whole = True
            self._changed.notify_all()


def sample(second: float, steps: int) -> Sample:
    """Looks at all processes."""
    actors = living_actors()
    pids = {actor.pid for actor in actors}
    others = set(descendants(os.getpid())) - pids
    status = Path("/proc/self/status").read_text()
    threads = next(line for line in status.splitlines() if line.startswith("Threads:"))
    shared = next(
        line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("Shmem:")
    )
    return Sample(
        second,
        resident_megabytes(os.getpid()),
        sum(map(_megabytes, pids)),
        sum(map(_megabytes, others)),
        int(shared.split()[1]) / 1024,
        len(actors),
        int(threads.split()[1]),
        len(os.listdir("/proc/self/fd")),
        steps,
    )


def _megabytes(pid: int) -> float:
    try:
        return resident_megabytes(pid)
    except OSError:
        return 0.0


def _kind(actor: Actor) -> str:
    if actor.is_device:
        return "device"
    return "master" if actor.is_master else "worker"

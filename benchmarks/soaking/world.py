"""What the soak runs in: two servers, one of which is struck, and what their processes use."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from actor_processes import Actor, descendants, living_actors, resident_megabytes

import dataflow as tf
from soaking.attacks import freeze
from soaking.clients import RunningClient
from soaking.machines import Machines, workers
from soaking.steps import MixedSteps

CLUSTER: Final = {"worker": ["localhost:0", "localhost:1"]}
STRUCK_DEVICES: Final = ("/job:worker/task:0/device:CPU:0", "/job:worker/task:1/device:CPU:0")
SPARED_DEVICES: Final = ("/job:worker/task:0/device:CPU:0", "/job:worker/task:0/device:CPU:1")
SPARED: Final = ("spared CPU:0", "spared CPU:1", "spared worker", "spared master")
"""Processes of the server that is not struck, by what samples call them."""
AFTER_A_DEATH: Final = (
    tf.errors.UnavailableError,
    tf.errors.AbortedError,
    tf.errors.NotFoundError,
    tf.errors.FailedPreconditionError,
)
"""What a session may see of a death; the last one of variables that died with a task."""
_START: Final = tf.ConfigProto(operation_timeout_in_ms=600_000)
"""Of servers: processes start late on a machine that does much else."""
_TWO: Final = tf.ConfigProto(operation_timeout_in_ms=600_000, device_count={"CPU": 2})
_RESTARTS: Final = 1_000_000
_BURST: Final = 60
"""Kills that follow each other, at most, before everything is to work again."""
_TOGETHER: Final = (1, 1, 2, 3, 4)
_FREEZES: Final = 0.05
"""The share of strikes that kill nobody,"""
_STARTING: Final = 0.05
"""that kill a process in which Ray starts an actor, or will,"""
_CLIENTS: Final = 0.2
"""and that kill a client."""
_NEW_SERVERS: Final = 0.1
"""How often a server is stopped before a burst, and another one takes its place."""
_CALM: Final = 1.0
"""Seconds without a strike when all works again."""
_BACK_SECONDS: Final = 300.0
"""Within which it does, on a machine that does much else."""
_STEPS: Final = 3
_NAMES: Final = 8
"""Clients of one place take turns with names of variables: what one has begun may end late."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What there was at a moment."""

    second: float
    megabytes: dict[str, float]
    """By process, of those that live long; and of all others together."""
    shared_mb: float
    """Files in memory that the processes share."""
    actors: int
    threads: int
    """Of this process."""
    files: int
    """Open in this process."""
    steps: int


class World:
    """The servers that sessions attach to, and how often something was killed."""

    def __init__(self, seed: int, pace: float, give_up_every: float) -> None:
        """Starts everything.

        Args:
          seed: Of what is struck.
          pace: Seconds between the strikes of a burst, on average.
          give_up_every: Seconds between machines that are given up; 0 for never.
        """
        self._random = random.Random(seed)
        self._pace = pace
        self._give_up_every = give_up_every
        self._given_up = time.monotonic()
        self._machines = Machines()
        self._lock = threading.Lock()
        self._disturbances = 0
        self._calm = True
        """Nothing has been struck since everything worked."""
        self._broken = threading.Event()
        self._struck_down: set[int] = set()
        """Processes that were killed in the latest burst."""
        self._clients: dict[int, RunningClient] = {}
        self.killed: Counter[str] = Counter()
        """How often which kind of process was killed."""
        self.frozen: Counter[str] = Counter()
        """How often which kind was stopped for a while."""
        self.given_up: Counter[str] = Counter()
        """Machines that were given up while their processes lived, by the way."""
        self.replaced: Counter[str] = Counter()
        """Servers that were stopped, or that gave up after starts that were killed, too."""
        self.recovered: list[float] = []
        """Seconds from the last kill of each burst until steps were right again."""
        self._spared = tf.train.Server({"worker": ["localhost:0"]}, config=_TWO)
        self._struck: Any = None
        self._start()

    @property
    def spared(self) -> str:
        """The target of the server of which nothing is killed."""
        return str(self._spared.target)

    def enter(self) -> tuple[str, int]:
        """The target of the server that is struck, and the number of disturbances so far."""
        with self._lock:
            return str(self._struck.target), self._disturbances

    def was_disturbed_since(self, disturbances: int) -> bool:
        """Whether something was struck after `enter` gave this number."""
        with self._lock:
            return self._disturbances != disturbances or not self._calm

    def add_machine_if_wanted(self) -> None:
        """What only the main thread may do when a machine was given up."""
        self._machines.add_if_wanted()

    def disturb(self) -> None:
        """A burst of strikes; then everything has to work again.

        Raises:
          OpError: It does not.
        """
        self._set_calm(False)
        self._struck_down.clear()
        if self._give_up_every and time.monotonic() - self._given_up > self._give_up_every:
            self.given_up[self._machines.give_up(self._random)] += 1
            self._given_up = time.monotonic()
            # Its tasks are to be on both machines again.
            self._replace("after a machine was given up")
        elif self._random.random() < _NEW_SERVERS:
            self._replace("stopped")
        for _ in range(self._random.randint(1, _BURST)):
            self._strike()
            time.sleep(self._random.expovariate(1.0 / self._pace))
        began = time.monotonic()
        self._recover(began + _BACK_SECONDS)
        self.recovered.append(time.monotonic() - began)
        self._set_calm(True)
        time.sleep(_CALM)

    def run_client(self, place: int, count: int) -> str:
        """Starts a client and waits until it is killed; says what was wrong."""
        owner = f"client{place}_{count % _NAMES}"
        client = RunningClient(self.spared, SPARED_DEVICES, owner, 100 * count + place)
        self._clients[place] = client
        return client.wait()

    def end_clients(self) -> None:
        """Kills all that run."""
        for client in list(self._clients.values()):
            _kill(client.process)

    def stop(self) -> None:
        """Stops the servers."""
        self._struck.stop()
        self._spared.stop()

    def close(self) -> None:
        """Ends Ray."""
        self._machines.close()

    def _strike(self) -> None:
        """Kills processes as the kernel would, or freezes one for a while."""
        drawn = self._random.random()
        spared = self.spared.removeprefix("ray:").partition("/job:")[0]
        actors = [actor for actor in living_actors() if actor.pid > 0]
        ours = {actor.pid for actor in actors} | {c.process for c in self._clients.values()}
        victims = {actor.pid: _kind(actor) for actor in actors if not actor.name.startswith(spared)}
        if drawn < _STARTING:
            victims = {p: "starting or idle" for p in workers() if p not in ours} or victims
        elif drawn < _STARTING + _CLIENTS and self._clients:
            victims = {client.process: "client" for client in self._clients.values()}
        count = min(len(victims), self._random.choice(_TOGETHER))
        chosen = self._random.sample(sorted(victims), count)
        if drawn > 1.0 - _FREEZES and chosen:
            self.frozen[victims[chosen[0]]] += 1
            freeze(chosen[0], self._random)
            return
        for process in chosen:
            self.killed[victims[process]] += _kill(process)
        self._struck_down.update(chosen)

    def _recover(self, end: float) -> None:
        """Waits until steps over both tasks are right, and all deaths are known."""
        while True:
            if self._broken.is_set():
                self._replace("gave up")
            try:
                with (
                    tf.Graph().as_default() as graph,
                    tf.Session(self._struck.target, graph=graph) as session,
                ):
                    steps = MixedSteps(session, STRUCK_DEVICES, "recovery", len(self.recovered))
                    for _ in range(_STEPS):
                        steps.run_one()
                if self._struck_down.isdisjoint(actor.pid for actor in living_actors()):
                    return
            except AFTER_A_DEATH:
                if time.monotonic() > end:
                    raise
            time.sleep(0.05)

    def _replace(self, why: str) -> None:
        self._struck.stop()
        self.replaced[why] += 1
        self._start()

    def _start(self) -> None:
        self._broken = threading.Event()
        server = tf.train.Server(CLUSTER, config=_START, max_restarts=_RESTARTS)
        threading.Thread(target=_watch, args=(server, self._broken), daemon=True).start()
        with self._lock:
            self._struck = server

    def _set_calm(self, calm: bool) -> None:
        with self._lock:
            self._calm = calm
            self._disturbances += 1


def _watch(server: Any, broken: threading.Event) -> None:
    try:
        server.join()
    except tf.errors.OpError:
        broken.set()


def _kill(process: int) -> int:
    """How many were killed."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
        return 1
    return 0


def sample(second: float, steps: int, spared: str) -> Sample:
    """Looks at all processes."""
    cluster = spared.removeprefix("ray:").partition("/job:")[0]
    actors = living_actors()
    names = {a.pid: _spared_name(a.name) for a in actors if a.name.startswith(cluster)}
    forked = set(workers())
    megabytes: dict[str, float] = {"this process": resident_megabytes(os.getpid())}
    for process in descendants(os.getpid()):
        name = names.get(process) or ("others" if process in forked else _program(process))
        with suppress(OSError):
            megabytes[name] = megabytes.get(name, 0.0) + resident_megabytes(process)
    status = Path("/proc/self/status").read_text()
    threads = next(line for line in status.splitlines() if line.startswith("Threads:"))
    shared = next(
        line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("Shmem:")
    )
    return Sample(
        second,
        megabytes,
        int(shared.split()[1]) / 1024,
        len(actors),
        int(threads.split()[1]),
        len(os.listdir("/proc/self/fd")),
        steps,
    )


def _spared_name(name: str) -> str:
    """What samples call an actor of the server that is not struck."""
    if "/device:" in name:
        return "spared " + name.rpartition("/device:")[2]
    return "spared master" if name.endswith("/master") else "spared worker"


def _program(process: int) -> str:
    """What one of Ray's own processes runs."""
    with suppress(OSError):
        words = Path(f"/proc/{process}/cmdline").read_text(errors="replace").split("\0")
        # Python's programs come behind its path and options.
        found = [w for w in words[:6] if w.endswith((".py", "raylet", "gcs_server"))]
        return Path(found[0]).name if found else Path(words[0] or "others").name
    return "others"


def _kind(actor: Actor) -> str:
    if actor.is_device:
        return "device"
    return "master" if actor.is_master else "worker"

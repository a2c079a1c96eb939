"""One kill at a random moment, and what came of it."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session
from tests.ray.actors import eventually, is_running, living, process_of, usage
from tests.ray.kills.kill_world import PS, WORKER, World
from tests.ray.lanes import HERE, cut, near_sockets
from tests.ray.processes import end, start_client

_DEVICES = (f"{PS}/device:CPU:0", f"{WORKER}/device:CPU:0")
VICTIMS = {
    "device actor": _DEVICES,
    "worker actor": (PS, WORKER),
    "master actor": (f"{WORKER}/master",),
}
"""Actors of which one is killed, by kind."""
BOTH = "both devices"
"""What dies together."""
LANES = ((HERE, _DEVICES[0]), (HERE, _DEVICES[1]), _DEVICES, _DEVICES[::-1])
"""Connections that may be cut: from where to where."""
EXPECTED = (
    errors.UnavailableError,
    errors.AbortedError,
    errors.DeadlineExceededError,
    errors.ResourceExhaustedError,
)
SOON = 20.0
"""Seconds within which a death is told on a machine with much else to do: by an event, while what
waits for a time-out waits longer. The table of `kill_matrix.py` says how soon it is."""
_PATIENCE = 600.0
_ROUNDS = 3


@dataclass(frozen=True)
class Outcome:
    """What came of a kill."""

    victim: str
    moment: str
    error: str
    """Class of the error that the caller got; "none" if it did not need what died."""
    seconds: float
    """From the death to the error; to the end of what was going on if there was none."""
    state: str
    """What was the matter afterwards."""
    back: float = 0.0
    """Seconds until everything worked again."""


class Range:
    """A server whose processes are killed, and the session that sees it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.server = tf.train.Server({"worker": 1, "ps": 1}, max_restarts=1_000_000)
        self.cluster = self.server.target.removeprefix("ray:").partition("/job:")[0]
        self.world = World()
        self.session = Session(self.server.target, graph=self.world.graph)
        self.session.run(self.world.initializers)
        self.world.settle(self.session)
        self._typical: dict[str, float] = {}

    def close(self) -> None:
        """Stops the server; nothing of it may be left."""
        processes = set(living(self.cluster).values())
        self.session.close()
        self.server.stop()
        assert living(self.cluster) == {}
        assert eventually(lambda: not any(map(is_running, processes)))

    def kill(self, victim: str, moment: str) -> Outcome:
        """Kills one of the victims while something goes on."""
        if victim == "client":
            return self.kill_client(moment)
        return self.cut(moment) if victim == "connection" else self.kill_actor(victim, moment)

    def kill_actor(self, kind: str, moment: str) -> Outcome:
        """Kills an actor, or both devices, while the session does something."""
        names = _DEVICES if kind == BOTH else (self.random.choice(VICTIMS[kind]),)
        processes = {name: process_of(self.cluster, name) for name in names}
        watched = self._in_the_midst_of(moment)
        killed = time.monotonic()
        for process in processes.values():
            os.kill(process, signal.SIGKILL)
        error, seconds = watched.end(killed)
        if error is not None:
            assert "/task:0" in error.message, error.message
            if isinstance(error, errors.FailedPreconditionError):
                # It was killed between two steps, and back for the second one.
                assert "was restarted after it died" in error.message, error.message
            else:
                assert isinstance(error, EXPECTED), f"{moment}, {names}: {error!r}"
                assert seconds < SOON, f"{moment}, {names}: {seconds:.2f} s: {error!r}"
        for name, process in processes.items():
            assert eventually(
                lambda name=name, process=process: (
                    living(self.cluster).get(name, process) != process
                )
            )
            process_of(self.cluster, name)
        state = self.world.settle(self.session)
        back = time.monotonic() - killed
        return Outcome(kind, moment, error_name(error), seconds, state, back)

    def cut(self, moment: str) -> Outcome:
        """Cuts a connection while the session does something. Nobody dies, so nothing is lost."""
        begin, whom = self.random.choice(LANES)
        before = self._lane_ends()
        watched = self._in_the_midst_of(moment)
        since = cut(self.session, begin, whom)
        error, seconds = watched.end(since)
        where = f"{moment}, from {begin or 'here'} to {whom}"
        if error is not None:
            assert isinstance(error, errors.UnavailableError), f"{where}: {error!r}"
            assert whom in error.message, f"{where}: {error.message}"
            assert seconds < SOON, f"{where}: {seconds:.2f} s: {error!r}"
        # All lanes are open again after this, and of the one that was cut nothing is left.
        state = self.world.settle(self.session)
        assert eventually(lambda: self._lane_ends() == before), (self._lane_ends(), before)
        assert eventually(lambda: not any(d.steps for d in usage(self.session).values()))
        back = time.monotonic() - since
        return Outcome("connection", moment, error_name(error), seconds, state, back)

    def _in_the_midst_of(self, moment: str) -> Watched:
        """Has the session do something again and again; returns at a random moment of it."""
        act = self.world.activity(moment, self.session, self.server.target)
        delay = self.random.uniform(0.0, self._duration(moment, act))
        # Plans are made again, and lanes opened, after the last time.
        act()
        watched = Watched(act)
        watched.begin()
        time.sleep(delay)
        return watched

    def _lane_ends(self) -> list[int]:
        """At each device, the number of lanes that lead to it, and its door."""
        found = near_sockets(*(process_of(self.cluster, name) for name in _DEVICES))
        return sorted(found.values())

    def kill_client(self, moment: str) -> Outcome:
        """Kills another client of the same server while it does something."""
        before = self._held()
        client = start_client(self.server.target, moment)
        time.sleep(self.random.uniform(0.0, 0.3))
        killed = time.monotonic()
        end(client)
        assert eventually(lambda: self._held() == before), (self._held(), before)
        freed = time.monotonic() - killed
        self.world.count_anew(self.session)
        state = self.world.settle(self.session)
        return Outcome("client", moment, "none", freed, state, time.monotonic() - killed)

    def _held(self) -> list[tuple[int, ...]]:
        """What the devices hold, steps and plans and kernels."""
        return [(d.steps, d.piecewise, d.plans, d.kernels) for d in usage(self.session).values()]

    def _duration(self, moment: str, act: Callable[[], None]) -> float:
        """Seconds that something takes if nobody dies."""
        if moment not in self._typical:
            spans = []
            for _ in range(_ROUNDS):
                started = time.monotonic()
                act()
                spans.append(time.monotonic() - started)
            self._typical[moment] = sorted(spans)[_ROUNDS // 2]
        return self._typical[moment]


class Watched:
    """Something that is done on a thread of its own, until it fails or nothing more can come."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._error: BaseException | None = None
        self._began = self._ended = 0.0
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def begin(self) -> None:
        """Starts."""
        self._thread.start()

    def end(self, killed: float, more: float = 0.0) -> tuple[Any, float]:
        """The error, or None, and how long it took to come.

        A step that begins after the kill counts from its own begin, unless it is one of those that
        go on for some time more: what was killed may live on for a while.
        """
        self._thread.join(more)
        self._enough.set()
        self._thread.join(_PATIENCE)
        assert not self._thread.is_alive(), "it hangs"
        return self._error, self._ended - (killed if more else max(killed, self._began))

    def _work(self) -> None:
        rounds_after = 0
        while rounds_after < 2:
            rounds_after += self._enough.is_set()
            self._began = time.monotonic()
            try:
                self._act()
            except BaseException as error:
                self._error = error
            self._ended = time.monotonic()
            if self._error is not None:
                return


def error_name(error: BaseException | None) -> str:
    return "none" if error is None else type(error).__name__.removesuffix("Error")

"""How long an actor may take itself for who it was started as, and its end when it no longer is.

Ray counts a machine as dead that does not answer, and its tasks are started again elsewhere; its
processes may live on, if only its raylet has died, or if all was frozen or cut off for a while.
So each actor asks Ray's head every second whether its machine is alive, and ends itself if not.
If no answer has come for half the time after which Ray gives up a machine that is silent, it takes
on no step till there is one: it may have been replaced. A head that is down, so that its port
refuses, replaces nobody, and steps go on.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, Final, Protocol

import ray
from ray import NodeID
from ray._private.worker import global_worker
from ray._raylet import Config  # type: ignore[attr-defined]

from dataflow.errors import UnavailableError

_LOGGER = logging.getLogger("dataflow")

_PERIOD: Final = 1.0
_PATIENCE: Final = 2.0
"""Seconds that an answer may take."""


class Head(Protocol):
    """Ray's head, as an actor sees it."""

    def counts_us(self) -> bool | None:
        """Whether it counts this machine as alive; None if it does not answer."""

    def is_down(self) -> bool:
        """Whether nobody listens at its port, though its machine can be reached."""


class Lease:
    """Renewed as long as Ray has not given up the machine."""

    def __init__(
        self,
        head: Head,
        seconds: float,
        end: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Makes one that holds, and is not renewed yet.

        Args:
          head: Who is asked.
          seconds: How long an answer is good for.
          end: Ends the process.
          clock: Seconds, also those while the process was frozen.
        """
        self._head = head
        self._seconds = seconds
        self._end = end
        self._clock = clock
        self._until = clock() + seconds

    def check(self, whom: str) -> None:
        """Refuses to take on work.

        Raises:
          UnavailableError: The lease has run out.
        """
        if self._clock() >= self._until:
            raise UnavailableError(
                None,
                None,
                f"{whom} takes on no steps: Ray's head has not answered it for "
                f"{self._seconds:.0f} s, and may have given it up, so that another one has its "
                "place. Run the step once more when the head can be reached from there.",
            )

    def renew(self) -> None:
        """Asks once."""
        asked = self._clock()
        alive = self._head.counts_us()
        if alive is None:
            asked = self._clock()
            alive = self._head.is_down() or None
        if alive:
            self._until = asked + self._seconds
        elif alive is not None:
            self._end()

    def keep(self) -> None:
        """Asks again and again, on a thread of its own."""
        threading.Thread(target=self._keep, name="dataflow-lease", daemon=True).start()

    def _keep(self) -> None:
        while True:
            self.renew()
            time.sleep(_PERIOD)


def lease_of_actor() -> Lease:
    """The lease of the actor that this process is, kept from now on."""
    lease = Lease(_RayHead(), patience_of_ray() / 2, _end)
    lease.keep()
    return lease


def patience_of_ray() -> float:
    """Seconds after which Ray gives up a machine that is silent."""
    check = Config.health_check_period_ms() + Config.health_check_timeout_ms()
    return float(Config.health_check_failure_threshold() * check) / 1000


class _RayHead:
    """The head of the Ray that this process is of."""

    def __init__(self) -> None:
        self._client: Any = global_worker.gcs_client
        self._node = bytes.fromhex(ray.get_runtime_context().get_node_id())

    def counts_us(self) -> bool | None:
        """Whether it counts this machine as alive; None if it does not answer."""
        try:
            try:
                (alive,) = self._client.check_alive([NodeID(self._node)], timeout=_PATIENCE)
            except TypeError:
                # Ray 2.50 wants the bytes, with which a later one crashes.
                (alive,) = self._client.check_alive([self._node], timeout=_PATIENCE)
        except Exception as error:
            _LOGGER.debug("Ray's head does not answer: %s", error)
            return None
        return bool(alive)

    def is_down(self) -> bool:
        """Whether nobody listens at its port, though its machine can be reached."""
        host, _, port = self._client.address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
        return False


def _end() -> None:
    _LOGGER.error("Ray has given up this machine: the actor ends, another one has its place.")
    # At once, whatever its threads are at: nothing that it holds counts any more.
    os._exit(1)

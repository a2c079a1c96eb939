"""How long an actor may take itself for who it was started as, and its end when it no longer is.

Ray counts a machine as dead that does not answer, and its tasks are started again elsewhere; its
processes may live on, if only its raylet has died, or if all was frozen or cut off for a while.
So each actor asks Ray's head every second whether its machine is alive, and ends itself if not.
Without an answer for `LEASE` seconds it takes on no step till there is one: it may have been
replaced. That is less time than Ray takes to give up a machine that is silent. A head that is down,
so that its port refuses, replaces nobody, and steps go on.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import ray
from ray import NodeID
from ray._private.worker import global_worker

from dataflow.errors import UnavailableError

_LOGGER = logging.getLogger("dataflow")

LEASE: Final = 5.0
"""Seconds that an answer is good for."""
_PERIOD: Final = 1.0
_PATIENCE: Final = 2.0
"""Seconds that an answer may take."""


class Lease:
    """Renewed as long as Ray has not given up the machine."""

    def __init__(
        self,
        is_alive: Callable[[], bool | None],
        end: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        """Makes one that holds, and is not renewed yet.

        Args:
          is_alive: Asks whether the machine is alive; None if that cannot be known.
          end: Ends the process.
          clock: Seconds, also those while the process was frozen.
        """
        self._is_alive = is_alive
        self._end = end
        self._clock = clock
        self._until = clock() + LEASE

    def check(self, whom: str) -> None:
        """Refuses to take on work.

        Raises:
          UnavailableError: The lease has run out.
        """
        if self._clock() >= self._until:
            raise UnavailableError(
                None,
                None,
                f"{whom} takes on no steps: Ray's head has not answered it for {LEASE:.0f} s, and "
                "may have given it up, so that another one has its place. Run the step once more "
                "when the head can be reached from there.",
            )

    def renew(self) -> None:
        """Asks once."""
        asked = self._clock()
        alive = self._is_alive()
        if alive:
            self._until = asked + LEASE
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
    lease = Lease(machine_lives, _end, time.monotonic)
    lease.keep()
    return lease


def machine_lives() -> bool | None:
    """Whether Ray counts this machine as alive; None if it does not say."""
    client: Any = global_worker.gcs_client
    node = bytes.fromhex(ray.get_runtime_context().get_node_id())
    try:
        try:
            (alive,) = client.check_alive([NodeID(node)], timeout=_PATIENCE)
        except TypeError:
            # Ray 2.50 wants the bytes, with which a later one crashes.
            (alive,) = client.check_alive([node], timeout=_PATIENCE)
    except Exception as error:
        _LOGGER.debug("Ray's head does not answer: %s", error)
        return True if _refuses(client.address) else None
    return bool(alive)


def _refuses(address: str) -> bool:
    """Whether nobody listens at an address whose machine can be reached."""
    host, _, port = address.rpartition(":")
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

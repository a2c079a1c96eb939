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
import threading
import time
from collections.abc import Callable
from typing import Final

from ray._raylet import Config  # type: ignore[attr-defined]

from dataflow.actors.ray.links.head import Head, HeadState
from dataflow.errors import UnavailableError

_LOGGER = logging.getLogger("dataflow")

_PERIOD: Final = 1.0


class Lease:
    """Renewed as long as Ray has not given up the machine."""

    def __init__(
        self,
        look: Callable[[], HeadState],
        seconds: float,
        end: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Makes one that holds, and is not renewed yet.

        Args:
          look: Asks the head.
          seconds: How long an answer is good for.
          end: Ends the process.
          clock: Seconds, also those while the process was frozen.
        """
        self._look = look
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
        state = self._look()
        if state in (HeadState.GAVE_US_UP, HeadState.IS_ANOTHER):
            self._end()
        elif state == HeadState.IS_DOWN:
            # That was found out last.
            self._until = self._clock() + self._seconds
        elif state == HeadState.COUNTS_US:
            self._until = asked + self._seconds

    def keep(self) -> None:
        """Asks again and again, on a thread of its own."""
        threading.Thread(target=self._keep, name="dataflow-lease", daemon=True).start()

    def _keep(self) -> None:
        while True:
            self.renew()
            time.sleep(_PERIOD)


def lease_of_actor() -> Lease:
    """The lease of the actor that this process is, kept from now on."""
    lease = Lease(Head().state, patience_of_ray() / 2, _end)
    lease.keep()
    return lease


def patience_of_ray() -> float:
    """Seconds after which Ray gives up a machine that is silent."""
    check = Config.health_check_period_ms() + Config.health_check_timeout_ms()
    return float(Config.health_check_failure_threshold() * check) / 1000


def _end() -> None:
    _LOGGER.error("Ray has given up this machine: the actor ends, another one has its place.")
    # At once, whatever its threads are at: nothing that it holds counts any more.
    os._exit(1)

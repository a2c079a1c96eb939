"""Notices when Ray is over for this process: its head is gone, or has given up this machine.

Steps need no head: devices and lanes go on without one. But nobody tells of deaths then, nothing is
started again, and Ray ends a program that has not heard of its head for a minute, unless it calls
`ray.shutdown()`. So sessions end before that, and say what to do. A head whose state is kept in a
Redis comes back as the same one, and nothing ends if that takes it less than half a minute.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Final

from dataflow.actors.ray.links.calls import RayLink
from dataflow.actors.ray.links.head import Head, HeadState
from dataflow.errors import UnavailableError

_PERIOD: Final = 1.0
_VARIABLE: Final = "RAY_gcs_rpc_server_reconnect_timeout_s"
_RAY_SECONDS: Final = 60.0
"""What Ray takes where the variable is not set."""
_JOIN_SECONDS: Final = 5.0
_WHAT_TO_DO: Final = (
    "Call ray.shutdown(), see that Ray runs, join it again, start servers again, make a new "
    "session, and restore its variables."
)


class HeadWatch:
    """Asks the head every second, on a thread of its own."""

    def __init__(self, on_end: Callable[[UnavailableError], None]) -> None:
        """Begins to ask.

        Args:
          on_end: Told once, on the thread, if Ray is over.
        """
        self._head = Head()
        self._ray = RayLink()
        self._on_end = on_end
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="dataflow-head", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread; nobody is told of anything any more."""
        self._stopping.set()
        if self._thread is not threading.current_thread():
            self._thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        heard = time.monotonic()
        patience = ray_seconds() / 2
        while not self._stopping.wait(_PERIOD) and self._ray.holds:
            state = self._head.state()
            silent = time.monotonic() - heard
            if state == HeadState.COUNTS_US:
                heard = time.monotonic()
                continue
            error = ended(self._head.address, state)
            if error is None and silent >= patience:
                error = _error(
                    f"Ray's head at {self._head.address} has not answered for {silent:.0f} s, and "
                    f"Ray ends this program when that is {2 * patience:.0f} s."
                )
            if error is not None and not self._stopping.is_set() and self._ray.holds:
                self._on_end(error)
                return


def ended(address: str, state: HeadState) -> UnavailableError | None:
    """The error of what needs Ray, if its head says that there is none for this process."""
    if state == HeadState.IS_ANOTHER:
        return _error(
            f"Ray's head at {address} was started again and knows nothing of this program; it "
            "would if Ray had a Redis to keep that in."
        )
    if state == HeadState.GAVE_US_UP:
        return _error(f"Ray's head at {address} has given up the machine of this program.")
    return None


def _error(why: str) -> UnavailableError:
    return UnavailableError(None, None, f"{why} {_WHAT_TO_DO}")


def ray_seconds() -> float:
    """Seconds without its head after which Ray ends a process."""
    try:
        return float(os.environ[_VARIABLE])
    except (KeyError, ValueError):
        return _RAY_SECONDS

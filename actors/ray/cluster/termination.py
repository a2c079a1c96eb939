"""SIGTERM ends a program that waits for its server as it ends TensorFlow's: by the signal."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import ray


class _TerminatedError(BaseException):
    """The signal has come."""


@contextmanager
def ends_on_sigterm(stop: Callable[[], None]) -> Iterator[None]:
    """Stops a server, leaves Ray and ends the program when SIGTERM comes meanwhile.

    Ray's handler has Python end by itself, while threads of Ray's run that abort the process at
    times. Another one that the program has set stays.

    Args:
      stop: Stops the server.
    """
    before = signal.getsignal(signal.SIGTERM)
    is_of_ray = (getattr(before, "__module__", None) or "").startswith("ray.")
    if threading.current_thread() is not threading.main_thread() or not is_of_ray:
        yield
        return
    try:
        signal.signal(signal.SIGTERM, _terminate)
        yield
    except _TerminatedError:
        # A second one does not wait for what follows.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with suppress(Exception):
            stop()
            ray.shutdown()
        logging.shutdown()
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise _TerminatedError

"""Threads that stop together: the first one that fails stops all, and its error is raised."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from dataflow.errors import OutOfRangeError
from dataflow.values import logging

ExcInfo = tuple["type[BaseException] | None", "BaseException | None", "TracebackType | None"]


class Coordinator:
    """Stops threads, waits for them, and hands on the error of the first that failed."""

    def __init__(
        self, clean_stop_exception_types: Iterable[type[BaseException]] | None = None
    ) -> None:
        """Makes a coordinator without threads.

        Args:
          clean_stop_exception_types: Errors that stop without being raised; by default
            OutOfRangeError, which says that the input is at its end.
        """
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (OutOfRangeError,)
        self._clean_stop_exception_types = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop_event = threading.Event()
        self._exc_info_to_raise: ExcInfo | None = None
        self._joined = False
        self._registered_threads: set[threading.Thread] = set()

    @property
    def joined(self) -> bool:
        """Whether `join` has returned, and no `clear_stop` has followed."""
        return self._joined

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop.

        Args:
          ex: The reason: an exception that is being handled, or what `sys.exc_info()` gave. The
            first one is raised by `join`, unless it is a clean stop.

        Raises:
          BaseException: `ex`, if `join` has returned already.
        """
        with self._lock:
            if self._is_clean(ex):
                ex = None
            if self._joined and ex is not None:
                error = ex[1] if isinstance(ex, tuple) else sys.exc_info()[1]
                assert error is not None
                raise error
            if self._stop_event.is_set():
                return
            if ex and self._exc_info_to_raise is None:
                self._exc_info_to_raise = _reported(ex)
            self._stop_event.set()

    def clear_stop(self) -> None:
        """Forgets that a stop was asked for, and why: the coordinator can be used again."""
        with self._lock:
            self._joined = False
            self._exc_info_to_raise = None
            self._stop_event.clear()

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop_event.is_set()

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Inside of the context any exception asks for a stop, and goes no further."""
        try:
            yield
        except BaseException:
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is asked for; False if the time (in seconds) is over first."""
        return self._stop_event.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Makes `join` wait for a thread."""
        with self._lock:
            self._registered_threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until all threads have ended, or a stop was asked for and the grace is over.

        Args:
          threads: Started threads, beside those that were registered.
          stop_grace_period_secs: Seconds that threads have to end after a stop was asked for.
          ignore_live_threads: Only logs that threads are left, and does not raise.

        Raises:
          RuntimeError: Threads still run after the grace.
          BaseException: The error with which a stop was asked for.
        """
        with self._lock:
            waited = list(self._registered_threads.union(threads or ()))
        while any(thread.is_alive() for thread in waited) and not self.wait_for_stop(1.0):
            pass
        _wait(waited, stop_grace_period_secs)
        stragglers = " ".join(thread.name for thread in waited if thread.is_alive())
        with self._lock:
            self._joined = True
            self._registered_threads = set()
            self._raise_reported()
        if not stragglers:
            return
        text = f"Coordinator stopped with threads still running: {stragglers}"
        if not ignore_live_threads:
            raise RuntimeError(text)
        logging.info(text)

    def raise_requested_exception(self) -> None:
        """Raises the error with which a stop was asked for, if there is one."""
        with self._lock:
            self._raise_reported()

    def _raise_reported(self) -> None:
        if self._exc_info_to_raise is not None:
            error = self._exc_info_to_raise[1]
            assert error is not None
            raise error

    def _is_clean(self, ex: Any) -> bool:
        error = ex[1] if isinstance(ex, tuple) else ex
        return isinstance(error, self._clean_stop_exception_types)


def _reported(ex: Any) -> ExcInfo:
    """Logs the reason of a stop; gives what is to be raised for it."""
    info: Any = ex if isinstance(ex, tuple) else sys.exc_info()
    if isinstance(ex, tuple):
        logging.info("Error reported to Coordinator: %s", ex[1] if len(ex) > 1 else ex)
    else:
        logging.info("Error reported to Coordinator: %s, %s", type(ex), ex)
    if len(info) == 3 and info[0] and info[1]:
        found: ExcInfo = info
        return found
    wrong = ValueError(
        f"ex must be a tuple or sys.exc_info must return the current exception: {info}"
    )
    return type(wrong), wrong, None


def _wait(threads: Iterable[threading.Thread], seconds: float) -> None:
    """Waits for threads for so long; negative for not at all."""
    deadline = time.monotonic() + seconds
    for thread in threads:
        if thread is not threading.current_thread() and thread.is_alive():
            thread.join(max(0.0, deadline - time.monotonic()))

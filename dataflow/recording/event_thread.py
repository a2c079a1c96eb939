"""A thread that writes events to a file, so that nobody waits for the disk."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from typing import Any

from dataflow.proto.event_pb2 import Event
from dataflow.records.event_file import EventFile
from dataflow.values import logging
from dataflow.values.interrupts import Monitor
from dataflow.values.system_errors import system_errors


class EventFileWriter:
    """Writes events to a file of a folder; what it holds is written when the program ends."""

    def __init__(
        self,
        logdir: Any,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str | None = None,
    ) -> None:
        """Makes the folder; the first event makes the file, or this does if it has a suffix.

        Args:
          logdir: The folder.
          max_queue: How many events may wait before `add_event` does; any number if not positive.
          flush_secs: After how many seconds an event is in the file at the latest.
          filename_suffix: Ends the file's name.
        """
        self._logdir = os.fspath(logdir) if isinstance(logdir, os.PathLike) else str(logdir)
        with system_errors():
            os.makedirs(self._logdir or ".", exist_ok=True)
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._file = EventFile(self._logdir, filename_suffix or "")
        if filename_suffix:
            self._file.open()
        self._start()

    def get_logdir(self) -> str:
        """The folder."""
        return self._logdir

    def reopen(self) -> None:
        """Goes on in another file; has no effect unless the writer is closed."""
        if self._state.is_closed:
            self._start()

    def add_event(self, event: Event) -> None:
        """Writes an event; has no effect on a writer that is closed."""
        self._state.put(event.SerializeToString())

    def flush(self) -> None:
        """Waits until all events are in the file; has no effect on a writer that is closed."""
        self._state.flush()

    def close(self) -> None:
        """Writes what waits and closes the file; has no effect on a writer that is closed."""
        try:
            self._state.flush()
        finally:
            self._finish()

    def _start(self) -> None:
        self._state = _State(self._max_queue)
        thread = threading.Thread(
            target=_write_events,
            args=(self._state, self._file, self._flush_secs),
            name="EventLoggerThread",
            daemon=True,
        )
        thread.start()
        self._finish = weakref.finalize(self, _finish, self._state, thread)


class _State:
    """What a writer and its thread share."""

    def __init__(self, limit: int) -> None:
        self.monitor = Monitor()
        self.waiting: deque[bytes] = deque()
        self.flushes_asked = 0
        self.flushes_made = 0
        self.is_closed = False
        self.error: Exception | None = None
        self._limit = limit

    def put(self, event: bytes) -> None:
        """Hands over an event once there is a place for it."""
        with self.monitor:
            if self._limit > 0:
                self.monitor.wait_for(lambda: self.is_closed or len(self.waiting) < self._limit)
            self._raise_error()
            if not self.is_closed:
                self.waiting.append(event)
                self.monitor.notify_all()

    def flush(self) -> None:
        """Waits until all is in the file."""
        with self.monitor:
            if not self.is_closed:
                self.flushes_asked += 1
                asked = self.flushes_asked
                self.monitor.notify_all()
                self.monitor.wait_for(lambda: self.is_closed or self.flushes_made >= asked)
            self._raise_error()

    def _raise_error(self) -> None:
        """Raises what went wrong on the thread, once."""
        error, self.error = self.error, None
        if error is not None:
            raise error


def _write_events(state: _State, file: EventFile, flush_secs: float) -> None:
    """What the thread does: the first event is flushed at once, the later ones in intervals."""
    next_flush = 0.0
    is_dirty, goes_on = False, True
    try:
        while goes_on:
            with state.monitor:
                left = max(0.0, next_flush - time.monotonic()) if is_dirty else None
                state.monitor.wait_for(
                    lambda: (
                        state.waiting or state.is_closed or state.flushes_asked > state.flushes_made
                    ),
                    left,
                )
                events, asked = list(state.waiting), state.flushes_asked
                state.waiting.clear()
                goes_on = not state.is_closed
                state.monitor.notify_all()
            for event in events:
                file.write(event)
            is_dirty = is_dirty or bool(events)
            if asked > state.flushes_made or (is_dirty and time.monotonic() >= next_flush):
                file.flush()
                is_dirty, next_flush = False, time.monotonic() + flush_secs
                with state.monitor:
                    state.flushes_made = asked
                    state.monitor.notify_all()
        file.close()
    except Exception as error:
        logging.error("Events are not written any more: %s", error)
        with state.monitor:
            state.error, state.is_closed = error, True
            state.monitor.notify_all()


def _finish(state: _State, thread: threading.Thread) -> None:
    with state.monitor:
        state.is_closed = True
        state.monitor.notify_all()
    # What nobody refers to any more may be found on any thread.
    if thread is not threading.current_thread():
        thread.join()

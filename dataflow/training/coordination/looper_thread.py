"""A thread that does the same again and again, until its coordinator stops it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dataflow.training.coordination.coordinator import Coordinator


class LooperThread(threading.Thread):
    """Calls a function, or its own `run_loop`, at intervals; an exception stops all threads."""

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        """Makes a daemon thread that is registered with its coordinator.

        Args:
          coord: The coordinator.
          timer_interval_secs: Seconds from one call to the next; None for no pause.
          target: What is called; None for `run_loop` of a subclass.
          args: Its positional arguments.
          kwargs: Its keyword arguments.

        Raises:
          ValueError: `coord` is no Coordinator, or there are arguments but no target.
        """
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._call = target
        self._call_args = args or ()
        self._call_kwargs = kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """Makes a thread and starts it; arguments as for `LooperThread`."""
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """What the thread does."""
        with self._coord.stop_on_exception():
            self.start_loop()
            interval = self._timer_interval_secs
            next_time = time.time()
            while not self._stops_before(None if interval is None else next_time):
                next_time += interval or 0
                self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called when the thread starts."""

    def stop_loop(self) -> None:
        """Called when the thread was stopped."""

    def run_loop(self) -> None:
        """Called again and again."""
        if self._call is not None:
            self._call(*self._call_args, **self._call_kwargs)

    def _stops_before(self, until: float | None) -> bool:
        """Whether a stop is asked for, before that time."""
        if until is None:
            return self._coord.should_stop()
        return self._coord.wait_for_stop(until - time.time())

"""Death as an event: a call to each actor that never returns, and a thread that waits for them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import uuid4

import ray
from ray import exceptions

from dataflow.actors.ray.links.calls import RayLink, as_op_error
from dataflow.errors import OpError

_LOGGER = logging.getLogger("dataflow")

_RENEW: Final = 60.0
"""Seconds after which a call returns and is made anew, so that what dead watchers have left behind
does not take the threads of those that live."""
_AGAIN: Final = 0.2
"""Seconds until an actor that cannot be reached is called anew."""


class Watch:
    """The end of the calls in the actor."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._released: dict[str, threading.Event] = {}

    def wait(self, watcher: str, seconds: float = _RENEW) -> None:
        """Returns when the watcher is released, or after so long."""
        self._event(watcher).wait(seconds)
        with self._lock:
            self._released.pop(watcher, None)

    def stay(self, client: str) -> None:
        """Returns when the client is released, however long that takes."""
        self._event(client).wait()
        with self._lock:
            self._released.pop(client, None)

    def release(self, watcher: str) -> None:
        """Ends a watcher's wait, also one that has not begun."""
        self._event(watcher).set()

    def _event(self, watcher: str) -> threading.Event:
        with self._lock:
            return self._released.setdefault(watcher, threading.Event())


class DeathWatch:
    """Watches actors from another process, on a thread of its own."""

    def __init__(self, actors: Mapping[str, Any], on_death: Callable[[str, OpError], None]) -> None:
        """Starts to watch.

        Args:
          actors: Handles by a name that messages can use.
          on_death: Called once for each actor that dies, on the watching thread.
        """
        self._ray = RayLink()
        self._actors = dict(actors)
        self._watcher = uuid4().hex
        self._on_death = on_death
        self._stopped = False
        self._calls = {self._call(actor): name for name, actor in self._actors.items()}
        self._thread = threading.Thread(target=self._run, name="dataflow-watch", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """False when all that it watched has died, or it was stopped."""
        return self._thread.is_alive()

    def let_go(self) -> None:
        """Tells of no death any more, for actors that are about to be stopped.

        They are told nothing: Ray aborts a process, with pages of traces, if a call begins or ends
        in it while it is stopped.
        """
        self._stopped = True

    def stop(self) -> None:
        """Ends the watch and its thread."""
        was_let_go, self._stopped = self._stopped, True
        for actor in self._actors.values() if self._ray.holds and not was_let_go else ():
            try:
                actor.unwatch.options(concurrency_group="signal").remote(self._watcher)
            except Exception as error:
                _LOGGER.debug("An actor of a Ray that was shut down is not told: %s", error)
        if self._thread is not threading.current_thread():
            self._thread.join(5.0)

    def _call(self, actor: Any) -> Any:
        return actor.watch.options(concurrency_group="watch").remote(self._watcher)

    def _run(self) -> None:
        while self._calls and not self._stopped and self._ray.holds:
            try:
                ended, _ = ray.wait(list(self._calls), num_returns=1)
            except (exceptions.RayError, RuntimeError, ValueError, SystemExit):
                # Ray is being shut down in this process; who asks for anything is told so.
                return
            for call in ended:
                if self._ray.holds:
                    self._end(call)

    def _end(self, call: Any) -> None:
        name = self._calls.pop(call)
        try:
            ray.get(call)
        except (ValueError, SystemExit) as error:
            _LOGGER.debug("Ray was shut down under the watch over %s: %s", name, error)
            return
        except exceptions.ActorUnavailableError as error:
            # It lives, as far as Ray knows, but cannot be reached: it may be heard of again.
            _LOGGER.debug("%s cannot be watched: %s", name, error)
            time.sleep(_AGAIN)
        except exceptions.RayError as error:
            if not self._stopped:
                self._on_death(name, as_op_error(error, name))
            return
        if not self._stopped and self._ray.holds:
            self._calls[self._call(self._actors[name])] = name

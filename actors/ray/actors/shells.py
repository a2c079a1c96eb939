"""The actor classes: thin shells that load this package where they run and pass bytes on.

They are shipped by value, so that a process on the same machine finds a checkout that is not
installed, or not the one that is: the first thing they do is to look for it.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any, Final

import ray
from ray import cloudpickle

if TYPE_CHECKING:
    from dataflow.actors.ray.actors.device import DeviceShell
    from dataflow.actors.ray.actors.lease import Lease
    from dataflow.actors.ray.actors.master import MasterShell
    from dataflow.actors.ray.links.calls import Handlers
    from dataflow.actors.ray.links.watch import Watch

MAX_AT_WORK: Final = 128
"""Threads of a device that may work for steps at once, and calls that may wait for an answer."""
_WATCHERS: Final = 128


def _actor(groups: dict[str, int]) -> Any:
    """Makes a class one of actors that reserve nothing and serve calls in groups of threads."""
    remote: Any = ray.remote
    return remote(
        num_cpus=0,
        max_restarts=0,
        max_concurrency=1,
        allow_out_of_order_execution=True,
        enable_task_events=False,
        concurrency_groups=groups,
    )


def _prefer_package_in(root: str) -> None:
    """Has this process import the same package as the one that started it, if it is here too."""
    package = os.path.join(root, "dataflow", "__init__.py")
    found = importlib.util.find_spec("dataflow")
    if os.path.exists(package) and (
        found is None or found.origin is None or not os.path.samefile(found.origin, package)
    ):
        sys.path.insert(0, root)


class _Actor:
    """What each actor has: the package, one method for all messages, calls that end with it."""

    _handlers: Handlers
    """By the type of the message; the class of an actor says nothing of what it can do."""

    def __init__(self, root: str, setup: bytes) -> None:
        _prefer_package_in(root)
        # What loading makes stays: to look for garbage meanwhile takes a seventh of the time.
        gc.disable()
        try:
            from dataflow.actors.ray.actors.lease import lease_of_actor
            from dataflow.actors.ray.links.calls import answer
            from dataflow.actors.ray.links.watch import Watch

            self._lease: Lease = lease_of_actor()
            self._answer = answer
            self._watch: Watch = Watch()
            self._open(setup)
        finally:
            gc.freeze()
            gc.enable()

    def _open(self, setup: bytes) -> None:
        """Makes what answers messages."""
        raise NotImplementedError

    def answer(self, data: bytes) -> bytes:
        """Answers a message. Who calls says in which group of threads: see `links.calls`."""
        return self._answer(self._handlers, data)

    @ray.method(concurrency_group="signal")
    def ready(self) -> None:
        """Returns once the actor has started."""

    @ray.method(concurrency_group="watch")
    def watch(self, watcher: str) -> None:
        """Returns when the watcher asks for it; fails when the actor dies."""
        self._watch.wait(watcher)

    @ray.method(concurrency_group="watch")
    def stay(self, client: str) -> None:
        """Returns when the client leaves: `unwatch`. If it dies, the call has no owner any more."""
        self._watch.stay(client)

    @ray.method(concurrency_group="signal", num_returns=0)
    def unwatch(self, watcher: str) -> None:
        """Ends a watcher's call."""
        self._watch.release(watcher)


@_actor(
    {
        "control": 4,
        "step": MAX_AT_WORK + 1,
        "recv": 1,
        "signal": 1,
        "watch": _WATCHERS,
    }
)
class DeviceActor(_Actor):
    """One device: its kernels, its variables, its ready queue."""

    def _open(self, setup: bytes) -> None:
        from dataflow.actors.ray.actors.device import DeviceShell

        self._shell: DeviceShell = DeviceShell(setup, MAX_AT_WORK, self._lease.check)
        self._handlers = self._shell.handlers

    @ray.method(concurrency_group="signal", num_returns=0)
    def take(self, data: bytes) -> None:
        """Takes a message that has no answer."""
        self._shell.calls.take(data)

    @ray.method(concurrency_group="control")
    def keep_functions(self, session: int, functions: list[Any]) -> None:
        """Takes functions of the program that a session's nodes call."""
        self._shell.keep_functions(session, functions)

    @ray.method(concurrency_group="recv", num_returns=0)
    def push(self, data: bytes, *large: bytes) -> None:
        """SendTensors, with the values of the large ones."""
        self._shell.calls.push(data, large)


@_actor({"control": 16, "signal": 1, "watch": _WATCHERS})
class WorkerActor(_Actor):
    """One task: splits what the master sends among its devices."""

    def _open(self, setup: bytes) -> None:
        from dataflow.actors.ray.actors.worker import WorkerShell

        self._handlers = WorkerShell(setup).handlers


@_actor({"control": 32, "signal": 1, "watch": 2 * _WATCHERS})
class MasterActor(_Actor):
    """The graphs of sessions, and the step plans made of them."""

    def _open(self, setup: bytes) -> None:
        from dataflow.actors.ray.actors.master import MasterShell

        self._shell: MasterShell = MasterShell(setup)
        self._handlers = self._shell.handlers

    @ray.method(concurrency_group="control", num_returns=0)
    def attend(self, data: bytes, life: list[Any]) -> None:
        """Attend, with the client's call to `stay`."""
        self._shell.attend(data, life[0], self._watch.release)


cloudpickle.register_pickle_by_value(sys.modules[__name__])

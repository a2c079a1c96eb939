"""The actor classes: thin shells that load this package where they run and pass bytes on.

They are shipped by value, so that a process on the same machine finds a checkout that is not
installed, or not the one that is: the first thing they do is to look for it.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any, Final

import ray
from ray import cloudpickle

if TYPE_CHECKING:
    from dataflow.actors.ray.actors.device import DeviceShell
    from dataflow.actors.ray.actors.master import MasterShell
    from dataflow.actors.ray.actors.worker import WorkerShell
    from dataflow.actors.ray.links.watch import Watch

MAX_STEPS: Final = 128
"""Steps that may run on a device at once; each holds a thread while it waits."""
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


class _Watched:
    """What each actor has: the package, and calls that end when the actor dies."""

    def __init__(self, root: str) -> None:
        _prefer_package_in(root)
        from dataflow.actors.ray.links.watch import Watch

        self._watch: Watch = Watch()

    @ray.method(concurrency_group="signal")
    def ready(self) -> None:
        """Returns once the actor has started."""

    @ray.method(concurrency_group="watch")
    def watch(self, watcher: str) -> None:
        """Returns when the watcher asks for it; fails when the actor dies."""
        self._watch.wait(watcher)

    @ray.method(concurrency_group="signal", num_returns=0)
    def unwatch(self, watcher: str) -> None:
        """Ends a watcher's call."""
        self._watch.release(watcher)


@_actor(
    {
        "control": 4,
        "step": MAX_STEPS + 1,
        "recv": 1,
        "signal": 1,
        "watch": _WATCHERS,
    }
)
class DeviceActor(_Watched):
    """One device: its kernels, its variables, its ready queue."""

    def __init__(self, root: str, setup: bytes) -> None:
        super().__init__(root)
        from dataflow.actors.ray.actors.device import DeviceShell

        self._shell: DeviceShell = DeviceShell(setup, MAX_STEPS)

    @ray.method(concurrency_group="control")
    def describe(self) -> bytes:
        """Answers with Opened."""
        return self._shell.describe()

    @ray.method(concurrency_group="control")
    def register(self, data: bytes) -> bytes:
        """RegisterGraph; answers with GraphRegistered."""
        return self._shell.register(data)

    @ray.method(concurrency_group="control")
    def deregister(self, data: bytes) -> bytes:
        """DeregisterPlan."""
        return self._shell.deregister(data)

    @ray.method(concurrency_group="control")
    def close_session(self, data: bytes) -> bytes:
        """CloseSession."""
        return self._shell.close_session(data)

    @ray.method(concurrency_group="control")
    def reset(self, data: bytes) -> bytes:
        """ResetContainers."""
        return self._shell.reset(data)

    @ray.method(concurrency_group="step")
    def run(self, data: bytes) -> bytes:
        """RunStep; answers with StepDone or StepFailed."""
        return self._shell.run(data)

    @ray.method(concurrency_group="control")
    def start(self, data: bytes) -> bytes:
        """RunStep of a piecewise step, which is then fed by `feed` and asked by `next_fetch`."""
        return self._shell.start(data)

    @ray.method(concurrency_group="step")
    def next_fetch(self, data: bytes) -> bytes:
        """NextFetch; answers with FetchReady, StepDone or StepFailed."""
        return self._shell.next_fetch(data)

    @ray.method(concurrency_group="signal")
    def feed(self, data: bytes) -> bytes:
        """FeedStep."""
        return self._shell.feed(data)

    @ray.method(concurrency_group="signal", num_returns=0)
    def abort(self, data: bytes) -> None:
        """AbortStep."""
        self._shell.abort(data)

    @ray.method(concurrency_group="recv", num_returns=0)
    def push(self, data: bytes, *large: bytes) -> None:
        """SendTensors, with the values of the large ones."""
        self._shell.push(data, large)

    @ray.method(concurrency_group="signal")
    def lane(self, data: bytes) -> bytes:
        """AskLane; answers with LaneOffer."""
        return self._shell.lane(data)

    @ray.method(concurrency_group="control")
    def usage(self) -> bytes:
        """Answers with DeviceUsage."""
        return self._shell.usage()


@_actor({"control": 16, "signal": 1, "watch": _WATCHERS})
class WorkerActor(_Watched):
    """One task: splits what the master sends among its devices."""

    def __init__(self, root: str, setup: bytes) -> None:
        super().__init__(root)
        from dataflow.actors.ray.actors.worker import WorkerShell

        self._shell: WorkerShell = WorkerShell(setup)

    @ray.method(concurrency_group="control")
    def describe(self) -> bytes:
        """Answers with Opened, once the devices are."""
        return self._shell.describe()

    @ray.method(concurrency_group="control")
    def register(self, data: bytes) -> bytes:
        """RegisterGraph; answers with GraphRegistered."""
        return self._shell.register(data)

    @ray.method(concurrency_group="control")
    def deregister(self, data: bytes) -> bytes:
        """DeregisterGraph."""
        return self._shell.deregister(data)

    @ray.method(concurrency_group="control")
    def close_session(self, data: bytes) -> bytes:
        """CloseSession."""
        return self._shell.close_session(data)

    @ray.method(concurrency_group="control")
    def reset(self, data: bytes) -> bytes:
        """ResetContainers."""
        return self._shell.reset(data)


@_actor({"control": 32, "signal": 1, "watch": 2 * _WATCHERS})
class MasterActor(_Watched):
    """The graphs of sessions, and the step plans made of them."""

    def __init__(self, root: str, setup: bytes) -> None:
        super().__init__(root)
        from dataflow.actors.ray.actors.master import MasterShell

        self._shell: MasterShell = MasterShell(setup)

    @ray.method(concurrency_group="control")
    def create_session(self, data: bytes) -> bytes:
        """CreateSession; answers with SessionCreated."""
        return self._shell.create_session(data)

    @ray.method(concurrency_group="control")
    def extend_session(self, data: bytes) -> bytes:
        """ExtendSession."""
        return self._shell.extend_session(data)

    @ray.method(concurrency_group="control")
    def prepare(self, data: bytes) -> bytes:
        """PrepareStep; answers with StepPlan."""
        return self._shell.prepare(data)

    @ray.method(concurrency_group="control")
    def release(self, data: bytes) -> bytes:
        """ReleaseStep."""
        return self._shell.release(data)

    @ray.method(concurrency_group="control")
    def renew(self, data: bytes) -> bytes:
        """RenewTasks."""
        return self._shell.renew(data)

    @ray.method(concurrency_group="control", num_returns=0)
    def attend(self, data: bytes, life: list[Any]) -> None:
        """Attend, with the client's call to `stay`."""
        self._shell.attend(data, life[0], self._watch.release)

    @ray.method(concurrency_group="watch")
    def stay(self, client: str) -> None:
        """Returns when the client leaves: `unwatch`. If it dies, the call has no owner any more."""
        self._watch.stay(client)

    @ray.method(concurrency_group="control")
    def partition_graphs(self, data: bytes) -> bytes:
        """PartitionGraphs; answers with Graphs."""
        return self._shell.partition_graphs(data)

    @ray.method(concurrency_group="control")
    def close_session(self, data: bytes) -> bytes:
        """CloseSession."""
        return self._shell.close_session(data)

    @ray.method(concurrency_group="control")
    def reset(self, data: bytes) -> bytes:
        """ResetContainers; also closes the master's sessions."""
        return self._shell.reset(data)


cloudpickle.register_pickle_by_value(sys.modules[__name__])

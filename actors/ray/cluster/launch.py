"""Starts the actors of tasks, all at once, waits until they are ready, and stops them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import ray
from ray import exceptions
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from dataflow.actors.ray.actors.shells import DeviceActor, MasterActor, WorkerActor
from dataflow.actors.ray.actors.shortage import Need, shortage_text
from dataflow.actors.ray.cluster.machines import Machine, Placement, machines
from dataflow.actors.ray.cluster.reservation import Reservation
from dataflow.actors.ray.cluster.waiting import awaited
from dataflow.actors.ray.links.calls import (
    NAMESPACE,
    as_op_error,
    device_name,
    master_name,
    worker_name,
)
from dataflow.actors.ray.links.watch import DeathWatch
from dataflow.actors.wire.codec import encode
from dataflow.actors.wire.messages import Message, OpenDevice, OpenMaster, OpenWorker
from dataflow.errors import (
    AlreadyExistsError,
    CancelledError,
    DeadlineExceededError,
    FailedPreconditionError,
    OpError,
    UnavailableError,
)
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.values.devices import parse

_LOGGER = logging.getLogger("dataflow")

_ROOT: Final = str(Path(__file__).absolute().parents[4])
"""The folder that `dataflow` is in, as it was imported here."""
_KILL_SECONDS: Final = 5.0
_OWNER: Final = "owner"
_NO_PACKAGE: Final = "No module named 'dataflow'"

OnDeath = Callable[[str, str, OpError], None]
"""Takes the unit, the actor by what messages call it, and why it died."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What the actors of a cluster are told."""

    cluster: str
    """First part of their names."""
    config: ConfigProto
    """Options of the devices."""
    home: str = ""
    """The master's task; "" if the devices have neither a master nor workers among the actors."""
    tasks: tuple[str, ...] = ()
    """All tasks of the cluster, also those that are started elsewhere."""
    max_restarts: int = 0
    """How often a task, or the master, is started again after a death."""
    is_closed: bool = False
    """No other server starts tasks of the cluster."""

    @property
    def master(self) -> str:
        """What messages call the master."""
        return f"The master of {self.home}"


@dataclass(frozen=True, slots=True)
class _Started:
    """An actor with what it was started with."""

    handle: Any
    unit: str
    need: Need
    life: Any
    """A call that ends with it."""


class ActorSet:
    """Actors that this process has started and stops again, in units that end together.

    A unit is a task, with its worker and its devices, or the master.
    """

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._actors: dict[str, _Started] = {}
        """By what messages call them."""
        self._reservation: Reservation | None = None
        self._sharers: dict[str, int] = {}
        """By machine, the devices that share its cores."""
        self._watches: list[DeathWatch] = []
        self._lock = threading.RLock()
        self._stopped = False

    def start(self, placements: Sequence[Placement]) -> None:
        """Starts the devices of each placement, and a worker for them and the master if there are
        to be any.

        Raises:
          AlreadyExistsError: A task has actors already.
        """
        for placement in placements:
            node = placement.machine.node_id
            self._sharers[node] = self._sharers.get(node, 0) + len(placement.devices)
        try:
            self._reservation = Reservation(self._launch.cluster, placements, self._launch.config)
            for placement in placements:
                self.start_task(placement)
                if placement.task == self._launch.home:
                    self.start_master(placement.machine)
        except BaseException:
            self.kill()
            raise

    def start_task(self, placement: Placement, restarts: int = 0) -> None:
        """Starts the actors of a task, after ending those that it has.

        Args:
          placement: Its place.
          restarts: How often it was started again.

        Raises:
          AlreadyExistsError: Someone else has started it.
          CancelledError: `kill` was called.
        """
        launch, task, machine = self._launch, placement.task, placement.machine
        self.end(task)
        data = launch.config.SerializeToString(deterministic=True)
        sharers = self._sharers.get(machine.node_id, 0) or len(placement.devices)
        for device in placement.devices:
            opening = OpenDevice(launch.cluster, device, sharers, data, restarts, machine.cpus)
            gpus = int(parse(device).device_type == "GPU")
            name = device_name(launch.cluster, device)
            self._start(DeviceActor, name, device, task, machine, opening, gpus)
        if not launch.home:
            return
        returns = restarts < launch.max_restarts
        worker = OpenWorker(launch.cluster, task, placement.devices, returns)
        self._start(WorkerActor, worker_name(launch.cluster, task), task, task, machine, worker)

    def start_master(self, machine: Machine, restarts: int = 0) -> None:
        """Starts the master, after ending the one that there is; raises as `start_task` does."""
        launch = self._launch
        self.end(launch.master)
        opening = OpenMaster(
            launch.cluster,
            launch.home,
            launch.tasks,
            returns=restarts < launch.max_restarts,
            is_closed=launch.is_closed,
            tasks_return=not launch.is_closed or launch.max_restarts > 0,
        )
        name = master_name(launch.cluster, launch.home)
        self._start(MasterActor, name, launch.master, launch.master, machine, opening)

    def wait(self, timeout: float, unit: str | None = None) -> None:
        """Waits until all actors, or those of a unit, are ready; if they are not, stops all.

        Raises:
          DeadlineExceededError: Ray has not started them in time; says which, and what it lacks.
          OpError: One of them failed to start.
        """
        waiting = {a.handle.ready.remote(): whom for whom, a in self._of(unit).items()}
        needs = {whom: actor.need for whom, actor in self._of(unit).items()}
        deadline = time.monotonic() + timeout

        def what() -> str:
            return f"Ray to start {', '.join(sorted(waiting.values()))}"

        try:
            with awaited(what, timeout):
                while waiting:
                    left = max(0.0, deadline - time.monotonic())
                    ready, _ = ray.wait(list(waiting), num_returns=1, timeout=left)
                    if not ready:
                        raise _late([needs[whom] for whom in waiting.values()], timeout)
                    for call in ready:
                        _check(call, needs[waiting.pop(call)])
            if unit is None and self._reservation is not None:
                self._reservation.settle()
        except BaseException:
            if unit is None:
                self.kill()
            else:
                self.end(unit)
            raise

    def watch(self, on_death: OnDeath, unit: str | None = None) -> None:
        """Has `on_death` called, on a thread, with each actor, or each of a unit, that dies before
        it is ended."""
        watched = self._of(unit)

        def died(whom: str, error: OpError) -> None:
            with self._lock:
                is_mine = self._actors.get(whom) is watched[whom] and not self._stopped
            if is_mine:
                on_death(watched[whom].unit, whom, error)

        watch = DeathWatch({whom: actor.handle for whom, actor in watched.items()}, died)
        with self._lock:
            self._watches = [w for w in self._watches if w.is_running]
            self._watches.append(watch)

    def end(self, unit: str) -> None:
        """Stops the actors of a unit and waits until they are dead; nobody is told of it."""
        with self._lock:
            ended = self._of(unit)
            for whom in ended:
                del self._actors[whom]
        _kill(list(ended.values()))

    def kill(self) -> None:
        """Stops all actors and waits until they are dead; a second call does nothing."""
        with self._lock:
            self._stopped = True
            watches, self._watches = self._watches, []
            actors, self._actors = self._actors, {}
        for watch in watches:
            watch.let_go()
        _kill(list(actors.values()))
        for watch in watches:
            watch.stop()
        if self._reservation is not None:
            self._reservation.end()

    def _of(self, unit: str | None) -> dict[str, _Started]:
        with self._lock:
            return {w: a for w, a in self._actors.items() if unit is None or a.unit == unit}

    def _start(
        self,
        kind: Any,
        name: str,
        whom: str,
        unit: str,
        machine: Machine,
        opening: Message,
        gpus: int = 0,
    ) -> None:
        affinity = NodeAffinitySchedulingStrategy(machine.node_id, soft=False)
        options: dict[str, Any] = {"num_gpus": gpus} if gpus else {}
        with self._lock:
            if self._stopped:
                raise CancelledError(None, None, f"{whom} is not started: its server was stopped.")
            try:
                actor = kind.options(
                    name=name, namespace=NAMESPACE, scheduling_strategy=affinity, **options
                ).remote(_ROOT, encode(opening))
            except exceptions.ActorAlreadyExistsError as error:
                raise AlreadyExistsError(
                    None,
                    None,
                    f"{whom} has been started already in this cluster ('{name}'): stop the server "
                    "that runs it, or give the cluster other addresses.",
                ) from error
            need = Need(name, whom, machine.node_id, gpus)
            self._actors[whom] = _Started(actor, unit, need, actor.stay.remote(_OWNER))


def _kill(actors: Sequence[_Started]) -> None:
    if not actors or not ray.is_initialized():
        return
    lives = []
    for actor in actors:
        try:
            # Also one that has died: only so does Ray let go of its name in this process.
            ray.kill(actor.handle)
            lives.append(actor.life)
        except Exception as error:
            _LOGGER.debug("An actor of a Ray that was shut down is not stopped: %s", error)
    if lives:
        ray.wait(lives, num_returns=len(lives), timeout=_KILL_SECONDS)


def _check(call: Any, need: Need) -> None:
    whom = need.whom
    try:
        ray.get(call)
    except exceptions.ActorUnschedulableError as error:
        if any(machine.node_id == need.node_id for machine in machines()):
            raise as_op_error(error, whom) from error
        message = (
            f"{whom} cannot start: its machine has left the cluster. Another attempt is placed on "
            "those that are left."
        )
        raise UnavailableError(None, None, message) from error
    except exceptions.RayError as error:
        reason = as_op_error(error, whom)
        if _NO_PACKAGE in reason.message:
            raise FailedPreconditionError(
                None,
                None,
                f"{whom} cannot start: the package `dataflow` is not installed on its machine, nor "
                f"found there in {_ROOT}. Install it on all of them, or have Ray take it along: "
                '`ray job submit --working-dir .`, or `ray.init(runtime_env={"py_modules": '
                "[dataflow]})`.",
            ) from error
        raise reason from error


def _late(needs: Iterable[Need], timeout: float) -> OpError:
    needs = sorted(needs, key=lambda need: need.whom)
    listed = ", ".join(need.whom for need in needs)
    return DeadlineExceededError(
        None,
        None,
        f"Ray has not started within {timeout:.1f} s: {listed}.\n{shortage_text(needs)}\nFree what "
        "others hold, ask for less in ConfigProto.device_count, or allow more time in "
        "ConfigProto.operation_timeout_in_ms.",
    )

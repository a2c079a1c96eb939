"""Starts the actors of tasks, all at once, waits until they are ready, and stops them."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import ray
from ray import exceptions
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from dataflow.actors.cluster import Machine, Placement, resources_text
from dataflow.actors.codec import encode
from dataflow.actors.messages import Message, OpenDevice, OpenMaster, OpenWorker
from dataflow.actors.ray_actors import DeviceActor, MasterActor, WorkerActor
from dataflow.actors.ray_calls import (
    NAMESPACE,
    as_op_error,
    device_name,
    master_name,
    worker_name,
)
from dataflow.actors.ray_watch import DeathWatch
from dataflow.devices import parse
from dataflow.errors import (
    AlreadyExistsError,
    DeadlineExceededError,
    FailedPreconditionError,
    OpError,
)
from dataflow.proto.config_pb2 import ConfigProto

_LOGGER = logging.getLogger("dataflow")

_ROOT: Final = str(Path(__file__).absolute().parents[2])
"""The folder that `dataflow` is in, as it was imported here."""
_KILL_SECONDS: Final = 5.0
_OWNER: Final = "owner"
_NO_PACKAGE: Final = "No module named 'dataflow'"


class ActorSet:
    """Actors that this process has started and stops again."""

    def __init__(self, cluster: str) -> None:
        self._cluster = cluster
        self._actors: dict[str, Any] = {}
        """By what messages call them."""
        self._watch: DeathWatch | None = None

    def start(
        self,
        placements: Sequence[Placement],
        config: ConfigProto,
        home: str,
        tasks: Sequence[str],
    ) -> None:
        """Starts a worker and devices for each placement, and a master.

        Args:
          placements: The tasks.
          config: Options of the devices.
          home: The master's task, one of the placements.
          tasks: All tasks of the cluster, also those that are started elsewhere.

        Raises:
          AlreadyExistsError: A task has actors already.
        """
        cluster = self._cluster
        data = config.SerializeToString(deterministic=True)
        devices = Counter(p.machine.node_id for p in placements for _ in p.devices)
        try:
            for placement in placements:
                machine, sharers = placement.machine, devices[placement.machine.node_id]
                for device in placement.devices:
                    gpus = int(parse(device).device_type == "GPU")
                    opening = OpenDevice(cluster, device, sharers, data)
                    name = device_name(cluster, device)
                    self._start(DeviceActor, name, device, machine, opening, gpus)
                worker = OpenWorker(cluster, placement.task, placement.devices)
                name = worker_name(cluster, placement.task)
                self._start(WorkerActor, name, placement.task, machine, worker)
                if placement.task == home:
                    master = OpenMaster(cluster, home, tuple(tasks))
                    name = master_name(cluster, home)
                    self._start(MasterActor, name, f"The master of {home}", machine, master)
        except BaseException:
            self.kill()
            raise

    def wait(self, timeout: float) -> None:
        """Waits until all actors are ready; if they are not, stops them.

        Raises:
          DeadlineExceededError: Ray has not started them in time; says which.
          OpError: One of them failed to start.
        """
        waiting = {a.ready.remote(): whom for whom, a in self._actors.items()}
        deadline = time.monotonic() + timeout
        try:
            while waiting:
                left = max(0.0, deadline - time.monotonic())
                ready, _ = ray.wait(list(waiting), num_returns=1, timeout=left)
                if not ready:
                    raise _late(waiting.values(), timeout)
                for call in ready:
                    _check(call, waiting.pop(call))
        except BaseException:
            self.kill()
            raise

    def watch(self, on_death: Callable[[str, OpError], None]) -> None:
        """Has `on_death` called, on a thread, with each actor that dies before `kill`."""
        self._watch = DeathWatch(self._actors, on_death)

    def kill(self) -> None:
        """Stops the actors and waits until they are dead; a second call does nothing."""
        if self._watch is not None:
            self._watch.stop()
        actors, self._actors = self._actors, {}
        if not actors or not ray.is_initialized():
            return
        # Calls that end with their actors.
        lives = []
        for actor in actors.values():
            try:
                lives.append(actor.watch.remote(_OWNER))
                ray.kill(actor)
            except Exception as error:
                _LOGGER.debug("An actor of a Ray that was shut down is not stopped: %s", error)
        if lives:
            ray.wait(lives, num_returns=len(lives), timeout=_KILL_SECONDS)

    def _start(
        self, kind: Any, name: str, whom: str, machine: Machine, opening: Message, gpus: int = 0
    ) -> None:
        affinity = NodeAffinitySchedulingStrategy(machine.node_id, soft=False)
        options: dict[str, Any] = {"num_gpus": gpus} if gpus else {}
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
        self._actors[whom] = actor


def _check(call: Any, whom: str) -> None:
    try:
        ray.get(call)
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


def _late(names: Iterable[str], timeout: float) -> OpError:
    listed = ", ".join(sorted(names))
    return DeadlineExceededError(
        None,
        None,
        f"Ray has not started within {timeout:.1f} s: {listed}. {resources_text()}. Free what "
        "others hold, ask for less in ConfigProto.device_count, or allow more time in "
        "ConfigProto.operation_timeout_in_ms.",
    )

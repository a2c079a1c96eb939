"""Where tasks go: the machines of a Ray cluster, and a place on one of them for each task."""

from __future__ import annotations

import importlib.util
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import ray
from ray._private import state

from dataflow.actors.ray.cluster.joining import check, join, join_at, leave, start_or_join
from dataflow.actors.ray.cluster.waiting import awaited
from dataflow.errors import ResourceExhaustedError, UnavailableError
from dataflow.proto.cluster_pb2 import ClusterDef
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.values.devices import full_name

_LOGGER = logging.getLogger("dataflow")

_LONE_JOB: Final = "worker"
"""Job of the tasks of a session without a server: one on each machine."""

_HERE: Final = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Machine:
    """A node of Ray."""

    node_id: str
    address: str
    """Network address."""
    hostname: str
    gpus: int = 0
    """What Ray counts there in all."""
    free_gpus: int = 0
    cpus: int = 0
    """What Ray was given there; 0 if none, or if it is not known."""
    free_cpus: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """A task to be placed."""

    name: str
    """"/job:worker/replica:0/task:0"."""
    address: str = ""
    """Where it shall run, "host:port"; "" for anywhere."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A task with its machine and devices."""

    task: str
    machine: Machine
    cpus: int
    """CPU devices; see `reservation` for what they reserve."""
    gpus: int
    """GPU devices; each reserves one."""

    @property
    def devices(self) -> tuple[str, ...]:
        """Full names of the devices."""
        counts = (("CPU", self.cpus), ("GPU", self.gpus))
        return tuple(
            f"{self.task}/device:{kind}:{index}" for kind, count in counts for index in range(count)
        )


def task_name(job: str, index: int) -> str:
    """Full name of a task."""
    return full_name(job, 0, index, "CPU", 0).rpartition("/device:")[0]


def machines() -> list[Machine]:
    """The living nodes of Ray, that of this process first.

    Raises:
      UnavailableError: There is none.
    """
    with awaited("Ray to tell its machines"):
        own = ray.get_runtime_context().get_node_id()
        free = state.available_resources_per_node()
        nodes = ray.nodes()
    found = [
        Machine(
            node["NodeID"],
            node["NodeManagerAddress"],
            node.get("NodeManagerHostname", ""),
            int(node["Resources"].get("GPU", 0)),
            int(free.get(node["NodeID"], {}).get("GPU", 0)),
            int(node["Resources"].get("CPU", 0)),
            int(free.get(node["NodeID"], {}).get("CPU", 0)),
        )
        for node in nodes
        if node["Alive"]
    ]
    if not found:
        raise UnavailableError(None, None, "Ray has no living node.")
    return sorted(found, key=lambda m: (m.node_id != own, m.address, m.node_id))


def place_one_a_machine(found: Sequence[Machine], config: ConfigProto) -> list[Placement]:
    """A task on each machine, as a session without a server has.

    Unless the configuration says how many GPUs, the free ones are taken, if this process has cupy.

    Raises:
      ResourceExhaustedError: A machine has fewer GPUs than the configuration asks for.
    """
    cpus, asked = _device_count(config)
    placements = []
    for index, machine in enumerate(found):
        gpus = asked
        if gpus is None:
            gpus = machine.free_gpus if importlib.util.find_spec("cupy") else 0
        placements.append(Placement(task_name(_LONE_JOB, index), machine, cpus, gpus))
    _check_gpus(placements)
    return placements


def place_tasks(
    tasks: Sequence[Task], found: Sequence[Machine], config: ConfigProto
) -> list[Placement]:
    """A machine for each task: the one of its address, else the one with the fewest tasks so far.

    Args:
      tasks: The tasks.
      found: The machines, that of this process first; among equal ones the first is taken.
      config: Its `device_count` holds for each task; without a count of GPUs a task gets none.

    Raises:
      ResourceExhaustedError: The machines have too few GPUs for all.
    """
    cpus, asked = _device_count(config)
    gpus = asked or 0
    left = {machine.node_id: machine.gpus for machine in found}
    count = dict.fromkeys(left, 0)
    placements = []
    for task in tasks:
        fitting = [m for m in found if left[m.node_id] >= gpus] or list(found)
        host = task.address.rpartition(":")[0]
        named = [m for m in found if host and host in (m.address, m.hostname)]
        if host in _HERE:
            named = list(found[:1])
        machine = min(named or fitting, key=lambda m: count[m.node_id])
        count[machine.node_id] += 1
        left[machine.node_id] -= gpus
        placements.append(Placement(task.name, machine, cpus, gpus))
    _check_gpus(placements)
    return placements


def tasks_of(cluster: ClusterDef) -> list[Task]:
    """The tasks of a cluster, job by job in the order of their names."""
    return [
        Task(task_name(job.name, index), job.tasks[index])
        for job in cluster.job
        for index in sorted(job.tasks)
    ]


def resources_text() -> str:
    """What Ray has and what of it is free, for messages."""
    total, free = ray.cluster_resources(), ray.available_resources()
    kinds = [kind for kind in ("CPU", "GPU") if kind in total] or ["no CPU"]
    parts = [f"{kind} {free.get(kind, 0):g} of {total.get(kind, 0):g} free" for kind in kinds]
    living = sum(bool(node["Alive"]) for node in ray.nodes())
    return f"Ray has {living} living node(s), {', '.join(parts)}"


def _device_count(config: ConfigProto) -> tuple[int, int | None]:
    """CPU and GPU devices that a task shall have; None if it is not said how many GPUs."""
    counts = config.device_count
    return max(1, counts.get("CPU", 1)), counts.get("GPU") if "GPU" in counts else None


def _check_gpus(placements: Sequence[Placement]) -> None:
    asked: dict[str, list[Placement]] = {}
    for placement in placements:
        asked.setdefault(placement.machine.node_id, []).append(placement)
    for on_machine in asked.values():
        machine, total = on_machine[0].machine, sum(p.gpus for p in on_machine)
        if total > machine.gpus:
            tasks = ", ".join(p.task for p in on_machine)
            raise ResourceExhaustedError(
                None,
                None,
                f"{tasks} cannot be placed: they ask for {total} GPU(s) on {machine.address}, "
                f"where Ray counts {machine.gpus}. {resources_text()}. Ask for fewer in "
                "ConfigProto.device_count.",
            )


class RayUse:
    """Who uses Ray in this process: it is started for the first, and what was started is stopped
    after the last."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._users = 0
        self._started = False
        self._departures: list[Callable[[], None]] = []

    def acquire(
        self, must_run: bool = False, at: str = "", depart: Callable[[], None] | None = None
    ) -> None:
        """Joins the Ray that the environment names, or starts one on this machine, if this process
        has not joined one.

        Args:
          must_run: Starts none.
          at: The address of the one to join, whatever the environment says; "" for none.
          depart: Called after the last use: others may have come to use what this one has found.

        Raises:
          NotFoundError: None is named, and none was to be started.
          UnavailableError: Ray cannot be joined, or started, or answers no more.
        """
        with self._lock:
            if ray.is_initialized():
                check()
                address = ray.get_runtime_context().gcs_address
                _LOGGER.info("Uses the Ray that this program has joined, '%s'.", address)
            else:
                if at:
                    join_at(at)
                else:
                    (join if must_run else start_or_join)()
                self._started = True
            self._users += 1
            if depart is not None:
                self._departures.append(depart)

    def release(self) -> None:
        """Ends one use."""
        with self._lock:
            self._users -= 1
            if self._users:
                return
            departures, self._departures = self._departures, []
            try:
                if self._started:
                    self._started = False
                    if ray.is_initialized():
                        leave()
            finally:
                for depart in departures:
                    depart()


ray_use: Final = RayUse()

"""SlurmClusterResolver: the cluster of a job step that Slurm started, from its environment."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from typing import Any

from dataflow.session.clusters.resolver import ClusterResolver, master_url
from dataflow.values.cluster_spec import ClusterSpec


class SlurmClusterResolver(ClusterResolver):
    """Gives the tasks of a step to jobs, in the order of their hosts, and each its GPUs."""

    def __init__(
        self,
        jobs: Mapping[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: int | Mapping[str, int] | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ) -> None:
        """Reads the environment for what is not given.

        Args:
          jobs: The number of tasks of each job; all are workers by default.
          port_base: The port of the first task of a host; the others' follow.
          gpus_per_node: GPUs of a host; CUDA_VISIBLE_DEVICES or nvidia-smi say it by default.
          gpus_per_task: GPUs of a task; an equal share by default.
          tasks_per_node: Tasks of each host: one number, or a mapping from hosts.
          auto_set_gpu: Sets CUDA_VISIBLE_DEVICES to this task's GPUs when the cluster is asked for.
          rpc_layer: The protocol that targets begin with.

        Raises:
          RuntimeError: Numbers do not fit each other, or a variable of Slurm's is not set.
          ValueError: A variable of Slurm's is malformed.
        """
        self._rank = int(_slurm("PROCID"))
        self._jobs = {"worker": int(_slurm("STEP_NUM_TASKS"))} if jobs is None else jobs
        self._port_base = port_base
        self._tasks = _tasks_of_hosts(tasks_per_node)
        most = max(self._tasks.values())
        self._gpus_per_node = _visible_gpus() if gpus_per_node is None else gpus_per_node
        share = self._gpus_per_node // most
        self._gpus_per_task = share if gpus_per_task is None else gpus_per_task
        self._auto_set_gpu = auto_set_gpu
        self.rpc_layer = rpc_layer
        if most * self._gpus_per_task > self._gpus_per_node:
            raise RuntimeError("Requested more GPUs per node than available.")
        asked, assigned = sum(self._jobs.values()), sum(self._tasks.values())
        if asked != assigned:
            raise RuntimeError(f"Requested {asked} tasks but only {assigned} were assigned.")

    def cluster_spec(self) -> ClusterSpec:
        """The tasks; this program's own gets its job, its number and its GPUs."""
        addresses, gpus = [], []
        for host, count in sorted(self._tasks.items()):
            for place in range(count):
                addresses.append(f"{host}:{self._port_base + place}")
                first = place * self._gpus_per_task
                gpus.append(",".join(map(str, range(first, first + self._gpus_per_task))))
        cluster: dict[str, list[str]] = {}
        start = 0
        for job, count in sorted(self._jobs.items()):
            cluster[job] = addresses[start : start + count]
            if start <= self._rank < start + count:
                self._task_type, self._task_id = job, self._rank - start
            start += count
        if self._auto_set_gpu:
            os.environ["CUDA_VISIBLE_DEVICES"] = gpus[self._rank]
        return ClusterSpec(cluster)

    def get_task_info(self) -> tuple[Any, Any]:
        """This program's job and task; None before `cluster_spec` was called."""
        return self.task_type, self.task_id

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The target of sessions: a task's address; empty if no task is known."""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        address = self.cluster_spec().task_address(task_type, task_id)
        return master_url(address, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """The GPUs of a task."""
        return {"GPU": self._gpus_per_task}


def expand_hostlist(hostlist: str) -> list[str]:
    """The hosts that a list of Slurm's names: "n[1-2],m5" are n1, n2 and m5.

    Raises:
      ValueError: It is malformed.
    """
    parts = re.findall(r"(?:[^,\[\]]+(?:\[[^\[\]]+\])?)|(?:\[[^\[\]]+\])", hostlist)
    hosts: list[str] = []
    try:
        if ",".join(parts) != hostlist:
            raise ValueError(f"Invalid part: {hostlist}")
        for part in parts:
            prefix, _, ranges = part.rstrip("]").partition("[")
            hosts += [prefix + number for number in _numbers(ranges)] if ranges else [prefix]
    except ValueError as error:
        raise ValueError(f'Invalid hostlist format "{hostlist}": {error}') from None
    return hosts


def expand_tasks_per_node(tasks_per_node: str) -> list[int]:
    """The numbers that a list of Slurm's says: "3(x2),2" are 3, 3 and 2.

    Raises:
      ValueError: It is malformed.
    """
    counts: list[int] = []
    for part in tasks_per_node.split(","):
        found = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        if found is None:
            raise ValueError(f'Invalid tasks-per-node list format "{tasks_per_node}": {part}')
        counts += [int(found[1])] * int(found[2] or 1)
    return counts


def _numbers(ranges: str) -> list[str]:
    """The numbers of "3-5,08", with as many digits as the first of each range has."""
    found: list[str] = []
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        numbers = range(int(first), int(last or first) + 1)
        found += [str(number).zfill(len(first)) for number in numbers]
    return found


def _tasks_of_hosts(tasks_per_node: int | Mapping[str, int] | None) -> dict[str, int]:
    if isinstance(tasks_per_node, Mapping):
        return dict(tasks_per_node)
    hosts = expand_hostlist(_slurm("STEP_NODELIST"))
    if tasks_per_node is not None:
        return dict.fromkeys(hosts, int(tasks_per_node))
    counts = expand_tasks_per_node(_slurm("STEP_TASKS_PER_NODE"))
    return dict(zip(hosts, counts, strict=False))


def _slurm(name: str) -> str:
    name = f"SLURM_{name}"
    if name not in os.environ:
        raise RuntimeError(f"{name} not found in environment. Not running inside a SLURM step?")
    return os.environ[name]


def _visible_gpus() -> int:
    if (visible := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
        return len(visible.split(","))
    try:
        listed = subprocess.check_output(["nvidia-smi", "--list-gpus"], encoding="utf-8")
    except (OSError, subprocess.CalledProcessError) as error:
        raise RuntimeError(
            f"Could not get number of GPUs from nvidia-smi. Maybe it is missing?\nOutput: {error}"
        ) from None
    return sum(line.startswith("GPU ") for line in listed.splitlines())

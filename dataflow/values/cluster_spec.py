"""ClusterSpec: the jobs of a cluster and their tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.proto.cluster_pb2 import ClusterDef


class ClusterSpec:
    """The tasks that take part in a computation, by job.

    Args:
      cluster: For each job its tasks: a list of addresses "host:port", a dict from task index to
        address, or the number of tasks, which Ray then places where it likes; or a `ClusterDef`,
        or another `ClusterSpec`.

    Raises:
      TypeError: The cluster, a job name, the tasks of a job or an address is of another type.
      ValueError: A number of tasks is negative.
    """

    def __init__(self, cluster: Any) -> None:
        self._tasks: dict[Any, dict[int, Any]] = {}
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_cluster_def()
        if isinstance(cluster, ClusterDef):
            self._cluster_def = ClusterDef()
            self._cluster_def.CopyFrom(cluster)
            self._tasks = {job.name: dict(job.tasks) for job in cluster.job}
        elif isinstance(cluster, dict):
            self._tasks = {job: _tasks_by_index(job, tasks) for job, tasks in cluster.items()}
            self._cluster_def = _to_proto(self._tasks)
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network "
                "addresses, or a `ClusterDef` protocol buffer"
            )

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __eq__(self, other: object) -> bool:
        return bool(self._tasks == (other._tasks if isinstance(other, ClusterSpec) else other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        items = [f"{job!r}: {tasks!r}" for job, tasks in sorted(self.as_dict().items())]
        return f"ClusterSpec({{{', '.join(items)}}})"

    def as_dict(self) -> dict[str, Any]:
        """By job the list of its addresses, or a dict by index if some index is left out."""
        found: dict[str, Any] = {}
        for job, tasks in self._tasks.items():
            is_dense = tasks and max(tasks) + 1 == len(tasks)
            found[job] = self.job_tasks(job) if is_dense else dict(sorted(tasks.items()))
        return found

    def as_cluster_def(self) -> ClusterDef:
        """The cluster as a `ClusterDef`."""
        return self._cluster_def

    @property
    def jobs(self) -> list[str]:
        """Names of the jobs."""
        return list(self._tasks)

    def num_tasks(self, job_name: str) -> int:
        """Number of tasks of a job.

        Raises:
          ValueError: There is no such job.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Indices of the tasks of a job, sorted.

        Raises:
          ValueError: There is no such job.
        """
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> Any:
        """Address of a task; "" if the job was given as a number of tasks.

        Raises:
          ValueError: There is no such job, or no such task in it.
        """
        try:
            return self._job(job_name)[task_index]
        except KeyError:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}") from None

    def job_tasks(self, job_name: str) -> list[Any]:
        """Addresses of the tasks of a job by index, None for an index that is left out.

        Raises:
          ValueError: There is no such job.
        """
        tasks = self._job(job_name)
        return [tasks.get(index) for index in range(max(tasks, default=-1) + 1)]

    def _job(self, name: str) -> dict[int, Any]:
        try:
            return self._tasks[name]
        except KeyError:
            raise ValueError(f"No such job in cluster: {name!r}") from None


def _tasks_by_index(job: Any, tasks: Any) -> dict[int, Any]:
    if isinstance(tasks, (list, tuple)):
        return dict(enumerate(tasks))
    if isinstance(tasks, Mapping):
        return {int(index): address for index, address in tasks.items()}
    if isinstance(tasks, int) and not isinstance(tasks, bool):
        if tasks < 0:
            raise ValueError(f"Job {job!r} cannot have {tasks} tasks.")
        return dict.fromkeys(range(tasks), "")
    raise TypeError(
        f"The tasks for job {job!r} must be a list or a dictionary from integers to strings."
    )


def _to_proto(tasks_by_job: dict[Any, dict[int, Any]]) -> ClusterDef:
    for job in tasks_by_job:
        if not isinstance(job, (str, bytes)):
            raise TypeError(f"Job name {job!r} must be bytes or unicode")
    cluster_def = ClusterDef()
    for job, tasks in sorted(tasks_by_job.items()):
        job_def = cluster_def.job.add(name=job)
        for index, address in sorted(tasks.items()):
            if not isinstance(address, (str, bytes)):
                raise TypeError(f"Task address {address!r} must be bytes or unicode")
            job_def.tasks[index] = address if isinstance(address, str) else address.decode()
    return cluster_def

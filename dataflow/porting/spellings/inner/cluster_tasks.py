"""tensorflow.python.distribute.multi_worker_util: which part a task has in a cluster."""

from __future__ import annotations

from typing import Any, Final

from dataflow.proto.cluster_pb2 import ClusterDef
from dataflow.values.cluster_spec import ClusterSpec

_JOBS: Final = ("chief", "worker", "evaluator", "ps")


def normalize_cluster_spec(cluster_spec: Any) -> ClusterSpec:
    """A cluster given as a dict, a message or a ClusterSpec.

    Raises:
      ValueError: It is none of these.
    """
    if isinstance(cluster_spec, ClusterSpec):
        return cluster_spec
    if isinstance(cluster_spec, (dict, ClusterDef)):
        return ClusterSpec(cluster_spec)
    raise ValueError(
        "`cluster_spec' should be dict or a `tf.train.ClusterSpec` or a `tf.train.ClusterDef` "
        "object"
    )


def is_chief(cluster_spec: Any = None, task_type: Any = None, task_id: Any = None) -> bool:
    """Whether a task is the chief: that of the job "chief", the first worker where there is no
    such job, or an evaluator.

    Raises:
      ValueError: The cluster has no such task, or is none.
    """
    tasks = _tasks(cluster_spec, task_type, task_id)
    if task_type in ("chief", "evaluator"):
        return True
    return "chief" not in tasks and (task_type, task_id) == ("worker", 0)


def collective_leader(cluster_spec: Any, task_type: Any, task_id: Any) -> str:
    """The task that leads collectives; "" without a cluster and for evaluators.

    Raises:
      ValueError: The cluster has no such task.
    """
    if not normalize_cluster_spec(cluster_spec).as_dict():
        return ""
    tasks = _tasks(cluster_spec, task_type, task_id)
    if task_type == "evaluator":
        return ""
    job = "chief" if "chief" in tasks else "worker"
    return f"/job:{job}/replica:0/task:0"


def worker_count(cluster_spec: Any, task_type: Any) -> int:
    """How many tasks work together with those of a job: chief and workers, or evaluators.

    Raises:
      ValueError: The cluster has no such job, or it is one of parameter servers.
    """
    tasks = _tasks(cluster_spec, task_type, 0)
    if task_type == "ps":
        raise ValueError(f"Unexpected `task_type` {task_type!r}")
    jobs = ["evaluator"] if task_type == "evaluator" else ["chief", "worker"]
    return sum(len(tasks.get(job, [])) for job in jobs)


def id_in_cluster(cluster_spec: Any, task_type: Any, task_id: Any) -> int:
    """The number of a task among those that work together; the chief is the first.

    Raises:
      ValueError: The cluster has no such task, or it is a parameter server.
    """
    tasks = _tasks(cluster_spec, task_type, task_id)
    if task_type == "ps":
        raise ValueError(f"There is no id for task_type {task_type!r}")
    if task_type == "chief":
        return 0
    before = len(tasks.get("chief", [])) if task_type == "worker" else 0
    return int(task_id) + before


def has_worker_context() -> bool:
    """Whether a coordinator runs this program's code: there is none here."""
    return False


def _tasks(cluster_spec: Any, task_type: Any, task_id: Any) -> dict[str, Any]:
    """The tasks of a cluster by job, which has the task that is named."""
    if cluster_spec is None or task_type is None or task_id is None:
        raise ValueError("None of `cluster_spec`, `task_type`, and `task_id` should be `None`.")
    tasks: dict[str, Any] = normalize_cluster_spec(cluster_spec).as_dict()
    if task_type not in _JOBS:
        raise ValueError(
            f'Unrecognized task_type: {task_type!r}, valid task types are: "chief", "worker", '
            '"evaluator" and "ps".'
        )
    if task_type not in tasks:
        raise ValueError(f"`task_type` {task_type!r} not found in cluster_spec.")
    for job in ("chief", "evaluator"):
        if len(tasks.get(job, [])) > 1:
            raise ValueError(f"There must be at most one '{job}' job.")
    if task_id >= len(tasks[task_type]):
        raise ValueError(f"The `task_id` {task_id} exceeds the maximum id of {task_type}.")
    return tasks

"""What TF_CONFIG says: which task of which cluster a program is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from dataflow.session.clusters.tf_config import environment
from dataflow.values import logging
from dataflow.values.cluster_spec import ClusterSpec


class TaskType:
    """The jobs that estimators know."""

    MASTER: ClassVar[str] = "master"
    PS: ClassVar[str] = "ps"
    WORKER: ClassVar[str] = "worker"
    CHIEF: ClassVar[str] = "chief"
    EVALUATOR: ClassVar[str] = "evaluator"


@dataclass(frozen=True)
class Place:
    """A task, and what it needs to know of its cluster."""

    cluster_spec: ClusterSpec
    task_type: str | None
    task_id: int
    global_id: int | None
    master: str
    is_chief: bool
    num_ps_replicas: int
    num_worker_replicas: int
    evaluation_master: str = ""


def read_environment() -> dict[str, Any]:
    """TF_CONFIG, which is logged; see `environment`."""
    found = environment()
    if found:
        logging.info("TF_CONFIG environment variable: %s", found)
    return found


def model_dir_of(environment: Mapping[str, Any], model_dir: Any) -> str | None:
    """The folder of a model, which TF_CONFIG may say, too.

    Raises:
      ValueError: Both say one, and not the same.
    """
    path = None if model_dir is None else os.fspath(model_dir)
    if "model_dir" not in environment:
        return path
    said: str = environment["model_dir"]
    if said == "":
        raise ValueError("model_dir in TF_CONFIG should not be empty.")
    if path is not None and path != said:
        raise ValueError(
            "`model_dir` provided in RunConfig construct, if set, must have the same value as the "
            f'model_dir in TF_CONFIG. model_dir: {path}\nTF_CONFIG["model_dir"]: {said}.\n'
        )
    if path is None:
        logging.info("Using model_dir in TF_CONFIG: %s", said)
    return said


def place_of(environment: Mapping[str, Any]) -> Place:
    """The task that TF_CONFIG says; a worker by itself if it says none.

    Raises:
      ValueError: There is no such task, or the cluster lacks a task that it needs.
    """
    cluster = ClusterSpec(environment.get("cluster", {}))
    task = environment.get("task", {})
    if not cluster:
        return _alone(environment, task)
    has_master = TaskType.MASTER in cluster.jobs
    chief = TaskType.MASTER if has_master else TaskType.CHIEF
    task_type, task_id = _task(cluster, task, chief)
    if task_type == TaskType.EVALUATOR:
        if has_master:
            raise ValueError(
                "If `master` node exists in `cluster`, task_type `evaluator` is not supported."
            )
        return Place(ClusterSpec({}), task_type, task_id, None, "", False, 0, 0)
    workers = cluster.num_tasks(TaskType.WORKER) if TaskType.WORKER in cluster.jobs else 0
    return Place(
        cluster_spec=cluster,
        task_type=task_type,
        task_id=task_id,
        global_id=_number(cluster, task_type, task_id, chief),
        master=_master(cluster, task_type, task_id, environment),
        is_chief=task_type == chief,
        num_ps_replicas=cluster.num_tasks(TaskType.PS) if TaskType.PS in cluster.jobs else 0,
        num_worker_replicas=workers + cluster.num_tasks(chief),
        evaluation_master=environment.get("eval_session_master", "") if has_master else "",
    )


def default_session_config(environment: Mapping[str, Any]) -> ConfigProto:
    """The options of sessions where none are given: tasks see parameter servers and themselves."""
    config = ConfigProto(allow_soft_placement=True)
    config.graph_options.rewrite_options.meta_optimizer_iterations = RewriterConfig.ONE
    task = environment.get("task", {})
    cluster = environment.get("cluster", {})
    task_type, task_id = task.get("type"), int(task.get("index", 0))
    filters: list[str] | None = None
    if cluster and task_type in (TaskType.MASTER, TaskType.CHIEF):
        filters = ["/job:ps", f"/job:{task_type}"]
    elif cluster and task_type == TaskType.WORKER:
        filters = ["/job:ps", f"/job:worker/task:{task_id}"]
    elif cluster and task_type == TaskType.PS:
        filters = ["/job:ps", "/job:worker", "/job:chief", "/job:master"]
    if filters:
        config.device_filters.extend(filters)
    return config


def _alone(environment: Mapping[str, Any], task: Mapping[str, Any]) -> Place:
    task_type = task.get("type", TaskType.WORKER)
    task_id = int(task.get("index", 0))
    if task_type == TaskType.EVALUATOR:
        return Place(ClusterSpec({}), task_type, task_id, None, "", False, 0, 0)
    if task_type != TaskType.WORKER:
        raise ValueError('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
    if task_id != 0:
        raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
    return Place(
        cluster_spec=ClusterSpec({}),
        task_type=task_type,
        task_id=task_id,
        global_id=0,
        master=environment.get("session_master", ""),
        is_chief=True,
        num_ps_replicas=0,
        num_worker_replicas=1,
        evaluation_master=environment.get("eval_session_master", ""),
    )


def _task(cluster: ClusterSpec, task: Mapping[str, Any], chief: str) -> tuple[str, int]:
    if chief not in cluster.jobs:
        raise ValueError(f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node.')
    if cluster.num_tasks(chief) > 1:
        raise ValueError(f'The "cluster" in TF_CONFIG must have only one "{chief}" node.')
    task_type, task_id = task.get("type"), task.get("index")
    if not task_type:
        raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
    if task_id is None:
        raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
    task_id = int(task_id)
    if task_id < 0:
        raise ValueError("Task index must be non-negative number.")
    if task_type == TaskType.EVALUATOR:
        return task_type, task_id
    return task_type, check_task(cluster, task_type, task_id)


def check_task(cluster: ClusterSpec, task_type: str, task_id: int) -> int:
    """The number of a task.

    Raises:
      ValueError: There is no such task.
    """
    if task_type not in cluster.jobs:
        raise ValueError(
            f"{task_type} is not a valid task_type in the cluster_spec:\n{cluster}\n\nNote that "
            "these values may be coming from the TF_CONFIG environment variable."
        )
    if task_id < 0 or task_id >= cluster.num_tasks(task_type):
        raise ValueError(
            f"{task_id} is not a valid task_id for task_type {task_type} in the cluster_spec:\n"
            f"{cluster}\n\nNote that these values may be coming from the TF_CONFIG environment "
            "variable."
        )
    return task_id


def _number(cluster: ClusterSpec, task_type: str, task_id: int, chief: str) -> int:
    """The place of a task among all: the chief first, parameter servers last."""
    others = sorted(job for job in cluster.jobs if job not in (chief, TaskType.PS))
    ordered = [chief, *others, *([TaskType.PS] if TaskType.PS in cluster.jobs else [])]
    before = ordered[: ordered.index(task_type)]
    return sum(map(cluster.num_tasks, before)) + task_id


def _master(
    cluster: ClusterSpec, task_type: str, task_id: int, environment: Mapping[str, Any]
) -> str:
    if "session_master" in environment:
        found: str = environment["session_master"]
        return found
    if sum(map(cluster.num_tasks, cluster.jobs)) == 1:
        return ""
    return f"grpc://{cluster.job_tasks(task_type)[task_id]}"

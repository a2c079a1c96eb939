"""TFConfigClusterResolver: the cluster that the environment variable TF_CONFIG says."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from dataflow.session.clusters.resolver import WithRpcLayer, master_url
from dataflow.values.cluster_spec import ClusterSpec


class TFConfigClusterResolver(WithRpcLayer):
    """Reads TF_CONFIG whenever it is asked."""

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        """Takes what overrides the variable; None leaves it as it says."""
        self._task_type = task_type
        self._task_id = task_id
        self._rpc_layer = rpc_layer
        self._environment = environment

    @property
    def task_type(self) -> Any:
        """The job of this program's task, or None."""
        found = _task().get("type") if self._task_type is None else self._task_type
        return None if found is None else str(found)

    @task_type.setter
    def task_type(self, task_type: Any) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> Any:
        """The number of this program's task, or None."""
        found = _task().get("index") if self._task_id is None else self._task_id
        return None if found is None else int(found)

    @task_id.setter
    def task_id(self, task_id: Any) -> None:
        self._task_id = task_id

    @property
    def environment(self) -> Any:
        """What was given."""
        return self._environment

    @property
    def rpc_layer(self) -> Any:
        """The protocol that targets begin with, or None."""
        return environment().get("rpc_layer") if self._rpc_layer is None else self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: Any) -> None:
        self._rpc_layer = rpc_layer

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """How many devices a task has, by their type; this program's task unless one is given."""
        return super().num_accelerators(
            self.task_type if task_type is None else task_type,
            self.task_id if task_id is None else task_id,
            config_proto,
        )

    def cluster_spec(self) -> ClusterSpec:
        """The cluster; an empty one if the variable says none."""
        return ClusterSpec(environment().get("cluster", {}))

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The target of sessions: what the variable calls so, or else the task's address.

        A cluster of one task needs none, and gives an empty text.

        Raises:
          ValueError: There is no such task.
        """
        if (said := environment().get("session_master")) is not None:
            return str(said)
        cluster = self.cluster_spec()
        jobs = cluster.jobs
        if not jobs or (len(jobs) == 1 and len(cluster.job_tasks(jobs[0])) == 1):
            return ""
        address = cluster.task_address(
            self.task_type if task_type is None else task_type,
            self.task_id if task_id is None else task_id,
        )
        return master_url(address, self.rpc_layer if rpc_layer is None else rpc_layer)


def environment() -> dict[str, Any]:
    """What TF_CONFIG says; nothing if it is not set.

    Raises:
      ValueError: It is no JSON object.
    """
    text = os.environ.get("TF_CONFIG") or "{}"
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ValueError(f"TF_CONFIG of the environment is no JSON: {error}: {text}") from None
    if not isinstance(found, dict):
        raise ValueError(
            "TF_CONFIG of the environment must be a JSON object, as "
            f'{{"cluster": ..., "task": ...}}: {text}'
        )
    return found


def _task() -> dict[str, Any]:
    found: dict[str, Any] = environment().get("task", {})
    return found

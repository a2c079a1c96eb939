"""ClusterResolver, the base of what finds clusters, and those that are told or put together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import Any

from dataflow.graph.graph import Graph
from dataflow.session.session import Session
from dataflow.values.cluster_spec import ClusterSpec


class ClusterResolver(ABC):
    """The base of what finds clusters: a subclass says the tasks and the target of sessions."""

    _task_type: Any = None
    _task_id: Any = None

    @abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """The tasks of the cluster as it is now."""

    @abstractmethod
    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The target of sessions: a task's address, behind the protocol if there is one."""

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """How many devices a session at `master` sees, by their type; CPUs count, too.

        Args:
          task_type: With `task_id` the task whose devices count; else those of all do.
          task_id: See there.
          config_proto: The options of the session that is opened to ask.
        """
        target = self.master(task_type, task_id)
        with Graph().as_default(), Session(target, config=config_proto) as session:
            devices = session.list_devices()
        if task_type is not None and task_id is not None:
            place = f"/job:{task_type}", f"/task:{task_id}"
            devices = [each for each in devices if all(part in each.name for part in place)]
        return Counter(each.device_type for each in devices)

    @property
    def environment(self) -> Any:
        """What the program runs in; nothing special, unless a subclass says so."""
        return ""

    @property
    def task_type(self) -> Any:
        """The job of this program's task, or None."""
        return self._task_type

    @task_type.setter
    def task_type(self, task_type: Any) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> Any:
        """The number of this program's task, or None."""
        return self._task_id

    @task_id.setter
    def task_id(self, task_id: Any) -> None:
        self._task_id = task_id


class WithRpcLayer(ClusterResolver):
    """A resolver that says the protocol of its tasks."""

    _rpc_layer: Any = None

    @property
    def rpc_layer(self) -> Any:
        """The protocol that targets begin with, or None."""
        return self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: Any) -> None:
        self._rpc_layer = rpc_layer


class SimpleClusterResolver(WithRpcLayer):
    """What is told all."""

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: Mapping[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        """Takes what it gives.

        Raises:
          TypeError: The cluster is no ClusterSpec, or the master no text.
        """
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        self._cluster_spec = cluster_spec
        self._master = master
        self._task_type = task_type
        self._task_id = task_id
        self._environment = environment
        self._num_accelerators = num_accelerators
        self._rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """The cluster that was given."""
        return self._cluster_spec

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of the task asked for, or else the master that was given."""
        found = self._master
        if task_type is not None and task_id is not None:
            found = self._cluster_spec.task_address(task_type, task_id)
        return master_url(found, rpc_layer or self._rpc_layer)

    @property
    def environment(self) -> Any:
        """What was given."""
        return self._environment

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """What was given, for all tasks."""
        return {} if self._num_accelerators is None else self._num_accelerators


class UnionClusterResolver(WithRpcLayer):
    """Several clusters as one; what is said of tasks is the first one's, unless it is given."""

    def __init__(self, *args: ClusterResolver, **kwargs: Any) -> None:
        """Takes the resolvers, and `task_type`, `task_id` and `rpc_layer` to override theirs.

        Raises:
          TypeError: An argument is no resolver.
          ValueError: There is none, or another keyword.
        """
        self._rpc_layer = kwargs.pop("rpc_layer", None)
        self._task_type = kwargs.pop("task_type", None)
        self._task_id = kwargs.pop("task_id", None)
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs!r}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(each, ClusterResolver) for each in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._cluster_resolvers = args

    def cluster_spec(self) -> ClusterSpec:
        """The tasks of all: lists of a job one behind the other, else the union by number.

        Raises:
          KeyError: Two clusters have a task of the same number, and one of them numbers its own.
        """
        clusters = [each.cluster_spec().as_dict() for each in self._cluster_resolvers]
        merged: dict[str, Any] = {}
        for job in dict.fromkeys(job for cluster in clusters for job in cluster):
            parts = [cluster[job] for cluster in clusters if job in cluster]
            merged[job] = _merged(parts)
        return ClusterSpec(merged)

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of the task asked for, or else the first resolver's master."""
        if task_type is not None and task_id is not None:
            found = self.cluster_spec().task_address(task_type, task_id)
            return master_url(found, rpc_layer or self.rpc_layer)
        return self._cluster_resolvers[0].master(rpc_layer=rpc_layer)

    @property
    def environment(self) -> Any:
        """The first resolver's."""
        return self._cluster_resolvers[0].environment

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """What the first resolver says."""
        return self._cluster_resolvers[0].num_accelerators(task_type, task_id, config_proto)

    @property
    def task_type(self) -> Any:
        """What was given, or else the first resolver's."""
        return self._task_type or self._cluster_resolvers[0].task_type

    @task_type.setter
    def task_type(self, task_type: Any) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> Any:
        """What was given, or else the first resolver's."""
        return self._task_id or self._cluster_resolvers[0].task_id

    @task_id.setter
    def task_id(self, task_id: Any) -> None:
        self._task_id = task_id

    @property
    def rpc_layer(self) -> Any:
        """What was given, or else the first resolver's."""
        first: Any = self._cluster_resolvers[0]
        return self._rpc_layer or first.rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: Any) -> None:
        self._rpc_layer = rpc_layer


def master_url(master: str, rpc_layer: str | None = None) -> str:
    """An address behind its protocol, if there is one."""
    return f"{rpc_layer}://{master}" if rpc_layer else master


def _merged(parts: list[Any]) -> Any:
    """The tasks of one job in several clusters."""
    if all(isinstance(part, list) for part in parts):
        return [task for part in parts for task in part]
    merged: dict[int, Any] = {}
    for part in parts:
        tasks = dict(enumerate(part)) if isinstance(part, list) else part
        if twice := set(tasks).intersection(merged):
            raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {twice!r}")
        merged.update(tasks)
    return merged

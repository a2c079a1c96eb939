"""Strategies that keep variables on other devices than what computes: in one process, or many."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final

from dataflow.library.distribution.strategy import InputContext, Strategy, StrategyExtended
from dataflow.session.clusters.tf_config import TFConfigClusterResolver
from dataflow.training.device_setter import replica_device_setter
from dataflow.values.cluster_spec import ClusterSpec

_LOCAL: Final = "/job:localhost/replica:0/task:0/device:CPU:0"
_WORKERS: Final = ("chief", "worker")


class CommunicationImplementation(Enum):
    """How workers exchange what they reduce; here there is one worker, which does not."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CentralStorageStrategy(Strategy):
    """Variables on one device, the replica on another.

    Args:
      compute_devices: A list of the one device that computes; None for any.
      parameter_device: Where variables are; None for the device that computes.

    Raises:
      NotImplementedError: There are several devices.
    """

    def __init__(
        self, compute_devices: Sequence[str] | None = None, parameter_device: str | None = None
    ) -> None:
        devices = list(compute_devices or [_LOCAL])
        if len(devices) > 1:
            raise NotImplementedError(
                f"A CentralStorageStrategy here has one replica; {devices} are several devices."
            )
        extended = StrategyExtended(self)
        super().__init__(extended)
        _keep_apart(extended, devices[0], [parameter_device or devices[0]], None)


class ParameterServerStrategy(Strategy):
    """Each worker builds its graph, with the variables on the parameter servers in turn.

    Without a cluster it is of this process alone.

    Args:
      cluster_resolver: Tells the cluster and this program's task; None for what TF_CONFIG says.

    Raises:
      ValueError: The cluster has no job "ps", or the task is not said.
    """

    def __init__(self, cluster_resolver: Any = None) -> None:
        resolver = TFConfigClusterResolver() if cluster_resolver is None else cluster_resolver
        extended = StrategyExtended(self)
        super().__init__(extended)
        self._resolver = resolver
        self._cluster = ClusterSpec(resolver.cluster_spec() or {})
        self._task = (resolver.task_type, resolver.task_id)
        if not self._cluster:
            _keep_apart(extended, _LOCAL, [_LOCAL], None)
            return
        kind, index = self._task
        if not kind or index is None:
            raise ValueError(
                "When `cluster_spec` is given, you must also specify `task_type` and `task_id`"
            )
        if "ps" not in self._cluster.jobs:
            raise ValueError("The cluster spec needs to have `ps` jobs.")
        servers = [f"/job:ps/task:{number}" for number in range(self._cluster.num_tasks("ps"))]
        _keep_apart(extended, f"/job:{kind}/task:{index}", servers, self._cluster)
        chief = "chief" if "chief" in self._cluster.jobs else "worker"
        is_chief = kind == "evaluator" or (kind, index) == (chief, 0)
        extended.experimental_should_init = is_chief
        extended.should_checkpoint = extended.should_save_summary = is_chief

    @property
    def cluster_resolver(self) -> Any:
        """What tells the cluster and this program's task."""
        return self._resolver

    def _input_context(self) -> InputContext:
        tasks = self._cluster.as_dict()
        if not tasks:
            return InputContext()
        kind, index = self._task
        workers = sum(len(tasks.get(job, [])) for job in _WORKERS)
        return InputContext(
            num_input_pipelines=len(tasks[kind]) if kind == "evaluator" else workers,
            input_pipeline_id=index + (len(tasks.get("chief", [])) if kind == "worker" else 0),
        )


class MultiWorkerMirroredStrategy(Strategy):
    """A copy of the model on each worker; here there can be one worker.

    Args:
      communication: A `CommunicationImplementation`.
      cluster_resolver: Tells the cluster and this program's task; None for what TF_CONFIG says.

    Raises:
      ValueError: `communication` is none.
      NotImplementedError: The cluster has several workers.
    """

    def __init__(
        self,
        communication: Any = CommunicationImplementation.AUTO,
        cluster_resolver: Any = None,
    ) -> None:
        CommunicationImplementation(communication)
        resolver = TFConfigClusterResolver() if cluster_resolver is None else cluster_resolver
        tasks = ClusterSpec(resolver.cluster_spec() or {}).as_dict()
        workers = sum(len(tasks.get(job, [])) for job in _WORKERS)
        if workers > 1:
            raise NotImplementedError(
                f"A MultiWorkerMirroredStrategy here has one replica; there are {workers} workers. "
                "Use tf.train.SyncReplicasOptimizer and tf.train.replica_device_setter."
            )
        super().__init__(StrategyExtended(self))
        self._resolver = resolver

    @property
    def cluster_resolver(self) -> Any:
        """What tells the cluster and this program's task."""
        return self._resolver


def _keep_apart(
    extended: StrategyExtended, worker: str, servers: Sequence[str], cluster: Any
) -> None:
    extended._device = replica_device_setter(
        ps_tasks=len(servers),
        ps_device="/job:ps" if cluster else servers[0],
        worker_device=worker,
        cluster=cluster,
    )
    extended.experimental_between_graph = True
    extended._worker_devices = (worker,)
    extended._parameter_devices = tuple(servers)

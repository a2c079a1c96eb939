"""replica_device_setter: a device function that puts variables on parameter servers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import Any, Final

from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.values.cluster_spec import ClusterSpec
from dataflow.values.devices import DeviceSpec

_LOGGER = logging.getLogger("dataflow")

STANDARD_PS_OPS: Final = (
    "Variable",
    "VariableV2",
    "AutoReloadVariable",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "VarHandleOp",
    "BoostedTreesEnsembleResourceHandleOp",
    "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator",
    "DecisionTreeResource",
)
"""Op types that hold state, which goes to parameter servers."""


class _RoundRobinStrategy:
    """Counts through the tasks."""

    def __init__(self, num_tasks: int) -> None:
        self._num_tasks = num_tasks
        self._next = 0

    def __call__(self, op: Any) -> int:
        task = self._next
        self._next = (task + 1) % self._num_tasks
        return task


class _ReplicaDevices:
    """Chooses the device of each operation."""

    def __init__(
        self,
        ps_device: str,
        worker_device: str,
        merge_devices: bool,
        ps_ops: Collection[str],
        ps_strategy: Callable[[Any], int],
    ) -> None:
        self._ps_device = ps_device
        self._worker_device = worker_device
        self._merge_devices = merge_devices
        self._ps_ops = ps_ops
        self._ps_strategy = ps_strategy

    def device_function(self, op: Any) -> str:
        """The device of an operation or NodeDef."""
        if op.device and not self._merge_devices:
            return str(op.device)
        current = DeviceSpec.from_string(op.device or "")
        op_type = op.op if isinstance(op, NodeDef) else op.type
        if self._ps_device and op_type in self._ps_ops:
            device = DeviceSpec.from_string(self._ps_device)
            # An operation that names another job stays there, and takes no turn.
            if device.job and current.job in (None, device.job):
                device = device.replace(task=self._ps_strategy(op))
        else:
            device = DeviceSpec.from_string(self._worker_device or "")
        return device.make_merged_spec(current).to_string()


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Collection[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """A device function, for `tf.device`, that puts variables on ps tasks and the rest on a worker.

    Args:
      ps_tasks: Number of ps tasks; ignored if `cluster` is given.
      ps_device: Device of the ps job; "" if there is none.
      worker_device: Device of the worker; "" leaves the other operations where they are.
      merge_devices: Fills in what the devices of inner scopes leave open, instead of leaving
        operations that name any device alone.
      cluster: `ClusterSpec`, `ClusterDef` or what makes one; says how many ps tasks there are.
      ps_ops: Op types that go to ps tasks; by default those that hold variables and tables.
      ps_strategy: `f(op)`, the ps task of an operation; by default one after the other.

    Returns:
      The device function; None if there are no ps tasks.

    Raises:
      TypeError: `cluster` is no cluster, or `ps_strategy` cannot be called.
    """
    if cluster is not None:
        tasks = ClusterSpec(cluster).as_dict()
        ps_job = DeviceSpec.from_string(ps_device).job
        if ps_job not in tasks:
            return None
        ps_tasks = len(tasks[ps_job])
    if ps_tasks == 0:
        return None
    if not merge_devices:
        _LOGGER.warning(
            "DEPRECATION: It is recommended to set merge_devices=true in replica_device_setter"
        )
    strategy = _RoundRobinStrategy(ps_tasks) if ps_strategy is None else ps_strategy
    if not callable(strategy):
        raise TypeError("ps_strategy must be callable")
    chosen = STANDARD_PS_OPS if ps_ops is None else ps_ops
    return _ReplicaDevices(
        ps_device, worker_device, merge_devices, chosen, strategy
    ).device_function

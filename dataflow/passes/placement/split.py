"""The two splits of a placed graph: by worker at the master, by device at the worker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import lru_cache

from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.passes.placement.partition import partition
from dataflow.values.device_info import DeviceInfo
from dataflow.values.devices import parse


class SplitLevel(Enum):
    """Where a split by device happens; it shows in the names of the transfer nodes."""

    IN_PROCESS = "/_"
    """The only split: master and devices are in one process."""
    IN_WORKER = "_G"
    """The second split, of what `split_by_worker` gave a worker."""


def split_by_worker(graph: NodeGraph, devices: Iterable[DeviceInfo]) -> dict[str, NodeGraph]:
    """Splits a placed graph by task; transfer nodes are named `<producer>_S<n>`.

    The pairs of Send and Recv name the devices, not only the tasks, so that the second split leaves
    them alone.

    Args:
      graph: Not changed; shared with the result if there is only one part.
      devices: All devices, for their incarnations.

    Returns:
      By task name, `/job:worker/replica:0/task:1`, its part.

    Raises:
      InternalError: A node is not placed, a reference or resource goes from task to task,
        or a loop has nodes on several tasks and no control loops, see `add_control_loops`.
    """
    return partition(graph, task_of, "_S", _incarnations(devices))


def split_by_device(
    graph: NodeGraph,
    devices: Iterable[DeviceInfo],
    level: SplitLevel = SplitLevel.IN_PROCESS,
) -> dict[str, NodeGraph]:
    """Splits a placed graph by device.

    Args:
      graph: Not changed; shared with the result if there is only one part.
      devices: The devices nodes are placed on, for their incarnations.
      level: Decides the names of the transfer nodes: `<producer>/_<n>` or `<producer>_G<n>`.

    Returns:
      By full device name, its part.

    Raises:
      InternalError: A node is not placed, a reference or resource goes from device to device,
        or a loop has nodes on several devices and no control loops, see `add_control_loops`.
    """
    return partition(graph, str, level.value, _incarnations(devices))


@lru_cache(maxsize=4096)
def task_of(device: str) -> str:
    """The task part of a full device name."""
    return parse(device)._replace(device_type=None, device_index=None).to_string()


def _incarnations(devices: Iterable[DeviceInfo]) -> Mapping[str, int]:
    return {device.name: device.incarnation for device in devices}

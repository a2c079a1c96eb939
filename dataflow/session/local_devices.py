"""The devices of this machine, and which of them sessions have that get no options of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dataflow.graph.graph import Graph
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.session.defaults import DEFAULTS
from dataflow.session.session import Session


class PhysicalDevice(NamedTuple):
    """A device that the machine has."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that sessions have."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """One of the devices that a physical one is to be.

    Attributes:
      memory_limit: Its bytes in MiB; for a GPU, which must have one.
      experimental_priority: Not of CPUs.
      experimental_device_ordinal: Not of CPUs.
    """

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_visible: dict[str, list[PhysicalDevice]] = {}
"""Type -> those that are chosen; no entry where none has been."""
_grows: dict[PhysicalDevice, bool] = {}
_logical: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that the machine has.

    Args:
      device_type: Which: "CPU" or "GPU"; None for all.
    """
    return [
        PhysicalDevice(f"/physical_device:{kind}:{index}", kind)
        for kind, index in _devices(ConfigProto())
        if device_type in (None, kind)
    ]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that a session has which gets no options of its own.

    Args:
      device_type: Which: "CPU" or "GPU"; None for all.
    """
    return [
        LogicalDevice(f"/device:{kind}:{index}", kind)
        for kind, index in _devices(DEFAULTS)
        if device_type in (None, kind)
    ]


def experimental_list_devices() -> list[str]:
    """The full names of the devices that a session has which gets no options of its own."""
    return [f"/job:localhost/replica:0/task:0{each.name}" for each in list_logical_devices()]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine that sessions may have.

    Args:
      device_type: Which: "CPU" or "GPU"; None for all.
    """
    devices = list_physical_devices(device_type)
    return [each for each in devices if each in _visible.get(each.device_type, devices)]


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Chooses the devices of the machine that sessions may have.

    Args:
      devices: A `PhysicalDevice`, or a list of them.
      device_type: The only type that this is about; None for all.

    Raises:
      ValueError: The machine has no such device of that type.
    """
    chosen = list(devices) if isinstance(devices, list | tuple) else [devices]
    if isinstance(devices, PhysicalDevice):
        chosen = [devices]
    there = list_physical_devices(device_type)
    for each in chosen:
        _check_known(each, there)
    for kind in {each.device_type for each in there} if device_type is None else {device_type}:
        of_kind = [each for each in chosen if each.device_type == kind]
        _visible[kind] = of_kind
        DEFAULTS.device_count[kind] = len(of_kind)
        if kind == "GPU":
            DEFAULTS.gpu_options.visible_device_list = ",".join(map(_index, of_kind))


def get_memory_growth(device: Any) -> bool:
    """Whether a GPU's memory is taken when it is needed, and not all of it at once.

    Raises:
      ValueError: The machine has no such device, or it is no GPU.
    """
    _check_gpu(device)
    return _grows.get(device, False)


def set_memory_growth(device: Any, enable: bool) -> None:
    """Says whether a GPU's memory is taken when it is needed; here, it always is.

    Raises:
      ValueError: The machine has no such device, or it is no GPU, or is several logical ones.
    """
    _check_known(device, list_physical_devices())
    if device in _logical:
        raise ValueError("Cannot set memory growth on device when virtual devices configured")
    _check_gpu(device)
    _grows[device] = DEFAULTS.gpu_options.allow_growth = bool(enable)


def get_logical_device_configuration(device: Any) -> list[LogicalDeviceConfiguration] | None:
    """What a device of the machine is to be; None if nothing has been said.

    Raises:
      ValueError: The machine has no such device.
    """
    _check_known(device, list_physical_devices())
    return _logical.get(device)


def set_logical_device_configuration(
    device: Any, logical_devices: Sequence[LogicalDeviceConfiguration]
) -> None:
    """Makes a CPU several logical ones, which can take parts of a graph each.

    Args:
      device: A `PhysicalDevice`.
      logical_devices: A `LogicalDeviceConfiguration` for each.

    Raises:
      ValueError: The machine has no such device, a CPU is to have what only GPUs have, or a GPU
        no limit of memory.
      NotImplementedError: A GPU is to be several.
    """
    _check_known(device, list_physical_devices())
    wanted = list(logical_devices)
    if device.device_type == "CPU":
        for each in wanted:
            for what, value in (
                ("memory limit", each.memory_limit),
                ("experimental_priority", each.experimental_priority),
                ("experimental_device_ordinal", each.experimental_device_ordinal),
            ):
                if value is not None:
                    gap = " " if what == "memory limit" else "  "
                    raise ValueError(
                        f"Setting {what} on CPU virtual{gap}devices is currently not supported"
                    )
        DEFAULTS.device_count["CPU"] = len(wanted)
    elif any(each.memory_limit is None for each in wanted):
        raise ValueError("Setting memory limit is required for GPU virtual devices")
    elif len(wanted) > 1:
        raise NotImplementedError("A GPU cannot be several logical devices here.")
    _logical[device] = wanted


def _devices(config: ConfigProto) -> list[tuple[str, str]]:
    """Types and numbers of the devices that a session with options has."""
    with Session(graph=Graph(), config=config) as session:
        return [(each.device_type, _index(each)) for each in session.list_devices()]


def _index(device: Any) -> str:
    return str(device.name).rpartition(":")[2]


def _check_known(device: Any, there: Sequence[PhysicalDevice]) -> None:
    if device not in there:
        raise ValueError(f"Unrecognized device: {device!r}")


def _check_gpu(device: Any) -> None:
    _check_known(device, list_physical_devices())
    if device.device_type != "GPU":
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")

"""The device types of this process: those it comes with, a GPU if one is there, and others'."""

from __future__ import annotations

import importlib.util
import logging
import os
import threading

from dataflow.actors.devices.device_type import DeviceType
from dataflow.actors.devices.gpu import gpu_device_type
from dataflow.errors import AlreadyExistsError, NotFoundError
from dataflow.kernels.contract import registry

_LOGGER = logging.getLogger("dataflow")
_types: dict[str, DeviceType] = {}
_lock = threading.RLock()
_loaded: set[str] = set()
_gpu_looked_for = False


def register_device_type(device_type: DeviceType) -> None:
    """Adds a device type to this process.

    Raises:
      AlreadyExistsError: There is a type of that name.
    """
    with _lock:
        if device_type.name in _types:
            message = f"Device type '{device_type.name}' is registered already."
            raise AlreadyExistsError(None, None, message)
        _types[device_type.name] = device_type


def unregister_device_type(name: str) -> None:
    """Takes a device type away again; sessions that have such devices keep them."""
    with _lock:
        _types.pop(name, None)
        _loaded.discard(name)


def find_device_type(name: str) -> DeviceType:
    """The device type of that name, its kernels loaded.

    Raises:
      NotFoundError: There is no such type.
    """
    with _lock:
        _look_for_gpu()
        found = _types.get(name)
        if found is None:
            known = ", ".join(sorted(_types))
            raise NotFoundError(None, None, f"No device type '{name}'; there are: {known}.")
        if name not in _loaded:
            found.load_kernels()
            _loaded.add(name)
        return found


def kernel_device_types(op: str) -> tuple[str, ...]:
    """The types of devices that have a kernel of an op, as far as their kernels are loaded."""
    find_device_type("CPU")
    return registry.device_types_of(op)


def device_types() -> list[DeviceType]:
    """All device types, those of higher priority first."""
    with _lock:
        _look_for_gpu()
        return sorted(_types.values(), key=lambda t: (-t.priority, t.name))


def _look_for_gpu() -> None:
    """Registers GPU if there is one: cupy is imported only where a GPU can be seen."""
    global _gpu_looked_for
    if _gpu_looked_for:
        return
    _gpu_looked_for = True
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "all") not in ("", "-1")
    if visible and os.path.exists("/dev/nvidiactl") and importlib.util.find_spec("cupy"):
        try:
            register_device_type(gpu_device_type())
        except ImportError as error:
            _LOGGER.warning("GPUs are left out, because cupy cannot be imported: %s", error)


register_device_type(DeviceType(name="CPU", count=lambda: 1, priority=70))

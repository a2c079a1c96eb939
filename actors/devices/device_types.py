"""The device types this process can run: their array library, and the ways in and out of it."""

from __future__ import annotations

import importlib.util
import logging
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from dataflow.errors import AlreadyExistsError, NotFoundError
from dataflow.kernels import load
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_LOGGER = logging.getLogger("dataflow")
_HOST_DTYPES = frozenset({dtypes.int32, dtypes.string, dtypes.resource, dtypes.variant})


@dataclass(frozen=True, slots=True)
class DeviceType:
    """A kind of device: what an array is there, and how one gets there and back.

    A type whose arrays are numpy's leaves `to_device` and `to_host` out.
    """

    name: str
    """As in device names: "GPU" in "/device:GPU:0"."""
    count: Callable[[], int]
    """Number of devices of this type that this machine has."""
    priority: int = 100
    """Types of higher priority are preferred when a node may go to several."""
    array_module: Callable[[], Any] = lambda: np
    """The array library, given to the bind functions of kernels as `xp`."""
    load_kernels: Callable[[], None] = load.load_generic
    """Imports the kernels, when the first device of the type is made."""
    to_device: Callable[[Any, int], Any] | None = None
    """Copies a numpy array to the device of that number."""
    to_host: Callable[[Any], Any] | None = None
    """Copies an array of the device to numpy; returns anything else as it is."""
    transfer: Callable[[Any, int, int], Any] | None = None
    """Copies an array from one device of this type to another one, both of this process."""
    activate: Callable[[int], AbstractContextManager[Any]] | None = None
    """Context in which kernels of that device run."""
    synchronize: Callable[[int], None] | None = None
    """Waits until the device has done the work handed to it."""
    asynchronous: bool = False
    """Kernels only hand work to the device, so they never count as costly."""
    memory_limit: Callable[[int], int] = lambda _: 256 << 20
    """Memory of a device in bytes, for `list_devices`."""

    @property
    def is_host(self) -> bool:
        """True if the device computes on numpy arrays."""
        return self.to_device is None

    def keeps_in_host_memory(self, dtype: DType) -> bool:
        """True if tensors of that element type are numpy arrays on this device too.

        Shapes, indices, strings and handles are read by the host: a device array of them would
        make each step a chain of device synchronisations.
        """
        return self.is_host or dtype.base_dtype in _HOST_DTYPES


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
        from dataflow.actors.devices.gpu import gpu_device_type

        try:
            register_device_type(gpu_device_type())
        except ImportError as error:
            _LOGGER.warning("GPUs are left out, because cupy cannot be imported: %s", error)


register_device_type(DeviceType(name="CPU", count=lambda: 1, priority=70))

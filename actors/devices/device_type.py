"""What makes a kind of device: its array library, and the ways in and out of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels import load
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_HOST_DTYPES: Final = frozenset({dtypes.int32, dtypes.string, dtypes.resource, dtypes.variant})


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

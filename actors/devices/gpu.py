"""The device type GPU: cupy's arrays, and the copies between them and host memory."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from dataflow.actors.devices.device_type import DeviceType
from dataflow.kernels import load


def gpu_device_type() -> DeviceType:
    """Describes the NVIDIA GPUs that cupy sees."""
    import cupy

    def count() -> int:
        try:
            return int(cupy.cuda.runtime.getDeviceCount())
        except cupy.cuda.runtime.CUDARuntimeError:
            # A driver without a usable device: this machine has no GPU for us.
            return 0

    def load_kernels() -> None:
        load.load_generic()
        load.load_gpu()

    def to_device(value: Any, index: int) -> Any:
        with cupy.cuda.Device(index):
            return cupy.asarray(value)

    def to_host(value: Any) -> Any:
        return cupy.asnumpy(value) if isinstance(value, cupy.ndarray) else value

    def transfer(value: Any, source: int, destination: int) -> Any:
        if source == destination or not isinstance(value, cupy.ndarray):
            return value
        # The copy is ordered after the work the source was given.
        with cupy.cuda.Device(source):
            cupy.cuda.get_current_stream().synchronize()
        with cupy.cuda.Device(destination):
            return cupy.array(value, copy=True)

    def activate(index: int) -> AbstractContextManager[Any]:
        device: AbstractContextManager[Any] = cupy.cuda.Device(index)
        return device

    def synchronize(index: int) -> None:
        with cupy.cuda.Device(index):
            cupy.cuda.get_current_stream().synchronize()

    def memory_limit(index: int) -> int:
        with cupy.cuda.Device(index):
            return int(np.int64(cupy.cuda.runtime.memGetInfo()[1]))

    return DeviceType(
        name="GPU",
        count=count,
        priority=210,
        array_module=load.gpu_library,
        load_kernels=load_kernels,
        to_device=to_device,
        to_host=to_host,
        transfer=transfer,
        activate=activate,
        synchronize=synchronize,
        asynchronous=True,
        memory_limit=memory_limit,
    )

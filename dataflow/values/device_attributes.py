"""DeviceAttributes: what `Session.list_devices` says of a device."""

from __future__ import annotations

from dataflow.values import devices


class DeviceAttributes:
    """A device a session can use; `memory_limit_bytes` is in bytes."""

    def __init__(
        self, name: str, device_type: str, memory_limit_bytes: int, incarnation: int
    ) -> None:
        self.name = devices.canonical_name(name)
        self.device_type = device_type
        self.memory_limit_bytes = memory_limit_bytes
        self.incarnation = incarnation

    def __repr__(self) -> str:
        return (
            f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, "
            f"{self.incarnation})"
        )

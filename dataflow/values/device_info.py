"""What placement and the session know of a device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A device of the cluster.

    Attributes:
        name: Full name, `/job:worker/replica:0/task:1/device:GPU:0`.
        device_type: `"CPU"`, `"GPU"`, or a type registered from outside.
        priority: An unconstrained node goes to the type with the highest priority.
        incarnation: Random number of this start of the device, so that a restarted one is told
            from the one it replaces.
        memory_limit: Bytes of memory it may use; 0 if unknown.
    """

    name: str
    device_type: str
    priority: int = 0
    incarnation: int = 1
    memory_limit: int = 0

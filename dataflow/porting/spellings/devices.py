"""tensorflow.python.client.device_lib and framework.device_spec: devices, and their names."""

from __future__ import annotations

from typing import Any

import dataflow.values.devices as _devices
from dataflow.graph.graph import Graph
from dataflow.proto.device_attributes_pb2 import DeviceAttributes
from dataflow.session.session import Session

DeviceSpecV1 = _devices.DeviceSpec
DeviceSpecV2 = _devices.DeviceSpec


def list_local_devices(session_config: Any = None) -> list[DeviceAttributes]:
    """The devices that a session in this process has, as protobufs.

    Args:
      session_config: A ConfigProto, as for a session.
    """
    with Session(graph=Graph(), config=session_config) as session:
        return [
            DeviceAttributes(
                name=device.name.replace("/job:localhost/replica:0/task:0", ""),
                device_type=device.device_type,
                memory_limit=device.memory_limit_bytes,
                incarnation=device.incarnation,
            )
            for device in session.list_devices()
        ]

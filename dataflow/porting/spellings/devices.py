"""tensorflow.python.client.device_lib: the devices of this machine."""

from __future__ import annotations

from typing import Any

from dataflow.graph.graph import Graph
from dataflow.proto.device_attributes_pb2 import DeviceAttributes
from dataflow.session.session import Session


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

"""tensorflow.python.client.device_lib and framework.device_spec: devices, and their names."""

from __future__ import annotations

from typing import Any

import dataflow.values.devices as _devices
from dataflow.graph.graph import Graph
from dataflow.proto.device_attributes_pb2 import DeviceAttributes
from dataflow.session.session import Session
from dataflow.values.device_attributes import DeviceAttributes as _DeviceAttributes

__all__ = ["_DeviceAttributes"]

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


def check_valid(spec: str) -> None:
    """Whether a text describes a device.

    Raises:
      ValueError: It does not.
    """
    _devices.DeviceSpec.from_string(spec)


def is_device_spec(obj: Any) -> bool:
    """Whether an object is a `DeviceSpec`."""
    return isinstance(obj, _devices.DeviceSpec)


def canonical_name(device: Any) -> str:
    """The name of a device in full, where a description or None may stand for it."""
    return _devices.canonical_name(device)


class MergeDevice:
    """A function of a node: its device, with what this leaves open taken from the node's.

    Args:
      spec: Describes a device: text, a `DeviceSpec`, or None for any.
    """

    def __init__(self, spec: Any) -> None:
        self._spec = _devices.DeviceSpec.from_string(canonical_name(spec))

    def __call__(self, node_def: Any) -> _devices.DeviceSpec:
        return self._spec.make_merged_spec(_devices.DeviceSpec.from_string(node_def.device or ""))

    def shortcut_string_merge(self, node_def: Any) -> str:
        """The same as text."""
        return self(node_def).to_string()

    @property
    def is_null_merge(self) -> bool:
        """Whether it leaves all open."""
        return not self._spec.to_string()


def merge_device(spec: Any) -> MergeDevice:
    """What merges a description, as an argument of `tf.device`, with those around it."""
    return spec if isinstance(spec, MergeDevice) else MergeDevice(spec)

"""Savers that add their nodes when they are called, each time for another path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library.saveable_object import SaveableObject
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.placeholder import placeholder
from dataflow.ops.basic.single import single
from dataflow.proto.saver_pb2 import SaverDef
from dataflow.saving.builder import BulkSaverBuilder
from dataflow.values import dtypes
from dataflow.values.devices import DeviceSpec


def sharded_filename(filename_tensor: Any, shard: int, num_shards: Any) -> Tensor:
    """The prefix of one of several shards."""
    made: Tensor = single("ShardedFilename", filename_tensor, shard, num_shards)
    return made


def set_cpu0(device_string: str) -> str:
    """The first processor of a device's task."""
    device = DeviceSpec.from_string(device_string)
    return device.replace(device_type="CPU", device_index=0).to_string()


class SingleDeviceSaver:
    """Saves objects in one file."""

    def __init__(self, saveable_objects: Iterable[Any]) -> None:
        """Takes SaveableObjects.

        Raises:
          ValueError: Something is another thing.
        """
        self._saveables = _checked(saveable_objects, "Expected a list of SaveableObjects, got {}.")

    def save(self, file_prefix: Any) -> Operation:
        """An operation that saves the objects to the files of a prefix."""
        with scopes.device("cpu:0"):
            return BulkSaverBuilder().save_op(_path(file_prefix), self._saveables)

    def restore(self, file_prefix: Any) -> dict[str, Any]:
        """By the names of the objects what restores them from the files of a prefix."""
        found = BulkSaverBuilder().bulk_restore(_path(file_prefix), self._saveables, -1, False)
        values = iter(found)
        return {
            item.name: item.restore([next(values) for _ in item.specs], None)
            for item in self._saveables
        }


class MultiDeviceSaver:
    """Saves objects in a file for each device, where the device is."""

    def __init__(self, saveable_objects: Iterable[Any]) -> None:
        """Takes SaveableObjects.

        Raises:
          ValueError: Something is another thing.
        """
        devices: dict[Any, list[SaveableObject]] = {}
        told = "Expected a dictionary of SaveableObjects, got {}."
        for item in _checked(saveable_objects, told):
            devices.setdefault(item.device, []).append(item)
        self._devices = devices

    def save(self, file_prefix: Any) -> Operation:
        """An operation that saves the objects to the files of a prefix."""
        return _Shards().saved(_path(file_prefix), list(self._devices.items())).op

    def restore(self, file_prefix: Any) -> dict[str, Any]:
        """By the names of the objects what restores them from the files of a prefix."""
        path = _path(file_prefix)
        found: dict[str, Any] = {}
        for device, items in self._devices.items():
            with scopes.device(device and set_cpu0(device)):
                found |= SingleDeviceSaver(items).restore(path)
        return found

    def to_proto(self) -> SaverDef:
        """The names of nodes that save and restore, for any path that is fed."""
        path = placeholder(dtypes.string, [], name="saver_filename")
        with scopes.control_dependencies([self.save(path)]):
            saved = identity(path)
        with scopes.control_dependencies(list(self.restore(path).values())):
            restored = identity(path)
        return SaverDef(
            filename_tensor_name=path.name,
            save_tensor_name=saved.name,
            restore_op_name=restored.op.name,
            version=SaverDef.V2,
        )


class _Shards(BulkSaverBuilder):
    def saved(self, path: Tensor, devices: list[tuple[str, list[SaveableObject]]]) -> Tensor:
        """The path, behind what writes a file for each device and brings them together."""
        return self._save_sharded(path, [(device or "", items) for device, items in devices])


def _checked(items: Iterable[Any], told: str) -> list[SaveableObject]:
    found = list(items)
    for item in found:
        if not isinstance(item, SaveableObject):
            raise ValueError(told.format(item))
    return found


def _path(file_prefix: Any) -> Tensor:
    made: Tensor = convert_to_tensor(file_prefix, dtypes.string)
    return made

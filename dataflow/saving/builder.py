"""The builders of a Saver's nodes: what saves and what restores, named as TensorFlow names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library import saveable_object
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.ops.array.select import where
from dataflow.ops.array.shape import shape as shape_of
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group, with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.placeholder import placeholder_with_default
from dataflow.ops.basic.single import single
from dataflow.proto.saver_pb2 import SaverDef
from dataflow.saving import saveables as variable_saveables
from dataflow.values.devices import DeviceSpec, canonical_name, merge_names

_CPU = "/device:CPU:0"

_Objects = Sequence[SaveableObject]
_Devices = Sequence[tuple[str, _Objects]]


class BaseSaverBuilder:
    """Adds the nodes of a Saver to the default graph; each object is read by an op of its own.

    A subclass may replace the methods without an underscore.
    """

    SaveSpec = saveable_object.SaveSpec
    SaveableObject = saveable_object.SaveableObject
    VariableSaveable = variable_saveables.ReferenceVariableSaveable
    ResourceVariableSaveable = variable_saveables.ResourceVariableSaveable

    def __init__(self, write_version: int = SaverDef.V2) -> None:
        """Makes a builder.

        Args:
          write_version: The format of the files: `SaverDef.V2`, or `V1`, one file.
        """
        # Hints of messages want an enum's class that is none at run time.
        self._write_version: Any = write_version

    def save_op(self, filename_tensor: Tensor, saveables: _Objects) -> Operation:
        """The op that saves objects to the files of a prefix."""
        specs = [spec for item in saveables for spec in item.specs]
        if self._write_version == SaverDef.V1:
            saved: Operation = apply_op(
                "SaveSlices",
                filename_tensor,
                [spec.name for spec in specs],
                [spec.slice_spec for spec in specs],
                [spec.tensor for spec in specs],
                name="save",
            )
            return saved
        made: Operation = apply_op(
            "SaveV2",
            filename_tensor,
            [spec.name for spec in specs],
            [spec.slice_spec for spec in specs],
            [spec.tensor for spec in specs],
        )
        return made

    def restore_op(
        self,
        filename_tensor: Tensor,
        saveable: saveable_object.SaveableObject,
        preferred_shard: int,
    ) -> list[Tensor]:
        """What was saved of one object."""
        return [_read(filename_tensor, [spec])[0] for spec in saveable.specs]

    def bulk_restore(
        self,
        filename_tensor: Tensor,
        saveables: _Objects,
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        """What was saved of objects, each read on the host of its device."""
        found: list[Tensor] = []
        for item in saveables:
            with scopes.device(_on_cpu(item.device) if item.device else None):
                found += self.restore_op(filename_tensor, item, preferred_shard)
        return found

    def sharded_filename(self, filename_tensor: Tensor, shard: int, num_shards: Tensor) -> Tensor:
        """The prefix of one of several shards."""
        return single("ShardedFilename", filename_tensor, shard, num_shards)

    def build(
        self,
        names_to_saveables: Mapping[str, Any],
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        filename: str = "model",
    ) -> SaverDef:
        """Adds the nodes.

        Args:
          names_to_saveables: What is saved, by names in checkpoints.
          reshape: What is read is given the shape of what it is for.
          sharded: Each device writes, and reads, what it holds.
          max_to_keep: Is noted in the result.
          keep_checkpoint_every_n_hours: Is noted in the result.
          name: Name scope; "save" if None.
          restore_sequentially: Is passed to `bulk_restore`.
          filename: The prefix, unless another is fed.

        Returns:
          The names of the nodes that a Saver runs.

        Raises:
          TypeError: Something cannot be saved.
          ValueError: Something has two names, or lies on two devices.
        """
        items = variable_saveables.saveables(names_to_saveables)
        with scopes.name_scope(name, "save", [item.op for item in items]):
            path = placeholder_with_default(filename or "model", shape=(), name="filename")
            # TensorFlow's first savers had a constant here; its name stays.
            path = placeholder_with_default(path, shape=(), name="Const")
            if sharded:
                devices = _by_device(items)
                saved = self._save_sharded(path, devices)
                restored = self._restore_sharded(path, devices, restore_sequentially, reshape)
            else:
                saved = self._save(path, items)
                restored = self._restore(path, items, restore_sequentially, reshape)
        return SaverDef(
            filename_tensor_name=path.name,
            save_tensor_name=saved.name,
            restore_op_name=restored.name,
            max_to_keep=max_to_keep or 0,
            sharded=sharded,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            version=self._write_version,
        )

    def _save(self, path: Tensor, items: _Objects) -> Tensor:
        result: Tensor = with_dependencies([self.save_op(path, items)], path)
        return result

    def _restore(
        self,
        path: Tensor,
        items: _Objects,
        sequentially: bool,
        reshape: bool,
        shard: int = -1,
        name: str = "restore_all",
    ) -> Operation:
        values = iter(self.bulk_restore(path, items, shard, sequentially))
        restored = []
        for item in items:
            shapes = [_shape(spec.tensor) for spec in item.specs] if reshape else None
            restored.append(item.restore([next(values) for _ in item.specs], shapes))
        return group(*restored, name=name)

    def _save_shards(self, path: Tensor, devices: _Devices) -> Tensor:
        """As `_save_sharded`, files of V1: each is one of the checkpoint's."""
        shards = constant(len(devices), name="num_shards")
        saved: list[Any] = []
        for shard, (device, items) in enumerate(devices):
            with scopes.device(_on_cpu(device)):
                saved.append(self._save(self.sharded_filename(path, shard, shards), items))
        with scopes.control_dependencies([tensor.op for tensor in saved]):
            return single("ShardedFilespec", path, shards)

    def _save_sharded(self, path: Tensor, devices: _Devices) -> Tensor:
        if self._write_version == SaverDef.V1:
            return self._save_shards(path, devices)
        with scopes.device("CPU"):
            # On S3 nothing can be renamed, so that there is no folder for what is not complete.
            suffix = where(
                single("StaticRegexFullMatch", path, pattern="^s3://.*"),
                constant(".part"),
                constant("_temp/part"),
            )
            unfinished = single("StringJoin", [path, suffix])
        shards = constant(len(devices), name="num_shards")
        prefixes: list[Tensor] = []
        saved: list[Any] = []
        for shard, (device, items) in enumerate(devices):
            with scopes.device(_on_cpu(device)):
                prefixes.append(self.sharded_filename(unfinished, shard, shards))
                saved.append(self._save(prefixes[-1], items))
        with (
            scopes.control_dependencies([tensor.op for tensor in saved]),
            scopes.device(_on_cpu(devices[-1][0])),
        ):
            merged = apply_op("MergeV2Checkpoints", prefixes, path, delete_old_dirs=True)
            with scopes.control_dependencies([merged]):
                result: Tensor = identity(path)
                return result

    def _restore_sharded(
        self, path: Tensor, devices: _Devices, sequentially: bool, reshape: bool
    ) -> Operation:
        restored = []
        for shard, (device, items) in enumerate(devices):
            with scopes.device(device):
                restored.append(
                    self._restore(path, items, sequentially, reshape, shard, "restore_shard")
                )
        return group(*restored, name="restore_all")


class BulkSaverBuilder(BaseSaverBuilder):
    """Has one op read all that a device gets."""

    def bulk_restore(
        self,
        filename_tensor: Tensor,
        saveables: _Objects,
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        """What was saved of objects."""
        with scopes.device("cpu:0"):
            return _read(filename_tensor, [spec for item in saveables for spec in item.specs])


def _read(path: Tensor, specs: Sequence[SaveSpec]) -> list[Tensor]:
    found: list[Tensor] = apply_op(
        "RestoreV2",
        path,
        [spec.name for spec in specs],
        [spec.slice_spec for spec in specs],
        dtypes=[spec.dtype for spec in specs],
    )
    return list(found)


def _shape(tensor: Tensor) -> Any:
    known = tensor.shape
    return known.as_list() if known.is_fully_defined() else shape_of(tensor)


def _by_device(items: _Objects) -> _Devices:
    found: dict[str, list[SaveableObject]] = {}
    for item in items:
        devices = {canonical_name(spec.device) for spec in item.specs}
        if len(devices) != 1:
            raise ValueError(
                f"All tensors of a saveable object must be on the same device: {item.name}"
            )
        found.setdefault(devices.pop(), []).append(item)
    return sorted(found.items())


def _on_cpu(device: str) -> str:
    """The first CPU of the task that a device belongs to."""
    spec = DeviceSpec.from_string(device)
    return merge_names(
        DeviceSpec(job=spec.job, replica=spec.replica, task=spec.task).to_string(), _CPU
    )

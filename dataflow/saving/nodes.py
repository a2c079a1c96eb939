"""The nodes of a Saver: what saves and what restores, named as TensorFlow names them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.select import where
from dataflow.ops.array.shape import reshape as reshape_to
from dataflow.ops.array.shape import shape as shape_of
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group, with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.placeholder import placeholder_with_default
from dataflow.ops.basic.single import single
from dataflow.proto.saver_pb2 import SaverDef
from dataflow.saving.saveables import Saveable
from dataflow.values.devices import DeviceSpec, canonical_name, merge_names

_CPU = "/device:CPU:0"


def add_nodes(
    items: Sequence[Saveable],
    name: str | None,
    filename: str,
    sharded: bool,
    reshape: bool,
) -> SaverDef:
    """Adds the nodes to the default graph.

    Args:
      items: What is saved.
      name: Name scope; "save" if None.
      filename: The prefix, unless another is fed.
      sharded: Each device writes, and reads, what it holds.
      reshape: What is read is given the shape of the variable.

    Returns:
      The names of the nodes that a Saver runs.
    """
    with scopes.name_scope(name, "save", [item.op for item in items]):
        path = placeholder_with_default(filename, shape=(), name="filename")
        # TensorFlow's first savers had a constant here; its name stays.
        path = placeholder_with_default(path, shape=(), name="Const")
        if sharded:
            devices = _by_device(items)
            saved = _save_sharded(path, devices)
            restored = _restore_sharded(path, devices, reshape)
        else:
            saved = _save(path, items)
            restored = _restore(path, items, reshape, "restore_all")
    return SaverDef(
        filename_tensor_name=path.name,
        save_tensor_name=saved.name,
        restore_op_name=restored.name,
    )


def _save(path: Tensor, items: Sequence[Saveable]) -> Tensor:
    save = apply_op(
        "SaveV2",
        path,
        [item.name for item in items],
        [item.spec for item in items],
        [item.tensor for item in items],
    )
    result: Tensor = with_dependencies([save], path)
    return result


def _restore(path: Tensor, items: Sequence[Saveable], reshape: bool, name: str) -> Operation:
    with scopes.device("cpu:0"):
        values = apply_op(
            "RestoreV2",
            path,
            [item.name for item in items],
            [item.spec for item in items],
            dtypes=[item.dtype for item in items],
        )
    assigned = []
    for item, value in zip(items, values, strict=True):
        if reshape:
            known = item.tensor.shape
            value = reshape_to(
                value, known.as_list() if known.is_fully_defined() else shape_of(item.tensor)
            )
        assigned.append(item.assign(value, reshape))
    return group(*assigned, name=name)


def _by_device(items: Sequence[Saveable]) -> list[tuple[str, list[Saveable]]]:
    found: dict[str, list[Saveable]] = {}
    for item in items:
        found.setdefault(canonical_name(item.device), []).append(item)
    return sorted(found.items())


def _on_cpu(device: str) -> str:
    """The first CPU of the task that a device belongs to."""
    spec = DeviceSpec.from_string(device)
    return merge_names(
        DeviceSpec(job=spec.job, replica=spec.replica, task=spec.task).to_string(), _CPU
    )


def _save_sharded(path: Tensor, devices: Sequence[tuple[str, list[Saveable]]]) -> Tensor:
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
            prefixes.append(single("ShardedFilename", unfinished, shard, shards))
            saved.append(_save(prefixes[-1], items))
    with (
        scopes.control_dependencies([tensor.op for tensor in saved]),
        scopes.device(_on_cpu(devices[-1][0])),
    ):
        merged = apply_op("MergeV2Checkpoints", prefixes, path, delete_old_dirs=True)
        with scopes.control_dependencies([merged]):
            result: Tensor = identity(path)
            return result


def _restore_sharded(
    path: Tensor, devices: Sequence[tuple[str, list[Saveable]]], reshape: bool
) -> Operation:
    restored = []
    for device, items in devices:
        with scopes.device(device):
            restored.append(_restore(path, items, reshape, "restore_shard"))
    return group(*restored, name="restore_all")

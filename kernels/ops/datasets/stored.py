"""Kernels of datasets that are written to folders and read again."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.dataset import Dataset, as_dataset
from dataflow.kernels.datasets.draining import drain
from dataflow.kernels.datasets.stored import (
    COMPRESSIONS,
    SnapshotDataset,
    StoredDataset,
    StoringDataset,
    description_of,
)
from dataflow.kernels.ops.datasets.arguments import (
    captured,
    check_components,
    described,
    string,
)


def _compression(node: KernelNode) -> str:
    found: str = node.attr("compression").decode(errors="backslashreplace")
    if found not in COMPRESSIONS:
        raise invalid(f"Datasets are stored with compression {COMPRESSIONS}, not {found!r}.")
    return found


def _snapshot_compression(node: KernelNode) -> str:
    return "" if node.attr("compression") == b"AUTO" else _compression(node)


def _folder(path: Any) -> str:
    return os.fsdecode(string(path, "path"))


def _storing(node: KernelNode) -> Callable[..., StoringDataset]:
    compression, has_shards = _compression(node), node.attr("use_shard_func")

    def make(source: Any, path: Any, *values: Any) -> StoringDataset:
        shard = captured(node, "shard_func", values) if has_shards else None
        return StoringDataset(as_dataset(source), _folder(path), compression, shard)

    return make


@kernel("SaveDataset", device="CPU", blocking=True)
def save_dataset(node: KernelNode, xp: Any) -> Callable[..., None]:
    make = _storing(node)

    def run(step: Any, done: Callable[..., None], source: Any, path: Any, *values: Any) -> None:
        drain(make(source, path, *values), step, done, lambda _: None, lambda: None)

    return run


@kernel("SaveDatasetV2", device="CPU")
def save_dataset_v2(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    make, wanted = _storing(node), described(node)

    def run(source: Any, path: Any, *values: Any) -> Dataset:
        check_components(wanted, as_dataset(source), "SaveDatasetV2")
        return make(source, path, *values)

    return run


@kernel("LoadDataset", device="CPU")
def load_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    (types, shapes), compression = described(node), _compression(node)

    def run(path: Any, *values: Any) -> Dataset:
        found = description_of(_folder(path))
        return StoredDataset(
            types, shapes, found, compression, captured(node, "reader_func", values)
        )

    return run


@kernel("SnapshotDatasetV2", device="CPU")
def snapshot_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    compression, wanted = _snapshot_compression(node), described(node)
    count = len(node.attr("Treader_func_args"))
    pipeline = str(node.attr("hash") % (1 << 64))

    def run(source: Any, path: Any, *values: Any) -> Dataset:
        dataset = as_dataset(source)
        check_components(wanted, dataset, "SnapshotDatasetV2")
        return SnapshotDataset(
            dataset,
            os.path.join(_folder(path), pipeline),
            compression,
            captured(node, "shard_func", values[count:]),
            captured(node, "reader_func", values[:count]),
        )

    return run

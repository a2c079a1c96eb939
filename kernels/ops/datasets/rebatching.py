"""Kernels that make datasets whose batches have other sizes than those of another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.batching import BatchDataset
from dataflow.kernels.datasets.dataset import Dataset, as_dataset
from dataflow.kernels.datasets.rebatching import RebatchDataset, SplitBatchesDataset
from dataflow.kernels.ops.datasets.arguments import described, flag, number


@kernel("RebatchDatasetV2", device="CPU")
def rebatch_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, batch_sizes: Any, drop_remainder: Any) -> Dataset:
        if np.ndim(batch_sizes) > 1:
            raise invalid("batch_sizes must be a scalar or a vector")
        sizes = np.ravel(batch_sizes).tolist()
        drops = flag(drop_remainder, "drop_remainder")
        return RebatchDataset(types, shapes, as_dataset(source), sizes, drops)

    return run


@kernel("RebatchDataset", "ExperimentalRebatchDataset", device="CPU")
def split_batches_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, num_replicas: Any) -> Dataset:
        count = number(num_replicas, "num_replicas")
        return SplitBatchesDataset(types, shapes, as_dataset(source), count)

    return run


@kernel("ParallelBatchDataset", device="CPU")
def parallel_batch_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, batch_size: Any, calls: Any, drop_remainder: Any) -> Dataset:
        number(calls, "num_parallel_calls")
        size, drops = number(batch_size, "batch_size"), flag(drop_remainder, "drop_remainder")
        return BatchDataset(types, shapes, as_dataset(source), size, drops)

    return run

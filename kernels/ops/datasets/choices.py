"""Kernels that make datasets with the elements of others, chosen, repeated, ordered or kept."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.buffering import PrefetchDataset
from dataflow.kernels.datasets.choosing import (
    AssertCardinalityDataset,
    ConcatenateDataset,
    CountedDataset,
    RepeatDataset,
    ShardDataset,
    SkipDataset,
    TakeDataset,
    ZipDataset,
)
from dataflow.kernels.datasets.dataset import Dataset, as_dataset
from dataflow.kernels.datasets.grouping import UniqueDataset
from dataflow.kernels.datasets.interleaving import DirectedInterleaveDataset
from dataflow.kernels.datasets.mapping import IgnoreErrorsDataset
from dataflow.kernels.datasets.passing import PassingDataset, ThreadPoolDataset, pool_size
from dataflow.kernels.datasets.sleeping import SleepDataset
from dataflow.kernels.datasets.statistics.stages import with_latencies
from dataflow.kernels.ops.datasets.arguments import check_components, described, number, strings

_log = logging.getLogger("dataflow")


@kernel("TakeDataset", device="CPU")
def take_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    return _counted(node, TakeDataset, "count")


@kernel("SkipDataset", device="CPU")
def skip_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    return _counted(node, SkipDataset, "count")


@kernel("RepeatDataset", device="CPU")
def repeat_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    return _counted(node, RepeatDataset, "count")


@kernel("AssertCardinalityDataset", device="CPU")
def assert_cardinality_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    return _counted(node, AssertCardinalityDataset, "cardinality")


@kernel("SleepDataset", "ExperimentalSleepDataset", device="CPU")
def sleep_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    make = _counted(node, SleepDataset, "sleep_microseconds")

    def run(source: Any, microseconds: Any) -> Dataset:
        if microseconds < 0:
            raise invalid("`sleep_microseconds` must be >= 0")
        return make(source, microseconds)

    return run


def _counted(node: KernelNode, kind: type[CountedDataset], name: str) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, count: Any) -> Dataset:
        dataset = as_dataset(source)
        check_components((types, shapes), dataset, node.op)
        return kind(types, shapes, dataset, number(count, name))

    return run


@kernel("ShardDataset", device="CPU")
def shard_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    require = node.attr("require_non_empty")

    def run(source: Any, num_shards: Any, index: Any) -> Dataset:
        count, place = number(num_shards, "num_shards"), number(index, "index")
        return ShardDataset(types, shapes, as_dataset(source), count, place, require)

    return run


@kernel("ConcatenateDataset", device="CPU")
def concatenate_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(first: Any, second: Any) -> Dataset:
        datasets = as_dataset(first), as_dataset(second)
        if datasets[0].types != datasets[1].types:
            raise invalid(
                "input dataset and dataset to concatenate have different output_types "
                f"{[t.name for t in datasets[0].types]} and {[t.name for t in datasets[1].types]}"
            )
        return ConcatenateDataset(types, shapes, *datasets)

    return run


@kernel("ZipDataset", device="CPU")
def zip_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    return lambda *sources: ZipDataset(types, shapes, *map(as_dataset, sources))


@kernel("PrefetchDataset", device="CPU")
def prefetch_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, buffer_size: Any) -> Dataset:
        size = number(buffer_size, "buffer_size")
        return PrefetchDataset(types, shapes, as_dataset(source), size)

    return run


@kernel("UniqueDataset", "ExperimentalUniqueDataset", device="CPU")
def unique_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    return lambda source: UniqueDataset(types, shapes, as_dataset(source))


@kernel("IgnoreErrorsDataset", "ExperimentalIgnoreErrorsDataset", device="CPU")
def ignore_errors_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    log = _log.warning if node.attr("log_warning") else None
    return lambda source: IgnoreErrorsDataset(types, shapes, as_dataset(source), log)


@kernel("DirectedInterleaveDataset", "ExperimentalDirectedInterleaveDataset", device="CPU")
def directed_interleave_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    is_old = node.op.startswith("Experimental")
    stops = False if is_old else node.attr("stop_on_empty_dataset")

    def run(selector: Any, *sources: Any) -> Dataset:
        datasets = [as_dataset(source) for source in sources]
        return DirectedInterleaveDataset(types, shapes, as_dataset(selector), datasets, stops)

    return run


@kernel(
    "RewriteDataset",
    "ModelDataset",
    "FinalizeDataset",
    "MaxIntraOpParallelismDataset",
    "ExperimentalMaxIntraOpParallelismDataset",
    "NonSerializableDataset",
    "ExperimentalNonSerializableDataset",
    device="CPU",
)
def passing_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    return lambda source, *how: PassingDataset(types, shapes, as_dataset(source))


@kernel("PrivateThreadPoolDataset", "ExperimentalPrivateThreadPoolDataset", device="CPU")
def private_thread_pool_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    return lambda source, threads: ThreadPoolDataset(
        types, shapes, as_dataset(source), pool_size(number(threads, "num_threads"))
    )


@kernel("OptimizeDataset", "OptimizeDatasetV2", device="CPU")
def optimize_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, enabled: Any, *others: Any) -> Dataset:
        dataset = as_dataset(source)
        if b"latency_all_edges" in strings(enabled, "optimizations"):
            dataset = with_latencies(dataset)
        return PassingDataset(types, shapes, dataset)

    return run

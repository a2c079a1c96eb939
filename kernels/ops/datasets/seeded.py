"""Kernels of datasets that draw random numbers, or keep elements: of their own or in a resource."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.handles import checked
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.caching import FileCacheDataset, MemoryCache, MemoryCacheDataset
from dataflow.kernels.datasets.dataset import Dataset, as_dataset
from dataflow.kernels.datasets.seeds import SeedSource
from dataflow.kernels.datasets.shuffling import ShuffleDataset
from dataflow.kernels.datasets.sources import RandomDataset
from dataflow.kernels.ops.datasets.arguments import described, number, string
from dataflow.kernels.ops.datasets.resources import OfItsOwn


def _seeds(seed: Any, seed2: Any, generator: Any, changes: bool) -> SeedSource:
    if isinstance(generator, SeedSource):
        return generator
    return SeedSource(number(seed, "seed"), number(seed2, "seed2"), changes)


def _with_resource(
    call: Callable[..., Dataset], kind: type, place: int | None
) -> Callable[..., Dataset]:
    """The callable, which refuses another handle than one of that kind, or of none, at a place."""
    if place is None:
        return call
    wrong = checked(call, kind, place)
    return lambda *given: (call if isinstance(given[place], OfItsOwn) else wrong)(*given)


@kernel("ShuffleDataset", "ShuffleDatasetV3", device="CPU")
def shuffle_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    changes = node.attr("reshuffle_each_iteration")

    def run(source: Any, buffer_size: Any, seed: Any, seed2: Any, generator: Any = None) -> Dataset:
        seeds = _seeds(seed, seed2, generator, changes)
        size = number(buffer_size, "buffer_size")
        return ShuffleDataset(types, shapes, as_dataset(source), size, seeds)

    return _with_resource(run, SeedSource, 4 if node.op.endswith("V3") else None)


@kernel("ShuffleDatasetV2", device="CPU")
def shuffle_dataset_v2(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, buffer_size: Any, seeds: Any) -> Dataset:
        size = number(buffer_size, "buffer_size")
        return ShuffleDataset(types, shapes, as_dataset(source), size, seeds)

    return checked(run, SeedSource, 2)


@kernel("ShuffleAndRepeatDataset", "ShuffleAndRepeatDatasetV2", device="CPU")
def shuffle_and_repeat_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    changes = node.attr("reshuffle_each_iteration")

    def run(
        source: Any, buffer_size: Any, seed: Any, seed2: Any, count: Any, generator: Any = None
    ) -> Dataset:
        seeds = _seeds(seed, seed2, generator, changes)
        size = number(buffer_size, "buffer_size")
        times = number(count, "count")
        return ShuffleDataset(types, shapes, as_dataset(source), size, seeds, times)

    return _with_resource(run, SeedSource, 5 if node.op.endswith("V2") else None)


@kernel("RandomDataset", "RandomDatasetV2", "ExperimentalRandomDataset", device="CPU")
def random_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    takes_resource = node.op.endswith("V2")
    changes = takes_resource and node.attr("rerandomize_each_iteration")

    def run(seed: Any, seed2: Any, generator: Any = None) -> Dataset:
        return RandomDataset(types, shapes, _seeds(seed, seed2, generator, changes))

    return _with_resource(run, SeedSource, 2 if takes_resource else None)


@kernel("CacheDataset", "CacheDatasetV2", device="CPU")
def cache_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, filename: Any, cache: Any = None) -> Dataset:
        prefix, dataset = string(filename, "filename"), as_dataset(source)
        if prefix:
            return FileCacheDataset(types, shapes, dataset, os.fsdecode(prefix))
        kept = cache if isinstance(cache, MemoryCache) else None
        return MemoryCacheDataset(types, shapes, dataset, kept)

    return _with_resource(run, MemoryCache, 2 if node.op.endswith("V2") else None)

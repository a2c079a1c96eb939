"""Kernels of datasets as values: of windows, wrapped for functions, with their options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.handles import checked
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.dataset import Dataset, as_dataset
from dataflow.kernels.datasets.passing import (
    OptionsDataset,
    PassingDataset,
    ThreadPoolDataset,
    pool_size,
)
from dataflow.kernels.ops.datasets.arguments import check_components, described


class Wrapped:
    """The value of a variant that holds a dataset for functions."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset


@kernel("WrapDatasetVariant", device="CPU")
def wrap(node: KernelNode, xp: Any) -> Callable[[Any], Wrapped]:
    return lambda handle: Wrapped(as_dataset(handle))


@kernel("UnwrapDatasetVariant", device="CPU")
def unwrap(node: KernelNode, xp: Any) -> Callable[[Any], Dataset]:
    def run(handle: Any) -> Dataset:
        held = handle.item() if isinstance(handle, np.ndarray) and handle.size == 1 else handle
        if not isinstance(held, Wrapped):
            raise invalid("Tensor must be a WrappedDataset variant object.")
        return held.dataset

    return run


@kernel("OptionsDataset", device="CPU")
def options_dataset(node: KernelNode, xp: Any) -> Callable[[Any], Dataset]:
    types, shapes = described(node)
    options = node.attr("serialized_options")
    return lambda source: OptionsDataset(types, shapes, as_dataset(source), options)


@kernel("GetOptions", device="CPU")
def get_options(node: KernelNode, xp: Any) -> Callable[[Any], Any]:
    return lambda source: np.array(_options(as_dataset(source)), object)


def _options(dataset: Dataset) -> bytes:
    """Messages one behind the other are read as one, in which the last ones count."""
    parts = [_options(each) for each in dataset.inputs]
    if isinstance(dataset, OptionsDataset):
        parts.append(dataset.options)
    return b"".join(parts)


@kernel("ChooseFastestDataset", "ExperimentalChooseFastestDataset", device="CPU")
def choose_fastest(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(*sources: Any) -> Dataset:
        datasets = [as_dataset(source) for source in sources]
        for dataset in datasets:
            check_components((types, shapes), dataset, node.op)
        return PassingDataset(types, shapes, datasets[0])

    return run


class ThreadPool:
    """What the handle of a pool refers to: how many threads stages have."""

    def __init__(self, threads: int) -> None:
        """Takes the number; 0 for a good one.

        Raises:
          InvalidArgumentError: It is negative.
        """
        self.threads = pool_size(threads)


@kernel("ThreadPoolHandle", "ExperimentalThreadPoolHandle", device="CPU")
def thread_pool(node: KernelNode, xp: Any) -> Callable[[], ThreadPool]:
    pool = ThreadPool(node.attr("num_threads"))
    return lambda: pool


@kernel("ThreadPoolDataset", "ExperimentalThreadPoolDataset", device="CPU")
def thread_pool_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    return checked(
        lambda source, pool: ThreadPoolDataset(types, shapes, as_dataset(source), pool.threads),
        ThreadPool,
        1,
    )

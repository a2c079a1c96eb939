"""Kernels of datasets as values: of windows, wrapped for functions, with their options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.handles import checked
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.datasets.dataset import UNKNOWN, Dataset, as_dataset
from dataflow.kernels.datasets.iterator import partial_text
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
        check_components((types, shapes), datasets[0], node.op)
        for place, dataset in enumerate(datasets[1:], 1):
            _check_alike(place, dataset, datasets[:place])
        return PassingDataset(types, shapes, datasets[0])

    return run


def _check_alike(place: int, dataset: Dataset, others: Sequence[Dataset]) -> None:
    """Refuses a dataset whose elements are not those of the ones before it.

    Raises:
      InvalidArgumentError: Types, shapes, or the numbers of elements differ.
    """
    wanted = "All inputs to ChooseFastestDataset must have"
    first = others[0]
    if dataset.types != first.types:
        found, expected = (", ".join(map(type_name, each.types)) for each in (dataset, first))
        raise invalid(
            f"{wanted} the same output types. Input {place} has output types: {found}. Expected: "
            f"{expected}."
        )
    for number, (shape, other) in enumerate(zip(dataset.shapes, first.shapes, strict=True)):
        if not shape.is_compatible_with(other):
            raise invalid(
                f"{wanted} compatible output shapes. Component {number} of input {place} has "
                f"shape: {partial_text(shape)}. Expected to be compatible with shape: "
                f"{partial_text(other)}."
            )
    known = [count for each in others if (count := each.cardinality()) != UNKNOWN]
    count = dataset.cardinality()
    if known and count not in (UNKNOWN, known[0]):
        raise invalid(
            f"{wanted} compatible cardinalities. Input {place} has cardinality: {count}, while all "
            f"prior inputs have cardinality: {known[0]}."
        )


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

"""Kernels that make datasets whose elements are several of another one, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.batching import (
    BatchDataset,
    DenseToSparseBatchDataset,
    PaddedBatchDataset,
    UnbatchDataset,
    WindowDataset,
    batch_window,
)
from dataflow.kernels.datasets.dataset import Dataset, Element, as_dataset
from dataflow.kernels.datasets.sources import ListDataset
from dataflow.kernels.ops.datasets.arguments import described, flag, number


@kernel("BatchDataset", "BatchDatasetV2", device="CPU")
def batch_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, batch_size: Any, drop_remainder: Any = False) -> Dataset:
        size, drops = number(batch_size, "batch_size"), flag(drop_remainder, "drop_remainder")
        return BatchDataset(types, shapes, as_dataset(source), size, drops)

    return run


@kernel("PaddedBatchDataset", "PaddedBatchDatasetV2", device="CPU")
def padded_batch_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node, "Toutput_types")
    count = node.attr("N")

    def run(source: Any, batch_size: Any, *values: Any) -> Dataset:
        drops = len(values) > count + len(types) and flag(values[-1], "drop_remainder")
        padded = []
        for shape in values[:count]:
            if np.ndim(shape) != 1:
                raise invalid("All padded shapes must be vectors")
            wrong = [size for size in np.asarray(shape).tolist() if size < -1]
            if wrong:
                raise invalid(f"Dimension {wrong[0]} must be >= -1")
            padded.append(tuple(np.asarray(shape).tolist()))
        return PaddedBatchDataset(
            types,
            shapes,
            as_dataset(source),
            number(batch_size, "batch_size"),
            drops,
            padded,
            values[count : count + len(types)],
        )

    return run


@kernel("DenseToSparseBatchDataset", "ExperimentalDenseToSparseBatchDataset", device="CPU")
def dense_to_sparse_batch_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, batch_size: Any, row_shape: Any) -> Dataset:
        if np.ndim(row_shape) != 1:
            raise invalid("row_shape must be a vector")
        rows = tuple(np.asarray(row_shape).tolist())
        size = number(batch_size, "batch_size")
        return DenseToSparseBatchDataset(types, shapes, as_dataset(source), size, rows)

    return run


@kernel("UnbatchDataset", "ExperimentalUnbatchDataset", device="CPU")
def unbatch_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    return lambda source: UnbatchDataset(types, shapes, as_dataset(source))


@kernel("WindowDataset", device="CPU")
def window_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, size: Any, shift: Any, stride: Any, drop_remainder: Any) -> Dataset:
        return WindowDataset(
            types,
            shapes,
            as_dataset(source),
            number(size, "size"),
            number(shift, "shift"),
            number(stride, "stride"),
            flag(drop_remainder, "drop_remainder"),
            _datasets_of,
        )

    return run


def _datasets_of(source: Dataset, elements: list[Element]) -> Element:
    """A dataset for each component."""
    return tuple(
        ListDataset((dtype,), (shape,), [(element[place],) for element in elements])
        for place, (dtype, shape) in enumerate(zip(source.types, source.shapes, strict=True))
    )


@kernel("SlidingWindowDataset", "ExperimentalSlidingWindowDataset", device="CPU")
def sliding_window_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    is_old = node.op.startswith("Experimental")
    drops = True if is_old else node.attr("drop_remainder")

    def run(source: Any, size: Any, shift: Any, stride: Any) -> Dataset:
        return WindowDataset(
            types,
            shapes,
            as_dataset(source),
            number(size, "window_size"),
            number(shift, "window_shift"),
            number(stride, "window_stride"),
            drops,
            batch_window,
        )

    return run

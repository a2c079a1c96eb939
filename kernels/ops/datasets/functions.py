"""Kernels that make datasets by applying functions to the elements of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.batching import MapAndBatchDataset
from dataflow.kernels.datasets.buffering import AUTOTUNE, ParallelMapDataset, parallel_calls
from dataflow.kernels.datasets.dataset import Dataset, as_dataset
from dataflow.kernels.datasets.grouping import GroupByReducerDataset, GroupByWindowDataset
from dataflow.kernels.datasets.interleaving import (
    FlatMapDataset,
    InterleaveDataset,
    ParallelInterleaveDataset,
)
from dataflow.kernels.datasets.mapping import (
    FilterDataset,
    MapDataset,
    ScanDataset,
    TakeWhileDataset,
)
from dataflow.kernels.ops.datasets.arguments import captured, described, flag, number

_AHEAD = 2
"""Elements that are made ahead of each dataset where nothing says how many."""
_MOST_CYCLES = 16


@kernel("MapDataset", device="CPU")
def map_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    keeps_count = node.attr("preserve_cardinality")

    def run(source: Any, *values: Any) -> Dataset:
        function = captured(node, "f", values)
        return MapDataset(types, shapes, as_dataset(source), function, keeps_count)

    return run


@kernel("ParallelMapDataset", "ParallelMapDatasetV2", device="CPU")
def parallel_map_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    keeps_count = node.attr("preserve_cardinality")
    if node.op == "ParallelMapDataset":
        in_order = False if node.attr("sloppy") else None
    else:
        in_order = {b"true": True, b"false": False}.get(node.attr("deterministic"))

    def run(source: Any, *values: Any) -> Dataset:
        function = captured(node, "f", values[:-1])
        calls = number(values[-1], "num_parallel_calls")
        return ParallelMapDataset(
            types, shapes, as_dataset(source), function, calls, keeps_count, in_order
        )

    return run


@kernel("MapAndBatchDataset", "ExperimentalMapAndBatchDataset", device="CPU")
def map_and_batch_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    keeps_count = node.attr("preserve_cardinality")
    single = [shape[1:] if shape.rank else shape for shape in shapes]

    def run(source: Any, *values: Any) -> Dataset:
        *values_of_f, batch_size, calls, drop_remainder = values
        function = captured(node, "f", values_of_f)
        size = number(batch_size, "batch_size")
        if size <= 0:
            raise invalid("batch_size must be greater than zero.")
        mapped = ParallelMapDataset(
            types,
            single,
            as_dataset(source),
            function,
            number(calls, "num_parallel_calls"),
            keeps_count,
        )
        drops = flag(drop_remainder, "drop_remainder")
        return MapAndBatchDataset(types, shapes, mapped, size, drops)

    return run


@kernel("FilterDataset", device="CPU")
def filter_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    return _filtering(node, FilterDataset)


@kernel("ParallelFilterDataset", device="CPU")
def parallel_filter_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    filtered = _filtering(node, FilterDataset)

    def run(source: Any, *values: Any) -> Dataset:
        parallel_calls(number(values[-1], "num_parallel_calls"))
        return filtered(source, *values[:-1])

    return run


@kernel("TakeWhileDataset", "ExperimentalTakeWhileDataset", device="CPU")
def take_while_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    return _filtering(node, TakeWhileDataset)


def _filtering(node: KernelNode, kind: type[FilterDataset]) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, *values: Any) -> Dataset:
        return kind(types, shapes, as_dataset(source), captured(node, "predicate", values))

    return run


@kernel("ScanDataset", "ExperimentalScanDataset", device="CPU")
def scan_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    states, keeps_count = len(node.attr("Tstate")), node.attr("preserve_cardinality")

    def run(source: Any, *values: Any) -> Dataset:
        function = captured(node, "f", values[states:])
        return ScanDataset(
            types, shapes, as_dataset(source), values[:states], function, keeps_count
        )

    return run


@kernel("FlatMapDataset", device="CPU")
def flat_map_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, *values: Any) -> Dataset:
        return FlatMapDataset(types, shapes, as_dataset(source), captured(node, "f", values))

    return run


@kernel("InterleaveDataset", device="CPU")
def interleave_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, *values: Any) -> Dataset:
        *values_of_f, cycle_length, block_length = values
        return InterleaveDataset(
            types,
            shapes,
            as_dataset(source),
            captured(node, "f", values_of_f),
            _cycles(cycle_length),
            number(block_length, "block_length"),
        )

    return run


def _cycles(cycle_length: Any) -> int:
    length = number(cycle_length, "cycle_length")
    return min(parallel_calls(AUTOTUNE), _MOST_CYCLES) if length == AUTOTUNE else length


@kernel(
    "ParallelInterleaveDatasetV2",
    "ParallelInterleaveDatasetV3",
    "ParallelInterleaveDatasetV4",
    device="CPU",
)
def parallel_interleave_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    captures = len(node.attr("Targuments"))

    def run(source: Any, *values: Any) -> Dataset:
        cycle_length, block_length, *others = values[captures:]
        cycles = number(cycle_length, "cycle_length")
        if cycles == 0 or cycles < AUTOTUNE:
            raise invalid(
                f"`cycle_length` must be `tf.data.AUTOTUNE` or greater than 0 but is {cycles}"
            )
        calls = number(others[-1], "num_parallel_calls")
        if calls == 0 or calls < AUTOTUNE:
            raise invalid("num_parallel_calls must be greater than zero.")
        if calls > cycles != AUTOTUNE:
            raise invalid("num_parallel_calls must less than or equal to cycle_length.")
        ahead = number(others[0], "buffer_output_elements") if len(others) > 1 else _AHEAD
        return ParallelInterleaveDataset(
            types,
            shapes,
            as_dataset(source),
            captured(node, "f", values[:captures]),
            _cycles(cycle_length),
            number(block_length, "block_length"),
            ahead if ahead > 0 else _AHEAD,
        )

    return run


@kernel(
    "ParallelInterleaveDataset",
    "LegacyParallelInterleaveDatasetV2",
    "ExperimentalParallelInterleaveDataset",
    device="CPU",
)
def legacy_parallel_interleave_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    captures = len(node.attr("Targuments"))

    def run(source: Any, *values: Any) -> Dataset:
        cycle_length, block_length, *_, buffer_size, prefetched = values[captures:]
        ahead = number(buffer_size, "buffer_output_elements")
        made = ParallelInterleaveDataset(
            types,
            shapes,
            as_dataset(source),
            captured(node, "f", values[:captures]),
            number(cycle_length, "cycle_length"),
            number(block_length, "block_length"),
            ahead,
            closes_up=True,
        )
        if ahead <= 0:
            raise invalid("`buffer_output_elements` must be > 0")
        if number(prefetched, "prefetch_input_elements") < 0:
            raise invalid("`prefetch_input_elements` must be >= 0")
        return made

    return run


@kernel("GroupByWindowDataset", "ExperimentalGroupByWindowDataset", device="CPU")
def group_by_window_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    first = len(node.attr("Tkey_func_other_arguments"))
    second = first + len(node.attr("Treduce_func_other_arguments"))

    def run(source: Any, *values: Any) -> Dataset:
        return GroupByWindowDataset(
            types,
            shapes,
            as_dataset(source),
            captured(node, "key_func", values[:first]),
            captured(node, "reduce_func", values[first:second]),
            captured(node, "window_size_func", values[second:]),
            lambda window: window,
        )

    return run


@kernel("GroupByReducerDataset", "ExperimentalGroupByReducerDataset", device="CPU")
def group_by_reducer_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    names = ("key_func", "init_func", "reduce_func", "finalize_func")
    counts = [len(node.attr(f"T{name}_other_arguments")) for name in names]
    ends = np.cumsum(counts).tolist()

    def run(source: Any, *values: Any) -> Dataset:
        functions = [
            captured(node, name, values[end - count : end])
            for name, count, end in zip(names, counts, ends, strict=True)
        ]
        return GroupByReducerDataset(types, shapes, as_dataset(source), *functions)

    return run

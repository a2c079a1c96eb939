"""Kernels of statistics about pipelines."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.dataset import Dataset, as_dataset
from dataflow.kernels.datasets.statistics.stages import (
    BytesDataset,
    LatencyDataset,
    ObservedDataset,
)
from dataflow.kernels.ops.datasets.arguments import check_components, described, string
from dataflow.kernels.summaries.aggregator import Aggregator, EventAggregator
from dataflow.kernels.summaries.writer import SummaryWriter


@kernel(
    "StatsAggregatorHandle",
    "ExperimentalStatsAggregatorHandle",
    "StatsAggregatorHandleV2",
    device="CPU",
)
def aggregator_handle(node: KernelNode, xp: Any) -> Callable[[], Aggregator]:
    container, name = (os.fsdecode(node.attr(attr)) for attr in ("container", "shared_name"))
    find = node.resources.lookup_or_create
    make = EventAggregator if node.op.endswith("V2") else Aggregator
    return lambda: find(container, name or node.name, Aggregator, make)


@kernel(
    "StatsAggregatorSummary", "ExperimentalStatsAggregatorSummary", device="CPU", handle=Aggregator
)
def aggregator_summary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda aggregator: np.array(aggregator.summary(), object)


@kernel("StatsAggregatorSetSummaryWriter", device="CPU", handle=Aggregator)
def set_summary_writer(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(aggregator: Aggregator, writer: Any) -> None:
        if not isinstance(writer, SummaryWriter):
            raise invalid("The handle of a summary writer is expected.")
        aggregator.write_to(writer)

    return run


@kernel("SetStatsAggregatorDataset", "ExperimentalSetStatsAggregatorDataset", device="CPU")
def set_aggregator(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, aggregator: Any, tag: Any, counter_prefix: Any) -> Dataset:
        if not isinstance(aggregator, Aggregator):
            raise invalid("The handle of an aggregator of statistics is expected.")
        dataset = as_dataset(source)
        check_components((types, shapes), dataset, node.op)
        # Counters are for those who watch a server of TensorFlow's.
        string(counter_prefix, "counter_prefix")
        return ObservedDataset(types, shapes, dataset, aggregator, string(tag, "tag"))

    return run


@kernel("BytesProducedStatsDataset", "ExperimentalBytesProducedStatsDataset", device="CPU")
def bytes_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    return _telling(node, BytesDataset)


@kernel("LatencyStatsDataset", "ExperimentalLatencyStatsDataset", device="CPU")
def latency_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    return _telling(node, LatencyDataset)


def _telling(node: KernelNode, kind: type[BytesDataset]) -> Callable[..., Dataset]:
    types, shapes = described(node)

    def run(source: Any, tag: Any) -> Dataset:
        dataset = as_dataset(source)
        check_components((types, shapes), dataset, node.op)
        return kind(types, shapes, dataset, string(tag, "tag"))

    return run

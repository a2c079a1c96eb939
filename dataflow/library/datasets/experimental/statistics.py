"""Statistics of pipelines: what gathers them, and datasets that tell more than others."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.nodes import dataset_node, text

_WAITING = 10
"""How many events wait for each other on their way to the file."""


class StatsAggregator:
    """Gathers what the stages of pipelines tell whose options name it.

    `Options.experimental_stats.aggregator` is set to it. Prefetches tell how full they are,
    parallel calls how many go on, filters how many elements they drop, functions how long they
    take, and `bytes_produced_stats` and `latency_stats` what they are for.
    """

    def __init__(self) -> None:
        """Adds what gathers to the default graph."""
        self._resource: Tensor = apply_op("StatsAggregatorHandle")

    def get_summary(self) -> Tensor:
        """All that has been told so far: a scalar string, which is a serialized `tf.Summary`."""
        made: Tensor = apply_op("StatsAggregatorSummary", self._resource)
        return made


StatsAggregatorV1 = StatsAggregator
"""Its name beside the other one."""


class StatsAggregatorV2:
    """As `StatsAggregator`, but all is written to a file of events, in a folder made for it."""

    def __init__(self) -> None:
        """Adds what gathers to the default graph; `initializer` opens the file."""
        self._resource: Tensor = apply_op("StatsAggregatorHandleV2")
        self._logdir = tempfile.mkdtemp()
        writer = apply_op("SummaryWriter")
        opened = apply_op("CreateSummaryFileWriter", writer, self._logdir, _WAITING, 120_000, ".v2")
        with scopes.control_dependencies([opened]):
            self.initializer: Operation = apply_op(
                "StatsAggregatorSetSummaryWriter", self._resource, writer
            )


def set_stats_aggregator(
    stats_aggregator: Any, prefix: str = "", counter_prefix: str = ""
) -> Callable[[Any], Any]:
    """Has the stages of a dataset tell an aggregator of themselves; options do the same.

    Args:
      stats_aggregator: The aggregator.
      prefix: What all tags begin with.
      counter_prefix: What the names of counters begin with.
    """

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        variant = dataset_node(
            "SetStatsAggregatorDataset",
            spec,
            dataset._variant_tensor,
            stats_aggregator._resource,
            prefix,
            counter_prefix,
        )
        return DatasetBase._made(variant, spec, dataset)

    return apply


def bytes_produced_stats(tag: Any) -> Callable[[Any], Any]:
    """Tells how many bytes each element has: a histogram.

    Args:
      tag: Its tag: a scalar string.
    """
    return _telling("BytesProducedStatsDataset", tag)


def latency_stats(tag: Any) -> Callable[[Any], Any]:
    """Tells how many microseconds each element takes: a histogram.

    Args:
      tag: Its tag: a scalar string.
    """
    return _telling("LatencyStatsDataset", tag)


def _telling(op: str, tag: Any) -> Callable[[Any], Any]:
    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        variant = dataset_node(op, spec, dataset._variant_tensor, text(tag, "tag"))
        return DatasetBase._made(variant, spec, dataset)

    return apply

"""Statistics of pipelines: datasets that tell more than others, and whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.nodes import dataset_node, text


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

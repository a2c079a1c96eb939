"""Rows for statistics about pipelines."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.datasets.pulling import alike, numbers, pulled
from tests.ops.program import Inputs, Program, Step, fails, run

ONE = ("float32",)
REFUSED = "InvalidArgumentError"


def _observed(tf: Any, prefix: str, variant: Any, aggregator: Any, tag: Any, **of: Any) -> Any:
    return getattr(tf.raw_ops, f"{prefix}SetStatsAggregatorDataset")(
        input_dataset=variant, stats_aggregator=aggregator, tag=tag, counter_prefix="", **of
    )


def _told(prefix: str) -> Any:
    def build(tf: Any, v: Inputs) -> Iterator[Step]:
        ops = tf.raw_ops
        aggregator = getattr(ops, f"{prefix}StatsAggregatorHandle")()
        summary = getattr(ops, f"{prefix}StatsAggregatorSummary")(iterator=aggregator)
        of_bytes = getattr(ops, f"{prefix}BytesProducedStatsDataset")
        latency = getattr(ops, f"{prefix}LatencyStatsDataset")

        yield run(summary)
        texts = {"output_types": [tf.string, tf.int64], "output_shapes": [[], [2]]}
        slices = ops.TensorSliceDataset(
            components=[v.hidden(["ab", "", "c" * 40], object), np.ones([3, 2], np.int64)],
            output_shapes=[[], [2]],
        )
        counted = of_bytes(input_dataset=slices, tag="bytes", **texts)
        whole = _observed(tf, prefix, counted, aggregator, "all", **texts)
        yield from pulled(tf, whole, 3, [tf.string, tf.int64], [[], [2]])
        yield run(summary)

        # Its histogram lies in buckets as it comes; what nobody watches tells nothing.
        timed = latency(input_dataset=numbers(tf, 2), tag="latency", **alike(tf))
        yield from pulled(tf, timed, 2)
        yield run(summary)
        yield from pulled(tf, _observed(tf, prefix, timed, aggregator, "", **alike(tf)), 2)
        yield run(tf.strings.length(summary) > 200)

        several = v.hidden(["a", "b"], object)
        for kind in (of_bytes, latency):
            unknown = tf.placeholder_with_default(several, None)
            wrong = kind(input_dataset=numbers(tf, 2), tag=unknown, **alike(tf))
            yield fails(REFUSED, "tag must be a scalar", wrong)
        wrong = _observed(tf, prefix, numbers(tf, 2), aggregator, several, **alike(tf))
        yield fails(REFUSED, "tag must be a scalar", wrong)
        writer = ops.SummaryWriter(shared_name="no aggregator", container="")
        wrong = _observed(tf, prefix, numbers(tf, 2), writer, "", **alike(tf))
        yield fails(REFUSED, "", wrong)
        summary_of_it = getattr(ops, f"{prefix}StatsAggregatorSummary")(iterator=writer)
        yield fails(REFUSED, "wrong type", summary_of_it)

    return build


def _buffers(tf: Any, v: Inputs) -> Iterator[Step]:
    """Names of nodes depend on what TensorFlow rewrites, so only that there is something."""
    for size in (0, 1):
        aggregator = tf.raw_ops.StatsAggregatorHandle(shared_name=f"of {size}")
        prefetch = tf.raw_ops.PrefetchDataset(
            input_dataset=numbers(tf, 3), buffer_size=np.int64(size), **alike(tf)
        )
        yield from pulled(tf, _observed(tf, "", prefetch, aggregator, "", **alike(tf)), 3)
        again = tf.raw_ops.StatsAggregatorHandle(shared_name=f"of {size}")
        size_of_it = tf.strings.length(tf.raw_ops.StatsAggregatorSummary(iterator=again))
        yield run(size_of_it > 70)


def _written(tf: Any, v: Inputs) -> Iterator[Step]:
    ops = tf.raw_ops
    aggregator = ops.StatsAggregatorHandleV2()
    summary = ops.StatsAggregatorSummary(iterator=aggregator)
    timed = ops.LatencyStatsDataset(input_dataset=numbers(tf, 2), tag="latency", **alike(tf))
    observed = _observed(tf, "", timed, aggregator, "", **alike(tf))
    yield from pulled(tf, observed, 2)
    writer = ops.SummaryWriter(shared_name="of statistics", container="")
    yield run(
        ops.CreateSummaryFileWriter(
            writer=writer,
            logdir=tempfile.mkdtemp(prefix="rows_of_statistics"),
            max_queue=0,
            flush_millis=1,
            filename_suffix="",
        )
    )
    yield run(ops.StatsAggregatorSetSummaryWriter(stats_aggregator=aggregator, summary=writer))
    yield from pulled(tf, observed, 2)
    yield run(summary)
    yield run(ops.CloseSummaryWriter(writer=writer))
    wrong = ops.StatsAggregatorSetSummaryWriter(stats_aggregator=writer, summary=writer)
    yield fails(REFUSED, "wrong type", wrong)


def _ops(prefix: str) -> str:
    kinds = (
        "StatsAggregatorHandle StatsAggregatorSummary SetStatsAggregatorDataset "
        "BytesProducedStatsDataset LatencyStatsDataset"
    )
    return " ".join(prefix + kind for kind in kinds.split())


PROGRAMS = [
    Program(_ops(""), _told(""), ONE),
    Program(_ops("Experimental"), _told("Experimental"), ONE),
    Program("StatsAggregatorHandle StatsAggregatorSummary", _buffers, ONE),
    Program("StatsAggregatorHandleV2 StatsAggregatorSetSummaryWriter", _written, ONE),
]

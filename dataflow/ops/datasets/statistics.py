"""Ops of statistics about pipelines, under both of their names."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import no_outputs, scalar, with_rank
from dataflow.values.shapes import TensorShape

_ELEMENTS = ("output_types: list(type) >= 1", "output_shapes: list(shape) >= 1")
_NAMES = ("container: string = ''", "shared_name: string = ''")


def _tagged(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 0)
    return [TensorShape([])]


for _prefix in ("", "Experimental"):
    define_op(
        f"{_prefix}StatsAggregatorHandle",
        outputs="handle: resource",
        attrs=_NAMES,
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc="What gathers statistics about pipelines until it is asked for them.",
        stateful=True,
    )
    define_op(
        f"{_prefix}StatsAggregatorSummary",
        inputs="iterator: resource",
        outputs="summary: string",
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc="All that an aggregator has gathered: a serialized summary.",
        stateful=True,
    )
    define_op(
        f"{_prefix}SetStatsAggregatorDataset",
        inputs=(
            "input_dataset: variant, stats_aggregator: resource, tag: string, "
            "counter_prefix: string"
        ),
        outputs="handle: variant",
        attrs=_ELEMENTS,
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc="The elements; what makes them tells an aggregator of itself.",
        stateful=True,
    )
    for _kind, _doc in (
        ("BytesProduced", "The elements; how many bytes each has is told."),
        ("Latency", "The elements; how many microseconds each takes is told."),
    ):
        define_op(
            f"{_prefix}{_kind}StatsDataset",
            inputs="input_dataset: variant, tag: string",
            outputs="handle: variant",
            attrs=_ELEMENTS,
            shape=_tagged,
            gradient=NOT_DIFFERENTIABLE,
            doc=_doc,
        )

define_op(
    "StatsAggregatorHandleV2",
    outputs="handle: resource",
    attrs=_NAMES,
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="What writes statistics about pipelines to a file of events, as they come.",
    stateful=True,
)
define_op(
    "StatsAggregatorSetSummaryWriter",
    inputs="stats_aggregator: resource, summary: resource",
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Says where an aggregator writes.",
    stateful=True,
)

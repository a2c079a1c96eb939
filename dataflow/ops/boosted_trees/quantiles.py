"""Ops on streams of features' values: summaries, quantiles, and the buckets between them."""

from __future__ import annotations

from dataflow.ops.boosted_trees.shapes import VECTOR, dim, expect_scalars
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import merge_dim, with_rank
from dataflow.values.shapes import TensorShape

_HANDLE = "quantile_stream_resource_handle: resource"
_SUMMARY = TensorShape.of((None, 4))
"""A row for each value: itself, its weight, its least and its greatest rank."""


def _created(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, range(3))
    return []


def _made(c: InferenceContext) -> list[TensorShape]:
    features = c.attr("num_features")
    with_rank(c.input(features), 1)
    for place in range(features):
        with_rank(c.input(place), 1)
    expect_scalars(c, [features + 1])
    return [_SUMMARY] * features


def _flushed(c: InferenceContext) -> list[TensorShape]:
    return [_SUMMARY] * c.num_outputs


def _added(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, [0])
    for place in range(1, c.num_inputs):
        with_rank(c.input(place), 2)
    return []


def _two_scalars(c: InferenceContext) -> list[TensorShape]:
    # TensorFlow also takes boundaries that are restored for a scalar: it does not know their shape.
    expect_scalars(c, range(2))
    return []


def _boundaries(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, [0])
    return [VECTOR] * c.num_outputs


def _bucketized(c: InferenceContext) -> list[TensorShape]:
    features = c.attr("num_features")
    values = [with_rank(c.input(place), 1) for place in range(features)]
    for value in values:
        merge_dim(dim(value, 0), dim(values[0], 0))
    return values


define_op(
    "BoostedTreesCreateQuantileStreamResource",
    inputs=f"{_HANDLE}, epsilon: float, num_streams: int64",
    attrs=["max_elements: int = 1099511627776"],
    shape=_created,
    gradient=NOT_DIFFERENTIABLE,
    doc="Creates streams, one for each feature, unless there are some.",
    stateful=True,
)

define_op(
    "BoostedTreesMakeQuantileSummaries",
    inputs="float_values: num_features * float, example_weights: float, epsilon: float",
    outputs="summaries: num_features * float",
    attrs=["num_features: int >= 0"],
    shape=_made,
    gradient=MISSING_GRADIENT,
    doc="Summaries of features' values, whose ranks are off by a part of `epsilon` at most.",
)

define_op(
    "BoostedTreesFlushQuantileSummaries",
    inputs=_HANDLE,
    outputs="summaries: num_features * float",
    attrs=["num_features: int >= 0"],
    shape=_flushed,
    gradient=NOT_DIFFERENTIABLE,
    doc="Takes the summaries out of streams, which are empty then.",
    stateful=True,
)

define_op(
    "BoostedTreesQuantileStreamResourceAddSummaries",
    inputs=f"{_HANDLE}, summaries: num_features * float",
    attrs=["num_features: int >= 0"],
    shape=_added,
    gradient=NOT_DIFFERENTIABLE,
    doc="Adds a summary to each stream.",
    stateful=True,
)

define_op(
    "BoostedTreesQuantileStreamResourceDeserialize",
    inputs=f"{_HANDLE}, bucket_boundaries: num_streams * float",
    attrs=["num_streams: int >= 1"],
    shape=_two_scalars,
    gradient=NOT_DIFFERENTIABLE,
    doc="Gives streams the boundaries of their buckets.",
    stateful=True,
)

define_op(
    "BoostedTreesQuantileStreamResourceFlush",
    inputs=f"{_HANDLE}, num_buckets: int64",
    attrs=["generate_quantiles: bool = false"],
    shape=_two_scalars,
    gradient=NOT_DIFFERENTIABLE,
    doc="Makes boundaries of what is in the streams, which are empty then.",
    stateful=True,
)

define_op(
    "BoostedTreesQuantileStreamResourceGetBucketBoundaries",
    inputs=_HANDLE,
    outputs="bucket_boundaries: num_features * float",
    attrs=["num_features: int >= 0"],
    shape=_boundaries,
    gradient=NOT_DIFFERENTIABLE,
    doc="The boundaries of each stream's buckets; none before the first flush.",
    stateful=True,
)

define_op(
    "BoostedTreesBucketize",
    inputs="float_values: num_features * float, bucket_boundaries: num_features * float",
    outputs="buckets: num_features * int32",
    attrs=["num_features: int >= 0"],
    shape=_bucketized,
    gradient=NOT_DIFFERENTIABLE,
    doc="For each value the first boundary that is not below it, or the last one.",
)

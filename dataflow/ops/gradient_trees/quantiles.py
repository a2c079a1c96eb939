"""Ops on streams of values: summaries, quantiles, and the buckets between them."""

from __future__ import annotations

from dataflow.ops.boosted_trees.shapes import VECTOR, expect_scalars
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, no_outputs, unknown, with_rank
from dataflow.values.shapes import TensorShape

_HANDLE = "quantile_accumulator_handle: resource"
_HANDLES = "quantile_accumulator_handles: num_resource_handles * resource"
_VALUES = (
    "dense_float_features: num_dense_features * float, "
    "sparse_float_feature_indices: num_sparse_features * int64, "
    "sparse_float_feature_values: num_sparse_features * float, "
    "sparse_float_feature_shapes: num_sparse_features * int64, example_weights: float"
)
_FEATURES = ["num_dense_features: int >= 0", "num_sparse_features: int >= 0"]


def _created(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, range(2))
    return []


def _added(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, range(c.num_inputs))
    return []


def _got(c: InferenceContext) -> list[TensorShape]:
    count = c.attr("num_resource_handles")
    return [SCALAR] * count + [VECTOR] * count


def _made(c: InferenceContext) -> list[TensorShape]:
    for place in range(c.attr("num_dense_features")):
        with_rank(c.input(place), 2)
    with_rank(c.input(c.num_inputs - 1), 2)
    return [SCALAR] * c.num_outputs


def _quantized(c: InferenceContext) -> list[TensorShape]:
    return [TensorShape.of((None, 2))] * c.num_outputs


define_op(
    "CreateQuantileAccumulator",
    inputs=f"{_HANDLE}, stamp_token: int64",
    attrs=[
        "container: string = ''",
        "shared_name: string = ''",
        "max_elements: int = 1099511627776",
        "epsilon: float",
        "num_quantiles: int",
        "generate_quantiles: bool = false",
    ],
    shape=_created,
    gradient=MISSING_GRADIENT,
    doc="Creates a stream, unless there is one.",
    stateful=True,
)

define_op(
    "QuantileAccumulatorAddSummaries",
    inputs=f"{_HANDLES}, stamp_token: int64, summaries: num_resource_handles * string",
    attrs=["num_resource_handles: int >= 1"],
    shape=_added,
    gradient=MISSING_GRADIENT,
    doc="Adds a summary to each stream that has this stamp.",
    stateful=True,
)

define_op(
    "QuantileAccumulatorGetBuckets",
    inputs=f"{_HANDLES}, stamp_token: int64",
    outputs=(
        "are_buckets_ready: num_resource_handles * bool, buckets: num_resource_handles * float"
    ),
    attrs=["num_resource_handles: int >= 1"],
    shape=_got,
    gradient=MISSING_GRADIENT,
    doc="Boundaries that were made when streams were flushed; none under another stamp.",
    stateful=True,
)

define_op(
    "QuantileAccumulatorFlush",
    inputs=f"{_HANDLE}, stamp_token: int64, next_stamp_token: int64",
    shape=no_outputs,
    gradient=MISSING_GRADIENT,
    doc="Makes boundaries of what is in a stream, which is empty then and has another stamp.",
    stateful=True,
)

define_op(
    "QuantileAccumulatorFlushSummary",
    inputs=f"{_HANDLE}, stamp_token: int64, next_stamp_token: int64",
    outputs="output: string",
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="Takes the summary out of a stream, which is empty then and has another stamp.",
    stateful=True,
)

define_op(
    "QuantileAccumulatorSerialize",
    inputs=_HANDLE,
    outputs="stamp_token: int64, stream_state: string, are_buckets_ready: bool, buckets: float",
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="A stream as the bytes of a QuantileStreamState message, and its boundaries.",
    stateful=True,
)

define_op(
    "QuantileAccumulatorDeserialize",
    inputs=(
        f"{_HANDLE}, stamp_token: int64, stream_state: string, are_buckets_ready: bool, "
        "buckets: float"
    ),
    shape=no_outputs,
    gradient=MISSING_GRADIENT,
    doc="Replaces a stream and its boundaries.",
    stateful=True,
)

define_op(
    "MakeQuantileSummaries",
    inputs=_VALUES,
    outputs="dense_summaries: num_dense_features * string, "
    "sparse_summaries: num_sparse_features * string",
    attrs=[*_FEATURES, "epsilon: float"],
    shape=_made,
    gradient=MISSING_GRADIENT,
    doc="Summaries of features' values, as bytes of QuantileSummaryState messages.",
)

define_op(
    "QuantileBuckets",
    inputs=_VALUES,
    outputs="dense_buckets: num_dense_features * float, "
    "sparse_buckets: num_sparse_features * float",
    attrs=[*_FEATURES, "dense_config: list(string)", "sparse_config: list(string)"],
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="Boundaries of buckets of features' values, as QuantileConfig messages ask for them.",
)

define_op(
    "Quantiles",
    inputs=(
        "dense_values: num_dense_features * float, sparse_values: num_sparse_features * float, "
        "dense_buckets: num_dense_features * float, sparse_buckets: num_sparse_features * float, "
        "sparse_indices: num_sparse_features * int64"
    ),
    outputs=(
        "dense_quantiles: num_dense_features * int32, sparse_quantiles: num_sparse_features * int32"
    ),
    attrs=_FEATURES,
    shape=_quantized,
    gradient=MISSING_GRADIENT,
    doc="For each value the first boundary not below it, or the last one, and its dimension.",
)

define_op(
    "BucketizeWithInputBoundaries",
    inputs="input: T, boundaries: float",
    outputs="output: int32",
    attrs=["T: {int32, int64, float, double}"],
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="For each value, how many of sorted boundaries are not above it.",
)

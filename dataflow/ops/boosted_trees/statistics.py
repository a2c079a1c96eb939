"""Ops that add gradients and hessians up, of the examples of each node and bucket."""

from __future__ import annotations

from dataflow.ops.boosted_trees.shapes import VECTOR, dim, statistics_dims
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import merge, merge_dim, with_rank
from dataflow.values.shapes import TensorShape

_STATISTICS = "node_ids: int32, gradients: float, hessians: float"
_LIMITS = ("max_splits: int >= 1", "num_buckets: int >= 1")


def _summed(c: InferenceContext) -> TensorShape:
    features = c.attr("num_features")
    examples = dim(with_rank(c.input(0), 1), 0)
    gradients, hessians = with_rank(c.input(1), 2), with_rank(c.input(2), 2)
    merge_dim(examples, dim(gradients, 0))
    merge(gradients, hessians)
    for place in range(3, 3 + features):
        merge_dim(examples, dim(with_rank(c.input(place), 1), 0))
    return TensorShape.of((features, c.attr("max_splits"), c.attr("num_buckets"), 2))


def _aggregated(c: InferenceContext) -> TensorShape:
    examples, statistics = statistics_dims(c)
    feature = with_rank(c.input(3), 2)
    merge_dim(dim(feature, 0), examples)
    buckets = c.attr("num_buckets") + 1
    return TensorShape.of((c.attr("max_splits"), dim(feature, 1), buckets, statistics))


def _of_sparse(c: InferenceContext) -> list[TensorShape]:
    indices, values = with_rank(c.input(3), 2), with_rank(c.input(4), 1)
    statistics_dims(c)
    merge_dim(dim(indices, 0), dim(values, 0))
    size = dim(with_rank(c.input(5), 1), 0)
    if size not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {size}")
    return [TensorShape.of((None, 4)), VECTOR, TensorShape.of((4,))]


define_op(
    "BoostedTreesMakeStatsSummary",
    inputs=f"{_STATISTICS}, bucketized_features_list: num_features * int32",
    outputs="stats_summary: float",
    attrs=[*_LIMITS, "num_features: int >= 1"],
    shape=_summed,
    gradient=MISSING_GRADIENT,
    doc="Sums of gradients and hessians by feature, node and bucket.",
)

define_op(
    "BoostedTreesAggregateStats",
    inputs=f"{_STATISTICS}, feature: int32",
    outputs="stats_summary: float",
    attrs=_LIMITS,
    shape=_aggregated,
    gradient=MISSING_GRADIENT,
    doc="Sums by node, dimension of the feature and bucket; the last bucket is that of -1.",
)

define_op(
    "BoostedTreesSparseAggregateStats",
    inputs=f"{_STATISTICS}, feature_indices: int32, feature_values: int32, feature_shape: int32",
    outputs="stats_summary_indices: int32, stats_summary_values: float, stats_summary_shape: int32",
    attrs=_LIMITS,
    shape=_of_sparse,
    gradient=MISSING_GRADIENT,
    doc="The same for a sparse feature; the last bucket is that of what is missing.",
)

"""Ops that find the best split of each node from sums of gradients and hessians."""

from __future__ import annotations

from dataflow.ops.boosted_trees.shapes import VECTOR, expect_range, expect_scalars
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import merge, with_rank
from dataflow.values.shapes import TensorShape

_REGULARIZATION = "l1: float, l2: float, tree_complexity: float, min_node_weight: float"
_SPLITS = (
    "feature_dimensions: int32, thresholds: int32, left_node_contribs: float, "
    "right_node_contribs: float, split_with_default_directions: string"
)


def _for_each_feature(c: InferenceContext) -> list[TensorShape]:
    features = c.attr("num_features")
    expect_range(c)
    first = with_rank(c.input(1), 3)
    merge(first, TensorShape.of((c.attr("max_splits"), None, 2)))
    for place in range(2, 1 + features):
        merge(first, with_rank(c.input(place), 3))
    expect_scalars(c, range(features + 1, features + 4))
    return [VECTOR] * (3 * features) + [TensorShape.of((None, 1))] * (2 * features)


def _vectors(c: InferenceContext) -> list[TensorShape]:
    contributions = TensorShape.of((None, c.attr("logits_dimension")))
    return [VECTOR] * (c.num_outputs - 3) + [contributions, contributions, VECTOR]


def _best(c: InferenceContext) -> list[TensorShape]:
    expect_range(c)
    with_rank(c.input(1), 4)
    expect_scalars(c, range(2, 6))
    return _vectors(c)


def _best_of_features(c: InferenceContext) -> list[TensorShape]:
    features = c.attr("num_features")
    expect_range(c)
    first = with_rank(c.input(1), 4)
    for place in range(2, 1 + features):
        merge(first, with_rank(c.input(place), 4))
    for place in range(1 + features, 3 + features):
        with_rank(c.input(place), 1)
    expect_scalars(c, range(3 + features, 7 + features))
    return _vectors(c)


def _best_of_sparse(c: InferenceContext) -> list[TensorShape]:
    expect_range(c)
    with_rank(c.input(1), 2)
    with_rank(c.input(2), 1)
    with_rank(c.input(3), 1)
    expect_scalars(c, range(4, 8))
    return _vectors(c)


define_op(
    "BoostedTreesCalculateBestGainsPerFeature",
    inputs=(f"node_id_range: int32, stats_summary_list: num_features * float, {_REGULARIZATION}"),
    outputs=(
        "node_ids_list: num_features * int32, gains_list: num_features * float, "
        "thresholds_list: num_features * int32, left_node_contribs_list: num_features * float, "
        "right_node_contribs_list: num_features * float"
    ),
    attrs=["max_splits: int >= 1", "num_features: int >= 1"],
    shape=_for_each_feature,
    gradient=MISSING_GRADIENT,
    doc="The best split of each node by each feature.",
)

define_op(
    "BoostedTreesCalculateBestFeatureSplit",
    inputs=f"node_id_range: int32, stats_summary: float, {_REGULARIZATION}",
    outputs=f"node_ids: int32, gains: float, {_SPLITS}",
    attrs=[
        "logits_dimension: int >= 1",
        "split_type: {'inequality', 'equality'} = 'inequality'",
    ],
    shape=_best,
    gradient=MISSING_GRADIENT,
    doc="The best split of each node by a feature, which may have several dimensions.",
)

define_op(
    "BoostedTreesCalculateBestFeatureSplitV2",
    inputs=(
        "node_id_range: int32, stats_summaries_list: num_features * float, split_types: string, "
        f"candidate_feature_ids: int32, {_REGULARIZATION}"
    ),
    outputs=f"node_ids: int32, gains: float, feature_ids: int32, {_SPLITS}",
    attrs=["num_features: int >= 1", "logits_dimension: int >= 1"],
    shape=_best_of_features,
    gradient=MISSING_GRADIENT,
    doc="The best split of each node by any of several features.",
)

define_op(
    "BoostedTreesSparseCalculateBestFeatureSplit",
    inputs=(
        "node_id_range: int32, stats_summary_indices: int32, stats_summary_values: float, "
        f"stats_summary_shape: int32, {_REGULARIZATION}"
    ),
    outputs=f"node_ids: int32, gains: float, {_SPLITS}",
    attrs=["logits_dimension: int >= 1", "split_type: {'inequality'} = 'inequality'"],
    shape=_best_of_sparse,
    gradient=MISSING_GRADIENT,
    doc="The best split of each node by a sparse feature.",
)

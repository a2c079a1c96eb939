"""Ops that find the best split of each node by one feature."""

from __future__ import annotations

from dataflow.ops.boosted_trees.shapes import VECTOR, expect_scalars
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import (
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from dataflow.values.shapes import TensorShape

_SUMS = "gradients: float, hessians: float"
_LIMITS = (
    "l1_regularization: float, l2_regularization: float, tree_complexity_regularization: float, "
    "min_node_weight: float, multiclass_strategy: int32"
)
_OUTPUTS = "output_partition_ids: int32, gains: float, split_infos: string"


def _checked(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, [0])
    with_rank(c.input(1), 1)
    with_rank(c.input(2), 2)
    for place in (3, 4):
        with_rank_at_most(with_rank_at_least(c.input(place), 1), 3)
    return [VECTOR] * 3


def _by_boundaries(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(5), 1)
    return _checked(c)


define_op(
    "BuildDenseInequalitySplits",
    inputs=(
        f"num_minibatches: int64, partition_ids: int32, bucket_ids: int64, {_SUMS}, "
        f"bucket_boundaries: float, class_id: int32, feature_column_group_id: int32, {_LIMITS}, "
        "weak_learner_type: int32"
    ),
    outputs=_OUTPUTS,
    shape=_by_boundaries,
    gradient=MISSING_GRADIENT,
    doc="Splits of nodes between two buckets of a feature that each example has.",
)

define_op(
    "BuildSparseInequalitySplits",
    inputs=(
        f"num_minibatches: int64, partition_ids: int32, bucket_ids: int64, {_SUMS}, "
        "bucket_boundaries: float, class_id: int32, feature_column_group_id: int32, "
        f"bias_feature_id: int64, {_LIMITS}"
    ),
    outputs=_OUTPUTS,
    shape=_by_boundaries,
    gradient=MISSING_GRADIENT,
    doc="Splits of nodes between two buckets of a feature that examples may lack.",
)

define_op(
    "BuildCategoricalEqualitySplits",
    inputs=(
        f"num_minibatches: int64, partition_ids: int32, feature_ids: int64, {_SUMS}, "
        "class_id: int32, feature_column_group_id: int32, bias_feature_id: int64, "
        f"{_LIMITS}, weak_learner_type: int32"
    ),
    outputs=_OUTPUTS,
    shape=_checked,
    gradient=MISSING_GRADIENT,
    doc="Splits of nodes into the examples that have a category, and the others.",
)

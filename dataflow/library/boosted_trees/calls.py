"""The ops of boosted trees as functions, by the names that TensorFlow's module of them has."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph.apply_op import apply_op
from dataflow.graph.op_functions import function_of
from dataflow.graph.operation import Operation

boosted_trees_aggregate_stats = function_of("BoostedTreesAggregateStats")
boosted_trees_bucketize = function_of("BoostedTreesBucketize")
boosted_trees_sparse_aggregate_stats = function_of("BoostedTreesSparseAggregateStats")
calculate_best_feature_split = function_of("BoostedTreesCalculateBestFeatureSplit")
calculate_best_feature_split_v2 = function_of("BoostedTreesCalculateBestFeatureSplitV2")
calculate_best_gains_per_feature = function_of("BoostedTreesCalculateBestGainsPerFeature")
center_bias = function_of("BoostedTreesCenterBias")
create_ensemble = function_of("BoostedTreesCreateEnsemble")
create_quantile_stream_resource = function_of("BoostedTreesCreateQuantileStreamResource")
deserialize_ensemble = function_of("BoostedTreesDeserializeEnsemble")
ensemble_resource_handle_op = function_of("BoostedTreesEnsembleResourceHandleOp")
example_debug_outputs = function_of("BoostedTreesExampleDebugOutputs")
get_bucket_boundaries = function_of("BoostedTreesQuantileStreamResourceGetBucketBoundaries")
get_ensemble_states = function_of("BoostedTreesGetEnsembleStates")
is_ensemble_initialized = function_of("IsBoostedTreesEnsembleInitialized")
is_quantile_resource_initialized = function_of("IsBoostedTreesQuantileStreamResourceInitialized")
make_quantile_summaries = function_of("BoostedTreesMakeQuantileSummaries")
make_stats_summary = function_of("BoostedTreesMakeStatsSummary")
predict = function_of("BoostedTreesPredict")
quantile_add_summaries = function_of("BoostedTreesQuantileStreamResourceAddSummaries")
quantile_flush = function_of("BoostedTreesQuantileStreamResourceFlush")
quantile_resource_deserialize = function_of("BoostedTreesQuantileStreamResourceDeserialize")
quantile_resource_handle_op = function_of("BoostedTreesQuantileStreamResourceHandleOp")
serialize_ensemble = function_of("BoostedTreesSerializeEnsemble")
sparse_calculate_best_feature_split = function_of("BoostedTreesSparseCalculateBestFeatureSplit")
training_predict = function_of("BoostedTreesTrainingPredict")
update_ensemble = function_of("BoostedTreesUpdateEnsemble")


def boosted_trees_update_ensemble_v2(
    tree_ensemble_handle: Any,
    feature_ids: Any,
    dimension_ids: Any,
    node_ids: Any,
    gains: Any,
    thresholds: Any,
    left_node_contribs: Any,
    right_node_contribs: Any,
    split_types: Any,
    max_depth: Any,
    learning_rate: Any,
    pruning_mode: Any,
    logits_dimension: int = 1,
    name: str | None = None,
) -> Operation:
    """An operation that adds a layer of the best splits, or begins another tree.

    Args:
      tree_ensemble_handle: The ensemble.
      feature_ids: Vectors of features' ids, one for each group of candidates; or one vector with
        an id for each feature, as programs of TensorFlow 1 have it.
      dimension_ids: For each group, which dimension of the feature a candidate splits by.
      node_ids: Which node.
      gains: The gains.
      thresholds: The buckets.
      left_node_contribs: What is added to the node's logits on the left, a row for each candidate.
      right_node_contribs: The same on the right.
      split_types: Names of SplitTypeWithDefault.
      max_depth: How many layers a tree has.
      learning_rate: By what contributions are multiplied.
      pruning_mode: A number of PruningMode.
      logits_dimension: How many logits leaves have.
      name: The operation's name.

    Raises:
      ValueError: Shapes do not fit.
    """
    op: Operation = apply_op(
        "BoostedTreesUpdateEnsembleV2",
        tree_ensemble_handle,
        feature_ids if _are_groups(feature_ids) else [feature_ids],
        dimension_ids,
        node_ids,
        gains,
        thresholds,
        left_node_contribs,
        right_node_contribs,
        split_types,
        max_depth,
        learning_rate,
        pruning_mode,
        logits_dimension=logits_dimension,
        name=name,
    )
    return op


def _are_groups(feature_ids: Any) -> bool:
    if not isinstance(feature_ids, (list, tuple)):
        return False
    return not all(isinstance(each, (int, np.integer)) for each in feature_ids)


update_ensemble_v2 = boosted_trees_update_ensemble_v2

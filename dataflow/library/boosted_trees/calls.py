"""The ops of boosted trees as functions, by the names that TensorFlow's module of them has."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.schema import opdef


def _function(op_type: str) -> Callable[..., Any]:
    """An op as a function of its inputs and then its attrs, those with defaults last."""
    op_def = opdef.find(op_type)
    assert op_def is not None
    inputs = [arg.name for arg in op_def.inputs]
    attrs = [attr for attr in op_def.attrs if attr.name not in op_def.inferred_attrs]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    needed = [*inputs, *(attr.name for attr in attrs if not attr.has_default)]
    optional = [*(attr.name for attr in attrs if attr.has_default), "name"]
    signature = inspect.Signature(
        [inspect.Parameter(name, kind) for name in needed]
        + [inspect.Parameter(name, kind, default=None) for name in optional]
    )

    def call(*arguments: Any, **keywords: Any) -> Any:
        given = signature.bind(*arguments, **keywords).arguments
        return apply_op(op_type, *(given.pop(name) for name in inputs), **given)

    call.__name__ = call.__qualname__ = op_type
    call.__doc__ = op_def.doc
    vars(call)["__signature__"] = signature
    return call


boosted_trees_aggregate_stats = _function("BoostedTreesAggregateStats")
boosted_trees_bucketize = _function("BoostedTreesBucketize")
boosted_trees_sparse_aggregate_stats = _function("BoostedTreesSparseAggregateStats")
calculate_best_feature_split = _function("BoostedTreesCalculateBestFeatureSplit")
calculate_best_feature_split_v2 = _function("BoostedTreesCalculateBestFeatureSplitV2")
calculate_best_gains_per_feature = _function("BoostedTreesCalculateBestGainsPerFeature")
center_bias = _function("BoostedTreesCenterBias")
create_ensemble = _function("BoostedTreesCreateEnsemble")
create_quantile_stream_resource = _function("BoostedTreesCreateQuantileStreamResource")
deserialize_ensemble = _function("BoostedTreesDeserializeEnsemble")
ensemble_resource_handle_op = _function("BoostedTreesEnsembleResourceHandleOp")
example_debug_outputs = _function("BoostedTreesExampleDebugOutputs")
get_bucket_boundaries = _function("BoostedTreesQuantileStreamResourceGetBucketBoundaries")
get_ensemble_states = _function("BoostedTreesGetEnsembleStates")
is_ensemble_initialized = _function("IsBoostedTreesEnsembleInitialized")
is_quantile_resource_initialized = _function("IsBoostedTreesQuantileStreamResourceInitialized")
make_quantile_summaries = _function("BoostedTreesMakeQuantileSummaries")
make_stats_summary = _function("BoostedTreesMakeStatsSummary")
predict = _function("BoostedTreesPredict")
quantile_add_summaries = _function("BoostedTreesQuantileStreamResourceAddSummaries")
quantile_flush = _function("BoostedTreesQuantileStreamResourceFlush")
quantile_resource_deserialize = _function("BoostedTreesQuantileStreamResourceDeserialize")
quantile_resource_handle_op = _function("BoostedTreesQuantileStreamResourceHandleOp")
serialize_ensemble = _function("BoostedTreesSerializeEnsemble")
sparse_calculate_best_feature_split = _function("BoostedTreesSparseCalculateBestFeatureSplit")
training_predict = _function("BoostedTreesTrainingPredict")
update_ensemble = _function("BoostedTreesUpdateEnsemble")


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

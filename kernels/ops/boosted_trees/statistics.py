"""Kernels that add gradients and hessians up, by node and bucket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.boosted_trees.statistics import check_ids, summed, summed_sparse
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.boosted_trees.arguments import match_examples, matrix, vector


@kernel("BoostedTreesMakeStatsSummary", device="CPU")
def make_summary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    splits, buckets = node.attr("max_splits"), node.attr("num_buckets")

    def run(node_ids: Any, gradients: Any, hessians: Any, *features: Any) -> Any:
        nodes, gradients, hessians = _checked(node_ids, gradients, hessians, splits)
        if not gradients.shape[1] or not hessians.shape[1]:
            raise invalid("gradients and hessians must have a column")
        values = np.concatenate([gradients[:, :1], hessians[:, :1]], axis=1)
        found = np.zeros((len(features), splits, buckets, 2), np.float32)
        for place, feature in enumerate(features):
            vector(feature, "Each bucketized feature must be", place)
            match_examples(nodes, {"bucketized_features_list": feature})
            check_ids(feature, buckets, "bucketized_features_list")
            found[place] = summed(nodes, feature, values, splits, buckets)
        return found

    return run


@kernel("BoostedTreesAggregateStats", device="CPU")
def aggregate(node: KernelNode, xp: Any) -> Callable[..., Any]:
    splits, buckets = node.attr("max_splits"), node.attr("num_buckets")

    def run(node_ids: Any, gradients: Any, hessians: Any, feature: Any) -> Any:
        nodes, gradients, hessians = _checked(node_ids, gradients, hessians, splits)
        matrix(feature, "feature must be")
        match_examples(nodes, {"feature": feature})
        # The last bucket is that of examples without a value.
        ids = np.where(feature == -1, buckets, feature)
        check_ids(ids, buckets + 1, "feature")
        values = np.concatenate([gradients, hessians], axis=1)
        dimensions = ids.shape[1]
        shape = (splits, dimensions, buckets + 1, values.shape[1])
        found = np.zeros(shape, np.float32)
        for dimension in range(dimensions):
            found[:, dimension] = summed(nodes, ids[:, dimension], values, splits, buckets + 1)
        return found

    return run


@kernel("BoostedTreesSparseAggregateStats", device="CPU")
def aggregate_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    splits, buckets = node.attr("max_splits"), node.attr("num_buckets")

    def run(
        node_ids: Any, gradients: Any, hessians: Any, indices: Any, values: Any, shape: Any
    ) -> Any:
        nodes, gradients, hessians = _checked(node_ids, gradients, hessians, splits)
        dimensions = _check_sparse(indices, values, shape, len(nodes))
        check_ids(values, buckets + 1, "feature_values")
        statistics = np.concatenate([gradients, hessians], axis=1)
        keys, sums = summed_sparse(nodes, statistics, indices, values, dimensions, buckets)
        columns = sums.shape[1]
        found = np.empty((len(keys), columns, 4), np.int32)
        found[:, :, :3] = keys[:, None]
        found[:, :, 3] = np.arange(columns)
        dims = np.array([splits, dimensions, buckets + 1, columns], np.int32)
        return found.reshape(-1, 4), sums.ravel(), dims

    return run


def _checked(node_ids: Any, gradients: Any, hessians: Any, splits: int) -> tuple[Any, Any, Any]:
    """The nodes of examples, and the two matrices with a row for each."""
    vector(node_ids, "node_ids must be")
    matrix(gradients, "gradients must be")
    matrix(hessians, "hessians must be")
    match_examples(node_ids, {"gradients": gradients, "hessians": hessians})
    check_ids(node_ids, splits, "node_ids")
    return node_ids, gradients, hessians


def _check_sparse(indices: Any, values: Any, shape: Any, examples: int) -> int:
    """Checks a sparse matrix of examples; gives its number of columns."""
    matrix(indices, "feature_indices must be")
    vector(values, "feature_values must be")
    if indices.shape[1] != 2:
        raise invalid(
            "feature_indices must be a matrix of shape [?, 2], received shape "
            f"{shape_text(indices.shape)}"
        )
    if np.shape(shape) != (2,):
        raise invalid(
            f"Input shapes should be a vector but received shapes {shape_text(np.shape(shape))}"
        )
    if len(values) != len(indices):
        raise invalid(
            "Number of elements in feature_values must match number of sparse entries in "
            f"feature_indices. Got {len(values)} and {len(indices)}"
        )
    dimensions = int(shape[1])
    rows, columns = indices[:, 0].astype(np.int64), indices[:, 1].astype(np.int64)
    wrong = np.flatnonzero((rows < 0) | (rows >= examples))
    if wrong.size:
        raise invalid(
            f"feature_indices({wrong[0]}, 0) is not a valid index in the node_ids vector (must be "
            f"less than {examples}, got {rows[wrong[0]]})"
        )
    wrong = np.flatnonzero((columns < 0) | (columns >= dimensions))
    if wrong.size:
        raise invalid(
            f"Got invalid feature index feature_indices({wrong[0]}, 1) = {columns[wrong[0]]} "
            f"which is not below {dimensions}, from feature_shape"
        )
    places = rows * dimensions + columns
    wrong = np.flatnonzero(places[1:] <= places[:-1])
    if wrong.size:
        raise invalid(
            "feature_indices should be increasing but got feature_indices"
            f"({wrong[0] + 1}) = {indices[wrong[0] + 1].tolist()} behind "
            f"{indices[wrong[0]].tolist()}"
        )
    return max(dimensions, 0)

"""Kernels that find the best split of each node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import AbortedError
from dataflow.kernels.boosted_trees import splits
from dataflow.kernels.boosted_trees.gains import check_statistics
from dataflow.kernels.boosted_trees.sparse_splits import best_of_sparse
from dataflow.kernels.boosted_trees.splits import Best, Regularization
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.boosted_trees.arguments import (
    matrix,
    node_range,
    regularization,
    vector,
)

_INEQUALITY, _EQUALITY = b"inequality", b"equality"


@kernel("BoostedTreesCalculateBestGainsPerFeature", device="CPU")
def best_gains(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = node.attr("num_features")

    def run(node_ids: Any, *inputs: Any) -> Any:
        summaries, limits = inputs[:count], regularization(*inputs[count:])
        for place, summary in enumerate(summaries):
            shape = np.shape(summary)
            if len(shape) != 3 or shape[2] != 2:
                raise invalid(
                    f"stats_summary_list[{place}] must have exactly 3 dimensions, the last one of "
                    f"size 2, obtained: {shape_text(shape)}"
                )
            if shape != np.shape(summaries[0]):
                raise invalid(
                    "All stats summaries must have the same shape, got "
                    f"{shape_text(np.shape(summaries[0]))} and {shape_text(shape)}"
                )
        nodes = node_range(node_ids, len(summaries[0]))
        each = [_best_gains(summary, nodes, limits) for summary in summaries]
        return tuple(column for columns in zip(*each, strict=True) for column in columns)

    return run


def _best_gains(summary: Any, nodes: range, limits: Regularization) -> tuple[Any, ...]:
    """Ids, gains, thresholds and contributions of nodes that weigh enough."""
    sums = np.asarray(summary[nodes.start : nodes.stop])
    ids = np.arange(nodes.start, nodes.stop)
    if not sums.shape[1]:
        raise invalid("A stats summary must have a bucket")
    running = np.cumsum(sums, axis=1, dtype=np.float32)
    heavy = ~(running[:, -1, 1] < limits.min_node_weight)
    running, ids = running[heavy], ids[heavy]
    whole = running[:, -1:]
    gains, left, right = splits.gains_of(running, whole - running, 1, limits)
    places, found = splits.first_of_largest(gains)
    each = np.arange(len(places))
    before = splits.gains_of_nodes(whole[:, 0], 1, limits)
    with np.errstate(all="ignore"):
        best = np.where(found, gains[each, places], splits.LEAST_GAIN) - before
        best = best - limits.tree_complexity
    zero = np.float32(0)
    return (
        ids.astype(np.int32),
        best.astype(np.float32),
        np.where(found, places, 0).astype(np.int32),
        np.where(found[:, None], left[each, places], zero),
        np.where(found[:, None], right[each, places], zero),
    )


@kernel("BoostedTreesCalculateBestFeatureSplit", device="CPU")
def best_split(node: KernelNode, xp: Any) -> Callable[..., Any]:
    logits, kind = node.attr("logits_dimension"), node.attr("split_type")

    def run(node_ids: Any, summary: Any, *limits: Any) -> Any:
        _check_summary(summary, logits)
        found = regularization(*limits)
        nodes = node_range(node_ids, len(summary))
        ids, _, best, gains = _best(nodes, [summary], [kind], logits, found)
        return (
            ids,
            gains,
            best.dimensions.astype(np.int32),
            best.buckets.astype(np.int32),
            best.left,
            best.right,
            best.kinds,
        )

    return run


@kernel("BoostedTreesCalculateBestFeatureSplitV2", device="CPU")
def best_split_of_features(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count, logits = node.attr("num_features"), node.attr("logits_dimension")

    def run(node_ids: Any, *inputs: Any) -> Any:
        summaries, (kinds, features, *limits) = inputs[:count], inputs[count:]
        for summary in summaries:
            _check_summary(summary, logits)
            if np.shape(summary) != np.shape(summaries[0]):
                raise invalid(
                    "All stats summaries must have the same shape, got "
                    f"{shape_text(np.shape(summaries[0]))} and {shape_text(np.shape(summary))}"
                )
        named = np.asarray(vector(kinds, "split_types must be"), object).tolist()
        vector(features, "candidate_feature_ids must be")
        for name, given in (("split_types", named), ("candidate_feature_ids", features)):
            if len(given) != count:
                raise invalid(f"{name} must have {count} elements, got {len(given)}")
        if any(kind not in (_INEQUALITY, _EQUALITY) for kind in named):
            raise AbortedError(None, None, "Operation received an exception: Incorrect split type")
        found = regularization(*limits)
        nodes = node_range(node_ids, len(summaries[0]))
        ids, places, best, gains = _best(nodes, summaries, named, logits, found)
        return (
            ids,
            gains,
            np.asarray(features)[places].astype(np.int32),
            best.dimensions.astype(np.int32),
            best.buckets.astype(np.int32),
            best.left,
            best.right,
            best.kinds,
        )

    return run


def _check_summary(summary: Any, logits: int) -> None:
    if np.ndim(summary) != 4:
        raise invalid("stats_summary argument must have rank 4")
    check_statistics(logits, np.shape(summary)[3])
    if not np.shape(summary)[1] or not np.shape(summary)[2]:
        raise invalid(
            "A stats summary must have a dimension and a bucket, got shape "
            f"{shape_text(np.shape(summary))}"
        )


def _best(
    nodes: range, summaries: Any, kinds: Any, logits: int, limits: Regularization
) -> tuple[Any, Any, Best, Any]:
    """The ids of nodes that can be split, the places of their features, and the splits."""
    part = slice(nodes.start, nodes.stop)
    ids = np.arange(nodes.start, nodes.stop)
    whole = splits.whole_of(np.asarray(summaries[0][part]))
    with np.errstate(all="ignore"):
        weight = np.sqrt(np.square(whole[:, logits:]).sum(axis=1, dtype=np.float32))
        heavy = ~(weight < limits.min_node_weight)
    whole, ids = whole[heavy], ids[heavy]
    places = np.zeros(len(ids), np.intp)
    best: Best | None = None
    for place, (summary, kind) in enumerate(zip(summaries, kinds, strict=True)):
        sums = np.asarray(summary[part])[heavy]
        if kind == _EQUALITY:
            ways = splits.by_value(sums, whole, logits, limits)
        else:
            ways = splits.by_threshold(sums, logits, limits)
        if not ways.gains.shape[1]:
            raise invalid("A stats summary must have a bucket beside that of missing values")
        if best is None:
            best = ways.best()
        else:
            best, taken = best.or_better(ways.best())
            places[taken] = place
    assert best is not None
    with np.errstate(all="ignore"):
        gains = best.gains - splits.gains_of_nodes(whole, logits, limits)
        gains = (gains - limits.tree_complexity).astype(np.float32)
    kept = best.found
    return ids[kept].astype(np.int32), places[kept], best.of(kept), gains[kept]


@kernel("BoostedTreesSparseCalculateBestFeatureSplit", device="CPU")
def best_sparse_split(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(node_ids: Any, indices: Any, values: Any, shape: Any, *limits: Any) -> Any:
        matrix(indices, "stats_summary_indices must be")
        vector(values, "stats_summary_values must be")
        vector(shape, "stats_summary_shape must be")
        if len(shape) != 4 or indices.shape[1] != 4 or len(values) != len(indices):
            raise invalid(
                "A stats summary must have 4 dimensions and a row of indices for each value, got "
                f"shape {shape_text(np.shape(shape))}, indices {shape_text(indices.shape)} and "
                f"values {shape_text(np.shape(values))}"
            )
        found = regularization(*limits)
        # TensorFlow takes all nodes of the summary, whatever their ids are.
        node_range(node_ids)
        return best_of_sparse(indices, values, shape, found)

    return run

"""Kernels by which an ensemble grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dataflow.kernels.boosted_trees import growing
from dataflow.kernels.boosted_trees.ensemble import EnsembleResource
from dataflow.kernels.boosted_trees.growing import Split
from dataflow.kernels.boosted_trees.splits import DEFAULT_LEFT
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.boosted_trees.arguments import matrix, scalar, vector


@kernel("BoostedTreesUpdateEnsemble", device="CPU", handle=EnsembleResource)
def update(node: KernelNode, xp: Any) -> Callable[..., None]:
    features, pruning = node.attr("num_features"), node.attr("pruning_mode")

    def run(resource: EnsembleResource, feature_ids: Any, *inputs: Any) -> None:
        vector(feature_ids, "feature_ids must be")
        if len(feature_ids) != features:
            raise invalid(f"feature_ids must have {features} elements, got {len(feature_ids)}")
        *columns, max_depth, rate = inputs
        depth, rate = int(scalar(max_depth, "max_depth")), scalar(rate, "learning_rate")
        found: list[Split] = []
        for place in range(features):
            nodes, gains, buckets, left, right = columns[place::features]
            table = _Table(nodes, gains, buckets, left, right, place, 1)
            dimensions, kinds = [0] * len(nodes), [DEFAULT_LEFT] * len(nodes)
            found += table.splits([feature_ids[place]] * len(nodes), dimensions, kinds, rate)
        best = growing.best_of(found)
        with resource.change() as ensemble:
            ensemble.stamp += 1
            growing.grow(ensemble, best, depth, pruning, 1)

    return run


@kernel("BoostedTreesUpdateEnsembleV2", device="CPU", handle=EnsembleResource)
def update_v2(node: KernelNode, xp: Any) -> Callable[..., None]:
    features, groups = node.attr("num_features"), node.attr("num_groups")
    logits = node.attr("logits_dimension")
    if logits < 1:
        raise invalid(f"logits_dimension must be at least 1, got {logits}")

    def run(resource: EnsembleResource, *inputs: Any) -> None:
        feature_ids, (*columns, max_depth, rate, mode) = inputs[:groups], inputs[groups:]
        depth, rate = int(scalar(max_depth, "max_depth")), scalar(rate, "learning_rate")
        pruning = int(scalar(mode, "pruning_mode"))
        found: list[Split] = []
        node_ids = columns[features : 2 * features]
        counts = [len(vector(ids, _NODE_ID, place)) for place, ids in enumerate(node_ids)]
        for place, ids in enumerate(_ids_of_candidates(feature_ids, counts)):
            dimensions, nodes, gains, buckets, left, right, kinds = columns[place::features]
            table = _Table(nodes, gains, buckets, left, right, place, logits)
            vector(dimensions, "Each dimension_id in dimension_ids_list must be", place)
            vector(kinds, "Each split_type in split_types_list must be", place)
            named = np.asarray(kinds, object).tolist()
            for kind in named:
                growing.check_kind(kind)
            found += table.splits(ids, np.asarray(dimensions).tolist(), named, rate)
        best = growing.best_of(found)
        with resource.change() as ensemble:
            ensemble.stamp += 1
            growing.grow(ensemble, best, depth, pruning, logits)

    return run


_NODE_ID = "Each node_id in node_ids_list must be"


def _ids_of_candidates(feature_ids: Any, counts: list[int]) -> Iterator[list[int]]:
    """For each group, the feature of each candidate.

    Args:
      feature_ids: A vector for each group; or one that has an id for each of the groups, as
        programs of TensorFlow 1 have it.
      counts: How many candidates each group has.
    """
    for place, ids in enumerate(feature_ids):
        vector(ids, "Each feature_id in feature_ids_lists must be", place)
    if len(feature_ids) > len(counts):
        raise invalid(f"There are {len(feature_ids)} feature_ids, and {len(counts)} node_ids")
    if len(feature_ids) == 1 and len(feature_ids[0]) == len(counts) and counts != [1]:
        for feature, count in zip(feature_ids[0], counts, strict=True):
            yield [int(feature)] * count
        return
    for ids in feature_ids:
        yield np.asarray(ids).tolist()


class _Table:
    """The candidates of a feature: columns with an element for each."""

    def __init__(
        self, nodes: Any, gains: Any, buckets: Any, left: Any, right: Any, place: int, logits: int
    ) -> None:
        """Takes the columns.

        Raises:
          InvalidArgumentError: A column is of another rank or size.
        """
        vector(nodes, _NODE_ID, place)
        vector(gains, "Each gain in gains_list must be", place)
        vector(buckets, "Each threshold in thresholds_list must be", place)
        matrix(left, "Each left_node_contribs in left_node_contribs_list must be", place)
        matrix(right, "Each right_node_contribs in right_node_contribs_list must be", place)
        for name, column in (("gains", gains), ("thresholds", buckets)):
            self._check(name, column, (len(nodes),), place)
        for name, column in (("left_node_contribs", left), ("right_node_contribs", right)):
            self._check(name, column, (len(nodes), logits), place)
        self._columns = nodes, gains, buckets, left, right

    def _check(self, name: str, column: Any, shape: tuple[int, ...], place: int) -> None:
        if np.shape(column) != shape:
            raise invalid(
                f"{name} must have shape {shape_text(shape)}, as node_ids tell, received shape "
                f"{shape_text(np.shape(column))} at index {place}"
            )

    def splits(self, features: Any, dimensions: Any, kinds: Any, rate: Any) -> list[Split]:
        """The candidates, whose contributions are multiplied by the learning rate."""
        nodes, gains, buckets, left, right = self._columns
        for name, column in (
            ("feature_ids", features),
            ("dimension_ids", dimensions),
            ("split_types", kinds),
        ):
            if len(column) != len(nodes):
                raise invalid(f"{name} must have {len(nodes)} elements, got {len(column)}")
        with np.errstate(all="ignore"):
            left, right = rate * left, rate * right
        columns = (nodes.tolist(), gains.tolist(), features, dimensions, buckets.tolist(), kinds)
        return [Split(*row) for row in zip(*columns, left, right, strict=True)]


@kernel("BoostedTreesCenterBias", device="CPU", handle=EnsembleResource)
def center_bias(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: EnsembleResource, gradients: Any, hessians: Any, l1: Any, l2: Any) -> Any:
        matrix(gradients, "mean_gradients must be")
        matrix(hessians, "mean_hessians must be")
        l1, l2 = scalar(l1, "l1"), scalar(l2, "l2")
        if not gradients.size or not hessians.size:
            raise invalid("mean_gradients and mean_hessians must have an element")
        with resource.change() as ensemble:
            ensemble.stamp += 1
            return np.bool_(growing.center(ensemble, gradients[0, 0], hessians[0, 0], l1, l2))

    return run

"""What all handlers of features share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.boosted_trees.scheduled_ops import ScheduledOp, run_handler_scheduled_ops
from dataflow.ops.array.select import where
from dataflow.ops.array.unique import unique
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.reductions.segment import unsorted_segment_sum
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


class BaseSplitHandler(ABC):
    """Accumulates statistics of a feature over steps, and makes splits of nodes of them."""

    def __init__(
        self,
        l1_regularization: Any,
        l2_regularization: Any,
        tree_complexity_regularization: Any,
        min_node_weight: Any,
        feature_column_group_id: Any,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: Any,
        loss_uses_sum_reduction: Any = False,
        name: str | None = None,
    ) -> None:
        """Takes what all handlers need.

        Args:
          l1_regularization: How much the weights of leaves are held down, a scalar.
          l2_regularization: How much their squares are.
          tree_complexity_regularization: What a split must gain at least.
          min_node_weight: The least sum of hessians of a node.
          feature_column_group_id: The feature's place among those of its kind, int32.
          gradient_shape: The shape of an example's gradient.
          hessian_shape: That of its hessian.
          multiclass_strategy: One of `LearnerConfig.MultiClassStrategy`, int32.
          loss_uses_sum_reduction: Whether the loss is a sum, and no mean.
          name: Its name.
        """
        self._l1_regularization = l1_regularization
        self._l2_regularization = l2_regularization
        self._tree_complexity_regularization = tree_complexity_regularization
        self._min_node_weight = min_node_weight
        self._feature_column_group_id = feature_column_group_id
        self._gradient_shape = gradient_shape
        self._hessian_shape = hessian_shape
        self._multiclass_strategy = multiclass_strategy
        self._loss_uses_sum_reduction = loss_uses_sum_reduction
        self._name = name or ""

    def scheduled_reads(self) -> list[ScheduledOp]:
        """What `update_stats` has to read first."""
        return []

    @abstractmethod
    def update_stats(
        self,
        stamp_token: Any,
        example_partition_ids: Any,
        gradients: Any,
        hessians: Any,
        empty_gradients: Any,
        empty_hessians: Any,
        weights: Any,
        is_active: Any,
        scheduled_reads: Sequence[Any],
    ) -> tuple[Any, list[ScheduledOp]]:
        """Adds a batch.

        Args:
          stamp_token: The stamp of the ensemble.
          example_partition_ids: The node of each example, int32.
          gradients: Those of examples.
          hessians: Those of examples.
          empty_gradients: No gradients, of the same shape but for the first dimension.
          empty_hessians: No hessians.
          weights: Of examples, for quantiles.
          is_active: Whether the feature counts in this layer, and in the next one: two booleans.
          scheduled_reads: What was read.

        Returns:
          An operation, and ops that are planned.
        """

    def update_stats_sync(
        self,
        stamp_token: Any,
        example_partition_ids: Any,
        gradients: Any,
        hessians: Any,
        empty_gradients: Any,
        empty_hessians: Any,
        weights: Any,
        is_active: Any,
    ) -> Any:
        """An operation that reads, and adds a batch; see `update_stats`."""
        read = run_handler_scheduled_ops({self: self.scheduled_reads()}, stamp_token, None)
        update, planned = self.update_stats(
            stamp_token,
            example_partition_ids,
            gradients,
            hessians,
            empty_gradients,
            empty_hessians,
            weights,
            is_active,
            read[self],
        )
        made = run_handler_scheduled_ops({self: planned}, stamp_token, None)
        return group(update, *made[self])

    @abstractmethod
    def reset(self, stamp_token: Any, next_stamp_token: Any) -> Any:
        """Forgets what was added."""

    @abstractmethod
    def make_splits(
        self, stamp_token: Any, next_stamp_token: Any, class_id: Any
    ) -> tuple[Any, Any, Any, Any]:
        """The best split of each node; forgets what was added.

        Args:
          stamp_token: The stamp of the ensemble.
          next_stamp_token: The one that it gets.
          class_id: The class of which the tree is; -1 if it is of all.

        Returns:
          Whether there are splits, nodes, gains, and SplitInfo messages as bytes.
        """

    def _minibatches(self, count: Any) -> Any:
        """By what sums are divided: the number of batches, where the loss is a mean."""
        one = constant(1, dtypes.int64)
        return where(cast(self._loss_uses_sum_reduction, dtypes.bool), one, count)

    def _limits(self) -> dict[str, Any]:
        """What kernels that find splits are told."""
        return {
            "feature_column_group_id": self._feature_column_group_id,
            "l1_regularization": self._l1_regularization,
            "l2_regularization": self._l2_regularization,
            "tree_complexity_regularization": self._tree_complexity_regularization,
            "min_node_weight": self._min_node_weight,
            "multiclass_strategy": self._multiclass_strategy,
        }


def sums_of_nodes(nodes: Any, gradients: Any, hessians: Any) -> tuple[Any, Any, Any]:
    """Each node once, and the sums of its examples' gradients and hessians, added in float64."""
    names, places = unique(nodes)
    count = array_shape.size(names)
    sums = [
        cast(unsorted_segment_sum(cast(values, dtypes.float64), places, count), dtypes.float32)
        for values in (gradients, hessians)
    ]
    return names, sums[0], sums[1]


def first_rows(tensor: Any, is_wanted: Any) -> Any:
    """All rows of a tensor, or none: without a branch, of which graphs with many features would
    have thousands."""
    wanted = array_shape.shape(tensor)[0] * cast(is_wanted, dtypes.int32)
    return tensor[:wanted]

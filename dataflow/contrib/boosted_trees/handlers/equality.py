"""The handler of a feature of categories, of which an example may have several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.boosted_trees import calls
from dataflow.contrib.boosted_trees.handlers.base import (
    BaseSplitHandler,
    first_rows,
    sums_of_nodes,
)
from dataflow.contrib.boosted_trees.scheduled_ops import ScheduledOp
from dataflow.contrib.boosted_trees.stats_accumulator import StatsAccumulator
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import fill, zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import no_op
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_ALL: Final = -(1 << 63)
"""The category of a node's first row, which stands for all of its examples."""


class EqualitySplitHandler(BaseSplitHandler):
    """Splits nodes into examples that have a category, and others."""

    def __init__(
        self,
        sparse_int_column: Any,
        l1_regularization: Any,
        l2_regularization: Any,
        tree_complexity_regularization: Any,
        min_node_weight: Any,
        feature_column_group_id: Any,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: Any,
        init_stamp_token: Any = 0,
        loss_uses_sum_reduction: Any = False,
        weak_learner_type: Any = LearnerConfig.NORMAL_DECISION_TREE,
        name: str | None = None,
    ) -> None:
        """Makes a handler; see `BaseSplitHandler`.

        Args:
          sparse_int_column: The categories, a sparse tensor of int64.
          l1_regularization: See there.
          l2_regularization: See there.
          tree_complexity_regularization: See there.
          min_node_weight: See there.
          feature_column_group_id: See there.
          gradient_shape: See there.
          hessian_shape: See there.
          multiclass_strategy: See there.
          init_stamp_token: The stamp that its accumulator begins with.
          loss_uses_sum_reduction: See there.
          weak_learner_type: One of `LearnerConfig.WeakLearnerType`.
          name: See there.
        """
        super().__init__(
            l1_regularization,
            l2_regularization,
            tree_complexity_regularization,
            min_node_weight,
            feature_column_group_id,
            gradient_shape,
            hessian_shape,
            multiclass_strategy,
            loss_uses_sum_reduction,
            name,
        )
        self._stats_accumulator = StatsAccumulator(
            init_stamp_token, gradient_shape, hessian_shape, name=f"StatsAccumulator/{self._name}"
        )
        self._sparse_int_column = sparse_int_column
        self._weak_learner_type = weak_learner_type

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
        """See `BaseSplitHandler`."""
        counts = is_active[0]
        rows = first_rows(self._sparse_int_column.indices, counts)[:, 0]
        categories = first_rows(self._sparse_int_column.values, counts)
        # The sums of a node count each example once, however many categories it has.
        nodes, node_gradients, node_hessians = sums_of_nodes(
            *(first_rows(part, counts) for part in (example_partition_ids, gradients, hessians))
        )
        whole = fill(array_shape.shape(nodes), constant(_ALL, dtypes.int64))
        ids = concat([whole, categories], 0)
        planned = self._stats_accumulator.schedule_add(
            concat([nodes, gather(example_partition_ids, rows)], 0),
            stack([ids, zeros_like(ids)], axis=1),
            concat([node_gradients, gather(gradients, rows)], 0),
            concat([node_hessians, gather(hessians, rows)], 0),
        )
        return no_op(), [planned]

    def make_splits(
        self, stamp_token: Any, next_stamp_token: Any, class_id: Any
    ) -> tuple[Any, Any, Any, Any]:
        """See `BaseSplitHandler`; there are always splits."""
        count, nodes, ids, gradients, hessians = self._stats_accumulator.flush(
            stamp_token, next_stamp_token
        )
        found = calls.build_categorical_equality_splits(
            num_minibatches=self._minibatches(count),
            partition_ids=nodes,
            feature_ids=ids,
            gradients=gradients,
            hessians=hessians,
            class_id=class_id,
            bias_feature_id=constant(_ALL, dtypes.int64),
            weak_learner_type=self._weak_learner_type,
            **self._limits(),
        )
        return constant(True), *found

    def reset(self, stamp_token: Any, next_stamp_token: Any) -> Any:
        """See `BaseSplitHandler`."""
        return self._stats_accumulator.flush(stamp_token, next_stamp_token)

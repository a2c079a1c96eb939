"""The handlers of features of numbers: those that all examples have, and others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.boosted_trees import calls
from dataflow.contrib.boosted_trees.handlers.base import (
    BaseSplitHandler,
    first_rows,
    sums_of_nodes,
)
from dataflow.contrib.boosted_trees.quantile_accumulator import NO_WORDS, QuantileAccumulator
from dataflow.contrib.boosted_trees.scheduled_ops import ScheduledOp
from dataflow.contrib.boosted_trees.stats_accumulator import StatsAccumulator
from dataflow.graph import scopes
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import fill, zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.math.compare import logical_and
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_ALL: Final = -1
"""The bucket of a node's first row, which stands for all of its examples."""


class InequalitySplitHandler(BaseSplitHandler):
    """Splits nodes between two buckets of numbers."""

    def __init__(
        self,
        l1_regularization: Any,
        l2_regularization: Any,
        tree_complexity_regularization: Any,
        min_node_weight: Any,
        feature_column_group_id: Any,
        epsilon: float,
        num_quantiles: int,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: Any,
        init_stamp_token: Any = 0,
        loss_uses_sum_reduction: Any = False,
        name: str | None = None,
    ) -> None:
        """Makes a handler; see `BaseSplitHandler`.

        Args:
          l1_regularization: See there.
          l2_regularization: See there.
          tree_complexity_regularization: See there.
          min_node_weight: See there.
          feature_column_group_id: See there.
          epsilon: By which part of all weight quantiles may be off.
          num_quantiles: How many buckets there are.
          gradient_shape: See there.
          hessian_shape: See there.
          multiclass_strategy: See there.
          init_stamp_token: The stamp that its accumulators begin with.
          loss_uses_sum_reduction: See there.
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
        with scopes.colocate_with(self._stats_accumulator.resource_handle):
            self._quantile_accumulator = QuantileAccumulator(
                init_stamp_token,
                epsilon=epsilon,
                num_quantiles=num_quantiles,
                name=f"QuantileAccumulator/{self._name}",
            )

    def scheduled_reads(self) -> list[ScheduledOp]:
        """The boundaries of buckets."""
        return [self._quantile_accumulator.schedule_get_buckets()]

    def reset(self, stamp_token: Any, next_stamp_token: Any) -> Any:
        """See `BaseSplitHandler`."""
        sums = self._stats_accumulator.flush(stamp_token, next_stamp_token)
        return group(*sums, self._quantile_accumulator.flush(stamp_token, next_stamp_token))

    def make_splits(
        self, stamp_token: Any, next_stamp_token: Any, class_id: Any
    ) -> tuple[Any, Any, Any, Any]:
        """See `BaseSplitHandler`; there are splits once there are boundaries of buckets."""
        are_ready, buckets = self._quantile_accumulator.get_buckets(stamp_token)
        # The boundaries are those of the layer before: new ones are made only then.
        with scopes.control_dependencies([buckets]):
            flushed = self._quantile_accumulator.flush(stamp_token, next_stamp_token)
        count, nodes, ids, gradients, hessians = self._stats_accumulator.flush(
            stamp_token, next_stamp_token
        )
        with scopes.control_dependencies([flushed, nodes]):
            are_ready = identity(are_ready)
        found = self._found(
            num_minibatches=self._minibatches(count),
            bucket_boundaries=buckets,
            partition_ids=nodes,
            bucket_ids=ids,
            gradients=gradients,
            hessians=hessians,
            class_id=class_id,
            **self._limits(),
        )
        return are_ready, *found

    @abstractmethod
    def _found(self, **inputs: Any) -> Any:
        """Nodes, gains and splits."""


def _next_rows(tensors: Sequence[Any], is_active: Any) -> list[Any]:
    """What quantiles of the next layer are made of: all, unless the feature is left out there."""
    known = constant_value(convert_to_tensor(is_active))
    if known is not None and known[1]:
        return list(tensors)
    return [first_rows(tensor, is_active[1]) for tensor in tensors]


def _has_buckets(are_ready: Any, buckets: Any) -> Any:
    return logical_and(are_ready, array_shape.size(buckets) > 0)


class DenseSplitHandler(InequalitySplitHandler):
    """Handles a number that each example has."""

    def __init__(
        self,
        dense_float_column: Any,
        l1_regularization: Any,
        l2_regularization: Any,
        tree_complexity_regularization: Any,
        min_node_weight: Any,
        feature_column_group_id: Any,
        epsilon: float,
        num_quantiles: int,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: Any,
        init_stamp_token: Any = 0,
        loss_uses_sum_reduction: Any = False,
        weak_learner_type: Any = LearnerConfig.NORMAL_DECISION_TREE,
        name: str | None = None,
    ) -> None:
        """Makes a handler; see `InequalitySplitHandler`.

        Args:
          dense_float_column: The numbers, floats [batch_size, 1].
          l1_regularization: See there.
          l2_regularization: See there.
          tree_complexity_regularization: See there.
          min_node_weight: See there.
          feature_column_group_id: See there.
          epsilon: See there.
          num_quantiles: See there.
          gradient_shape: See there.
          hessian_shape: See there.
          multiclass_strategy: See there.
          init_stamp_token: See there.
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
            epsilon,
            num_quantiles,
            gradient_shape,
            hessian_shape,
            multiclass_strategy,
            init_stamp_token,
            loss_uses_sum_reduction,
            name,
        )
        self._dense_float_column = convert_to_tensor(dense_float_column)
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
        with scopes.name_scope(NO_WORDS.sub("", self._name), "DenseSplitHandler"):
            are_ready, buckets = scheduled_reads[0]
            column = array_shape.reshape(self._dense_float_column, [-1, 1])
            values, value_weights = _next_rows(
                [column, array_shape.reshape(weights, [-1, 1])], is_active
            )
            counts = logical_and(_has_buckets(are_ready, buckets), is_active[0])
            quantized = calls.quantiles([first_rows(column, counts)], [], [buckets], [], [])
            planned = self._quantile_accumulator.schedule_add_summary(
                stamp_token, values, value_weights
            )
            return no_op(), [
                planned,
                self._stats_accumulator.schedule_add(
                    first_rows(example_partition_ids, counts),
                    cast(quantized.dense_quantiles[0], dtypes.int64),
                    first_rows(gradients, counts),
                    first_rows(hessians, counts),
                ),
            ]

    def _found(self, **inputs: Any) -> Any:
        return calls.build_dense_inequality_splits(
            weak_learner_type=self._weak_learner_type, **inputs
        )


class SparseSplitHandler(InequalitySplitHandler):
    """Handles numbers that examples may lack."""

    def __init__(
        self,
        sparse_float_column: Any,
        l1_regularization: Any,
        l2_regularization: Any,
        tree_complexity_regularization: Any,
        min_node_weight: Any,
        feature_column_group_id: Any,
        epsilon: float,
        num_quantiles: int,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: Any,
        init_stamp_token: Any = 0,
        loss_uses_sum_reduction: Any = False,
        name: str | None = None,
    ) -> None:
        """Makes a handler; see `InequalitySplitHandler`.

        Args:
          sparse_float_column: The numbers, a sparse tensor of floats with two dimensions.
          l1_regularization: See there.
          l2_regularization: See there.
          tree_complexity_regularization: See there.
          min_node_weight: See there.
          feature_column_group_id: See there.
          epsilon: See there.
          num_quantiles: See there.
          gradient_shape: See there.
          hessian_shape: See there.
          multiclass_strategy: See there.
          init_stamp_token: See there.
          loss_uses_sum_reduction: See there.
          name: See there.
        """
        super().__init__(
            l1_regularization,
            l2_regularization,
            tree_complexity_regularization,
            min_node_weight,
            feature_column_group_id,
            epsilon,
            num_quantiles,
            gradient_shape,
            hessian_shape,
            multiclass_strategy,
            init_stamp_token,
            loss_uses_sum_reduction,
            name,
        )
        self._sparse_float_column = sparse_float_column

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
        with scopes.name_scope(NO_WORDS.sub("", self._name), "SparseSplitHandler"):
            are_ready, buckets = scheduled_reads[0]
            column = self._sparse_float_column
            weights = array_shape.reshape(weights, [-1, 1])
            indices, values, weights = _next_rows(
                [column.indices, column.values, weights], is_active
            )
            shape = stack(
                [array_shape.shape(weights, out_type=dtypes.int64)[0], column.dense_shape[1]]
            )
            summary = self._quantile_accumulator.schedule_add_summary(
                stamp_token, SparseTensor(indices, values, shape), weights
            )
            # As in TensorFlow it counts in this layer, whatever `is_active` says of that.
            rows = self._rows(
                _has_buckets(are_ready, buckets),
                buckets,
                example_partition_ids,
                gradients,
                hessians,
            )
            return no_op(), [summary, self._stats_accumulator.schedule_add(*rows)]

    def _rows(
        self, counts: Any, buckets: Any, nodes: Any, gradients: Any, hessians: Any
    ) -> tuple[Any, Any, Any, Any]:
        """What is added: for each node all of its examples, and then those that have a number."""
        indices = first_rows(self._sparse_float_column.indices, counts)
        values = first_rows(self._sparse_float_column.values, counts)
        quantized = calls.quantiles([], [values], [], [buckets], [indices])
        names, node_gradients, node_hessians = sums_of_nodes(
            *(first_rows(part, counts) for part in (nodes, gradients, hessians))
        )
        whole = fill(array_shape.shape(names), constant(_ALL, dtypes.int64))
        whole = stack([whole, zeros_like(whole)], axis=1)
        examples = indices[:, 0]
        return (
            concat([names, gather(nodes, examples)], 0),
            concat([whole, cast(quantized.sparse_quantiles[0], dtypes.int64)], 0),
            concat([node_gradients, gather(gradients, examples)], 0),
            concat([node_hessians, gather(hessians, examples)], 0),
        )

    def _found(self, **inputs: Any) -> Any:
        return calls.build_sparse_inequality_splits(
            bias_feature_id=constant(_ALL, dtypes.int64), **inputs
        )

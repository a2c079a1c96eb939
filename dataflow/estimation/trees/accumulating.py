"""What grows an ensemble of trees by statistics of several batches, also of several workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.control_flow.cond_v2 import cond_v2
from dataflow.estimation.trees.growing import Grower
from dataflow.estimation.trees.options import TreeHParams
from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library.queues.accumulators import ConditionalAccumulator
from dataflow.ops.array.concat import stack, unstack
from dataflow.ops.array.shape import expand_dims
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.compare import greater_equal
from dataflow.ops.reductions.reduce import reduce_mean, reduce_min
from dataflow.values import dtypes


class AccumulatingGrower(Grower):
    """Adds a layer when each accumulator has got its batches; the chief does."""

    def __init__(
        self,
        tree_ensemble: Any,
        quantile_accumulator: Any,
        options: TreeHParams,
        groups: Sequence[Sequence[int]],
        stamp_token: Any,
        n_batches_per_layer: Any,
        bucket_sizes: Sequence[int],
        is_chief: bool,
    ) -> None:
        """Takes what grows, see `Grower`, and makes accumulators.

        Args:
          tree_ensemble: See there.
          quantile_accumulator: See there.
          options: See there.
          groups: See there.
          stamp_token: The ensemble's stamp: what was computed for another is dropped.
          n_batches_per_layer: How many batches make a layer.
          bucket_sizes: The groups' numbers of buckets.
          is_chief: Whether this worker changes the ensemble.
        """
        super().__init__(tree_ensemble, quantile_accumulator, options, groups)
        self._stamp_token = stamp_token
        self._n_batches_per_layer = n_batches_per_layer
        self._is_chief = is_chief
        self._accumulators = []
        begun = []
        for number, (ids, buckets) in enumerate(zip(groups, bucket_sizes, strict=True)):
            accumulator = _accumulator(
                [len(ids), options.max_splits, buckets, 2],
                f"numeric_stats_summary_accumulator_{number}",
            )
            begun.append(accumulator.set_global_step(stamp_token))
            self._accumulators.append(accumulator)
        if options.center_bias:
            self._bias_accumulator = _accumulator([2, 1], "bias_accumulator")
            begun.append(self._bias_accumulator.set_global_step(stamp_token))
        self._begun = begun

    def chief_init_op(self) -> Operation:
        """See `Grower`: has the accumulators take what is computed for the ensemble's stamp."""
        return group(*self._begun)

    def accumulate_quantiles(
        self, float_features: Sequence[Tensor], weights: Any, are_boundaries_ready: Any
    ) -> Operation:
        """See `Grower`."""
        added = self._quantile_accumulator.add_summaries(float_features, weights)
        batches = _accumulator([], "quantile_summary_accum")
        begun = batches.set_global_step(self._stamp_token)
        counted = batches.apply_grad(constant(0.0), self._stamp_token)
        update = group(added, begun, counted)
        if not self._is_chief:
            return update

        def flush() -> Operation:
            taken = batches.take_grad(1)
            flushed = self._quantile_accumulator.flush()
            return group(flushed, taken, are_boundaries_ready.assign(True).op)

        with scopes.control_dependencies([update]):
            return self._when_enough(
                batches.num_accumulated(), flush, "wait_until_quaniles_accumulated"
            )

    def center_bias(self, center_bias_var: Any, gradients: Tensor, hessians: Tensor) -> Operation:
        """See `Grower`."""
        both = reduce_mean(stack([gradients, hessians], axis=0), axis=1)
        applied = self._bias_accumulator.apply_grad(both, self._stamp_token)

        def begin_to_grow() -> Operation:
            next_stamp = self._stamp_token + 1
            return group(*(each.set_global_step(next_stamp) for each in self._accumulators))

        def center() -> Operation:
            means = unstack(self._bias_accumulator.take_grad(1), axis=0)
            centered = self._center(center_bias_var, *(expand_dims(each, 0) for each in means))
            with scopes.control_dependencies([centered]):
                made: Operation = cond_v2(center_bias_var, no_op, begin_to_grow)
            return made

        with scopes.control_dependencies([applied]):
            if not self._is_chief:
                return no_op()
            return self._when_enough(
                self._bias_accumulator.num_accumulated(),
                center,
                "wait_until_n_batches_for_bias_accumulated",
            )

    def grow_tree(
        self, statistics: Sequence[Sequence[Tensor]], last_layer_nodes_range: Tensor
    ) -> Operation:
        """See `Grower`."""
        applied = [
            accumulator.apply_grad(stack(list(summaries), axis=0), self._stamp_token)
            for accumulator, summaries in zip(self._accumulators, statistics, strict=True)
        ]

        def grow() -> Operation:
            taken = [unstack(each.take_grad(1), axis=0) for each in self._accumulators]
            return self._grow(taken, last_layer_nodes_range)

        with scopes.control_dependencies(applied):
            if not self._is_chief:
                return no_op()
            least = reduce_min(stack([each.num_accumulated() for each in self._accumulators]))
            return self._when_enough(least, grow, "wait_until_n_batches_accumulated")

    def _when_enough(self, accumulated: Any, then: Callable[[], Operation], name: str) -> Operation:
        enough = greater_equal(accumulated, self._n_batches_per_layer)
        made: Operation = cond_v2(enough, then, no_op, name=name)
        return made


def _accumulator(shape: Any, shared_name: str) -> ConditionalAccumulator:
    return ConditionalAccumulator(dtypes.float32, shape, shared_name=shared_name)

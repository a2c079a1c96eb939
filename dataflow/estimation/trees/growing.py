"""What grows an ensemble of trees by statistics of gradients, when each batch is all the data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from dataflow.estimation.trees.options import TreeHParams
from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library.boosted_trees import calls
from dataflow.library.boosted_trees.pruning import PruningMode
from dataflow.ops.array.shape import expand_dims
from dataflow.ops.basic.identity import no_op
from dataflow.ops.reductions.reduce import reduce_mean


class Grower(ABC):
    """Makes the operations that grow trees and center the bias."""

    def __init__(
        self,
        tree_ensemble: Any,
        quantile_accumulator: Any,
        options: TreeHParams,
        groups: Sequence[Sequence[int]],
    ) -> None:
        """Takes what grows.

        Args:
          tree_ensemble: A TreeEnsemble.
          quantile_accumulator: A QuantileAccumulator, or None if no feature has quantiles.
          options: How it grows.
          groups: The ids of features, by their numbers of buckets.

        Raises:
          ValueError: The way of pruning is unknown, or the complexity does not fit it.
        """
        self._tree_ensemble = tree_ensemble
        self._quantile_accumulator = quantile_accumulator
        self._options = options
        self._groups = groups
        self._pruning_mode = PruningMode.from_str(options.pruning_mode)
        if options.tree_complexity > 0:
            if self._pruning_mode == PruningMode.NO_PRUNING:
                raise ValueError("Tree complexity have no effect unless pruning mode is chosen.")
        elif self._pruning_mode != PruningMode.NO_PRUNING:
            raise ValueError("For pruning, tree_complexity must be positive.")

    @abstractmethod
    def accumulate_quantiles(
        self, float_features: Sequence[Tensor], weights: Any, are_boundaries_ready: Any
    ) -> Operation:
        """An operation that adds values, and makes boundaries when there are enough.

        Args:
          float_features: The features, each of shape [batch].
          weights: The weights of examples, or one for all.
          are_boundaries_ready: A variable, which becomes true then.
        """

    @abstractmethod
    def center_bias(self, center_bias_var: Any, gradients: Tensor, hessians: Tensor) -> Operation:
        """An operation that moves the first node to where the losses are least, if it is time.

        Args:
          center_bias_var: A variable, which becomes false when it is there.
          gradients: Shape [batch, 1].
          hessians: Shape [batch, 1].
        """

    @abstractmethod
    def grow_tree(
        self, statistics: Sequence[Sequence[Tensor]], last_layer_nodes_range: Tensor
    ) -> Operation:
        """An operation that adds a layer, if it is time.

        Args:
          statistics: By groups and features sums of gradients and hessians, shape
            [nodes, buckets, 2].
          last_layer_nodes_range: The nodes that are to be split.
        """

    def chief_init_op(self) -> Operation:
        """What the chief runs in a new session."""
        return no_op()

    def _center(self, center_bias_var: Any, gradients: Any, hessians: Any) -> Any:
        """Moves the first node by means of shape [1, 1]."""
        goes_on = calls.center_bias(
            self._tree_ensemble.resource_handle,
            mean_gradients=gradients,
            mean_hessians=hessians,
            l1=self._options.l1,
            l2=self._options.l2,
        )
        return center_bias_var.assign(goes_on)

    def _grow(
        self, statistics: Sequence[Sequence[Tensor]], last_layer_nodes_range: Tensor
    ) -> Operation:
        """Adds a layer of the best splits."""
        ids: list[int] = []
        splits: list[list[Tensor]] = [[] for _ in range(5)]
        for group, summaries in zip(self._groups, statistics, strict=True):
            found = calls.calculate_best_gains_per_feature(
                node_id_range=last_layer_nodes_range,
                stats_summary_list=list(summaries),
                l1=self._options.l1,
                l2=self._options.l2,
                tree_complexity=self._options.tree_complexity,
                min_node_weight=self._options.min_node_weight,
                max_splits=self._options.max_splits,
            )
            ids += group
            for known, more in zip(splits, found, strict=True):
                known += more
        nodes, gains, thresholds, left, right = splits
        made: Operation = calls.update_ensemble(
            self._tree_ensemble.resource_handle,
            feature_ids=ids,
            node_ids=nodes,
            gains=gains,
            thresholds=thresholds,
            left_node_contribs=left,
            right_node_contribs=right,
            learning_rate=self._options.learning_rate,
            max_depth=self._options.max_depth,
            pruning_mode=self._pruning_mode,
        )
        return made


class InMemoryGrower(Grower):
    """Adds a layer with each batch, which is all the data."""

    def accumulate_quantiles(
        self, float_features: Sequence[Tensor], weights: Any, are_boundaries_ready: Any
    ) -> Operation:
        """See `Grower`."""
        added = self._quantile_accumulator.add_summaries(float_features, weights)
        with scopes.control_dependencies([added]):
            flushed = self._quantile_accumulator.flush()
            with scopes.control_dependencies([flushed]):
                made: Operation = are_boundaries_ready.assign(True).op
        return made

    def center_bias(self, center_bias_var: Any, gradients: Tensor, hessians: Tensor) -> Any:
        """See `Grower`."""
        means = [expand_dims(reduce_mean(each, 0), 0) for each in (gradients, hessians)]
        return self._center(center_bias_var, *means)

    def grow_tree(
        self, statistics: Sequence[Sequence[Tensor]], last_layer_nodes_range: Tensor
    ) -> Operation:
        """See `Grower`."""
        return self._grow(statistics, last_layer_nodes_range)

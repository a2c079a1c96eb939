"""The training part of a model of trees: a layer, or a part of one, with each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.cond_v2 import cond_v2
from dataflow.differentiation.gradients import gradients as derivatives
from dataflow.estimation.trees.accumulating import AccumulatingGrower
from dataflow.estimation.trees.columns import as_features, grouped_by_buckets, transformed
from dataflow.estimation.trees.growing import Grower, InMemoryGrower
from dataflow.estimation.trees.options import TreeHParams
from dataflow.estimation.trees.prediction import Trees
from dataflow.estimation.trees.states import (
    States,
    TableStates,
    VariableStates,
    first_states,
    kept,
    kept_features,
)
from dataflow.feature_columns.numbers import numeric_column
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.library.boosted_trees import calls
from dataflow.library.boosted_trees.ensembles import TreeEnsemble
from dataflow.library.summaries.values import scalar
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.state.reference import assign_add

Derivatives = Callable[[Any, Any], tuple[Any, Any]]
"""Gradients and hessians of logits and labels."""


class Training:
    """What grows the trees of a model in the default graph."""

    def __init__(
        self,
        trees: Trees,
        features: Mapping[str, Any],
        labels: Any,
        head: Any,
        options: TreeHParams,
        config: Any,
        global_step: Any,
        n_batches_per_layer: Any,
        closed_form: Derivatives | None,
        example_id_column: str | None,
        weight_column: Any,
        in_memory: bool,
    ) -> None:
        """Builds all but the training operation; see `bt_model_fn`."""
        if in_memory:
            _check_in_memory(n_batches_per_layer, config)
        self._trees, self._features, self._labels = trees, features, labels
        self._options, self._global_step, self._closed_form = options, global_step, closed_form
        self._bucket_sizes, self._groups = grouped_by_buckets(trees.columns, trees.num_quantiles)
        worker_device = no_op().device
        self._are_boundaries_ready = kept(not trees.float_columns, "are_boundaries_ready")
        self._keep_features: Any = None
        self._states: States | None = None
        width = head.logits_dimension
        if in_memory:
            batch_size: Any = array_shape.shape(labels)[0]
            self._buckets, self._keep_features = kept_features(
                features, trees.columns, batch_size, trees.boundaries, self._are_boundaries_ready
            )
            self._states = VariableStates(batch_size, width)
        else:
            self._buckets = trees.features(features)
            if example_id_column:
                self._states = TableStates(features[example_id_column], width)
        if self._states is None:
            known = first_states(array_shape.shape(labels)[0], width)
        else:
            known = self._states.lookup()
        local, reload = _of_this_worker(trees.ensemble, config, worker_device)
        with scopes.control_dependencies([reload]):
            stamp, num_trees, self.num_finalized_trees, self.num_attempted_layers, nodes = (
                local.get_states()
            )
            partial_logits, self._tree_ids, self._node_ids = calls.training_predict(
                tree_ensemble_handle=local.resource_handle,
                cached_tree_ids=known[0],
                cached_node_ids=known[1],
                bucketized_features=self._buckets,
                logits_dimension=width,
            )
        self._last_layer_nodes = nodes
        self.logits: Any = known[2] + partial_logits
        self.grower: Grower
        if in_memory:
            self.grower = InMemoryGrower(
                trees.ensemble, trees.quantile_accumulator, options, self._groups
            )
        else:
            self.grower = AccumulatingGrower(
                trees.ensemble,
                trees.quantile_accumulator,
                options,
                self._groups,
                stamp,
                n_batches_per_layer,
                self._bucket_sizes,
                config.is_chief,
            )
        scalar("ensemble/num_trees", num_trees)
        scalar("ensemble/num_finalized_trees", self.num_finalized_trees)
        scalar("ensemble/num_attempted_layers", self.num_attempted_layers)
        self._center_bias = kept(options.center_bias, "center_bias_needed")
        self._weights = _weights(features, weight_column)

    def train_op(self, loss: Any) -> Any:
        """What a step runs: first it gathers quantiles, if there are numbers."""
        grow = partial(self._grow, loss)
        if not self._trees.float_columns:
            return grow()
        return cond_v2(self._are_boundaries_ready, grow, self._update_quantiles)

    def _update_quantiles(self) -> Any:
        columns = self._trees.float_columns
        with scopes.name_scope("UpdateQuantile"):
            return self.grower.accumulate_quantiles(
                as_features(transformed(self._features, columns), columns),
                self._weights,
                self._are_boundaries_ready,
            )

    def _grow(self, loss: Any) -> Any:
        made = [] if self._keep_features is None else [self._keep_features]
        states = self._states
        if states is not None:
            # Centering moves what has been predicted.
            insert = partial(states.insert, self._tree_ids, self._node_ids, self.logits)
            made.append(cond_v2(self._center_bias, no_op, insert))
        if self._closed_form is not None:
            gradients, hessians = self._closed_form(self.logits, self._labels)
        else:
            (gradients,) = derivatives(loss, self.logits, name="Gradients")
            (hessians,) = derivatives(gradients, self.logits, name="Hessians")
        statistics = self._statistics(gradients, hessians)
        grow = partial(self.grower.grow_tree, statistics, self._last_layer_nodes)
        if self._options.center_bias:
            center = partial(self.grower.center_bias, self._center_bias, gradients, hessians)
            update = cond_v2(self._center_bias, center, grow)
        else:
            update = grow()
        made.append(update)
        with scopes.control_dependencies([update]):
            made.append(assign_add(self._global_step, 1).op)
        return group(*made, name="grow_op")

    def _statistics(self, gradients: Tensor, hessians: Tensor) -> list[list[Tensor]]:
        """By groups and features sums by nodes and buckets, shape [nodes, buckets, 2]."""
        return [
            [
                array_shape.squeeze(
                    calls.make_stats_summary(
                        node_ids=self._node_ids,
                        gradients=gradients,
                        hessians=hessians,
                        bucketized_features_list=[self._buckets[feature]],
                        max_splits=self._options.max_splits,
                        num_buckets=buckets,
                    ),
                    axis=0,
                )
                for feature in ids
            ]
            for ids, buckets in zip(self._groups, self._bucket_sizes, strict=True)
        ]


def _check_in_memory(n_batches_per_layer: Any, config: Any) -> None:
    if n_batches_per_layer != 1:
        raise ValueError(
            "When train_in_memory is enabled, input_fn should return the entire dataset as a "
            "single batch, and n_batches_per_layer should be set as 1."
        )
    if not config.is_chief or config.num_worker_replicas > 1 or config.num_ps_replicas > 0:
        raise ValueError("train_in_memory is supported only for non-distributed training.")


def _of_this_worker(ensemble: TreeEnsemble, config: Any, device: Any) -> tuple[TreeEnsemble, Any]:
    """The ensemble to read, and what brings it up to date: other workers grow the shared one."""
    if config.num_worker_replicas <= 1:
        return ensemble, no_op()
    with scopes.device(device):
        local = TreeEnsemble(name=f"{ensemble._name}_local", is_local=True)
    return local, local.deserialize(*ensemble.serialize())


def _weights(features: Mapping[str, Any], column: Any) -> Any:
    """The weights of examples in quantiles, shape [batch], or [1] if they all weigh the same."""
    if column is None:
        return constant(1.0, shape=[1])
    if isinstance(column, str):
        column = numeric_column(key=column, shape=(1,))
    return as_features(transformed(features, [column]), [column])[0]
